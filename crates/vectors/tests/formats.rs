//! Reads the files in `files`, which `files/make.py` wrote with other libraries. Most of them contain the same ten
//! rows.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use vectors::{Batch, Error, IdList, IdSource, NpyWriter, OpenOptions, VectorFile, VectorFormat};

/// The path of a file in `files`.
fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

/// The ten rows of four numbers: number j of row i is (4i − 20 + j) / 8.
fn rows() -> Vec<f32> {
    (0..40).map(|number| (number as f32 - 20.0) / 8.0).collect()
}

/// The ids of the ten rows if the ids are row numbers.
fn row_numbers() -> Vec<String> {
    (0..10).map(|row| row.to_string()).collect()
}

/// The ids in the files that have ids as strings, except `views.arrow`.
fn names() -> Vec<String> {
    (0..10).map(|row| format!("p{row}")).collect()
}

/// Reads all rows of a file in `files`.
fn read(name: &str, options: OpenOptions) -> Result<Batch, Error> {
    let file = VectorFile::open(&file(name), options)?;
    let mut all = Batch::default();
    for batch in file.batches()? {
        let Batch { ids, vectors } = batch?;
        assert_eq!(ids.len() * file.dim(), vectors.len());
        all.ids.extend(ids);
        all.vectors.extend(vectors);
    }
    assert_eq!(all.ids.len() as u64, file.rows());
    Ok(all)
}

/// Returns the message of the error for a file, without the path of the folder.
fn refused(name: &str, options: OpenOptions) -> String {
    let error = read(name, options).expect_err(name).to_string();
    error.replace(&format!("{}/", file("").display()), "").replace(&format!("{}", file("").display()), "")
}

/// Options with which the ids come from a column.
fn ids_from_column(name: &str) -> OpenOptions {
    OpenOptions { ids: IdSource::Column(name.to_owned()), ..OpenOptions::default() }
}

#[test]
fn every_format_gives_the_same_rows() {
    for name in [
        "f2.npy",
        "f4.npy",
        "f8.npy",
        "version-2.npy",
        "version-3.npy",
        "rows.fvecs",
        "f2.safetensors",
        "f4.safetensors",
        "bf16.safetensors",
        "plain.parquet",
        "doubles.parquet",
        "halves.parquet",
        "plain.arrow",
        "doubles.arrows",
        "halves.arrow",
        "views.arrow",
        "plain.feather",
    ] {
        let batch = read(name, OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((batch.ids, batch.vectors), (row_numbers(), rows()), "{name}");
    }
    let with_dim = OpenOptions { dim: Some(4), ..OpenOptions::default() };
    assert_eq!(read("rows.f32", with_dim).expect("a valid file").vectors, rows());
}

#[test]
fn a_tensor_or_column_is_chosen_by_name() {
    let tensor = |name: &str| OpenOptions { tensor: Some(name.to_owned()), ..OpenOptions::default() };
    assert_eq!(read("two.safetensors", tensor("b")).expect("a valid file").vectors, rows()[..12]);
    for name in ["two.parquet", "two.arrow"] {
        let column = |name: &str| OpenOptions { column: Some(name.to_owned()), ..OpenOptions::default() };
        let twice: Vec<f32> = rows().iter().map(|number| number * 2.0).collect();
        assert_eq!(read(name, column("a")).expect("a valid file").vectors, rows(), "{name}");
        assert_eq!(read(name, column("b")).expect("a valid file").vectors, twice, "{name}");
    }
}

#[test]
fn ids_come_from_a_column_of_strings_or_integers() {
    for name in ["plain.parquet", "others.parquet", "plain.arrow", "others.arrows", "plain.feather"] {
        let batch = read(name, OpenOptions { column: Some("vector".to_owned()), ..ids_from_column("id") });
        let batch = batch.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((batch.ids, batch.vectors), (names(), rows()), "{name}");
    }
    for name in ["doubles.parquet", "doubles.arrows"] {
        let expected: Vec<String> = (0..10).map(|row| (2 * row - 3).to_string()).collect();
        assert_eq!(read(name, ids_from_column("number")).expect("a valid file").ids, expected, "{name}");
    }
    for name in ["halves.parquet", "halves.arrow"] {
        let expected: Vec<String> = (0..10).map(|row| (u64::MAX - row).to_string()).collect();
        assert_eq!(read(name, ids_from_column("number")).expect("a valid file").ids, expected, "{name}");
    }
    let long = |row| {
        if row % 2 == 1 { format!("a passage with a long name, number {row}") } else { format!("p{row}") }
    };
    assert_eq!(
        read("views.arrow", ids_from_column("id")).expect("a valid file").ids,
        (0..10).map(long).collect::<Vec<_>>()
    );
}

#[test]
fn ids_come_from_a_file_or_a_list_and_a_prefix_is_prepended() {
    let list: IdList = names().into_iter().collect();
    let sources =
        [IdSource::Path(file("ids.txt")), IdSource::Path(file("ids.json")), IdSource::List(Arc::new(list))];
    for ids in sources {
        for name in ["f4.npy", "plain.parquet", "plain.arrow"] {
            let options = OpenOptions { ids: ids.clone(), prefix: "a/".to_owned(), ..OpenOptions::default() };
            let expected: Vec<String> = names().iter().map(|id| format!("a/{id}")).collect();
            assert_eq!(read(name, options).expect("a valid file").ids, expected);
        }
    }
    let prefixed = OpenOptions { prefix: "row-".to_owned(), ..OpenOptions::default() };
    assert_eq!(read("f4.npy", prefixed).expect("a valid file").ids[9], "row-9");
    let prefixed = OpenOptions { prefix: "a/".to_owned(), ..ids_from_column("id") };
    assert_eq!(read("plain.arrow", prefixed).expect("a valid file").ids[9], "a/p9");
}

#[test]
fn files_without_rows_are_read() {
    for name in ["empty.parquet", "empty.arrows"] {
        let options = OpenOptions { dim: Some(4), ..ids_from_column("id") };
        assert_eq!(read(name, options).expect("a valid file"), Batch::default(), "{name}");
    }
}

#[test]
fn errors_say_what_was_expected_and_what_was_found() {
    let plain = OpenOptions::default;
    let named = |column: &str| OpenOptions { column: Some(column.to_owned()), ..plain() };
    let tensor = |name: &str| OpenOptions { tensor: Some(name.to_owned()), ..plain() };
    let floats = "16-, 32- or 64-bit floating point numbers";
    for (name, options, expected) in [
        ("fortran.npy", plain(), "expected rows stored one after another (C order), got Fortran order; save numpy.ascontiguousarray(array)".to_owned()),
        ("big-endian.npy", plain(), format!("expected {floats} (<f2, <f4, <f8), got >f4")),
        ("integers.npy", plain(), format!("expected {floats} (<f2, <f4, <f8), got <i4")),
        ("vector.npy", plain(), "expected an array of shape (rows, dim), got shape (4)".to_owned()),
        ("records.npy", plain(), "expected an array of shape (rows, dim), got shape (3)".to_owned()),
        ("several.npz", plain(), "expected a .npy, safetensors, Parquet or Arrow file, or one named .f32, .raw, .bin or .fvecs, got a zip archive, as .npz files are".to_owned()),
        ("f4.npy", OpenOptions { dim: Some(5), ..plain() }, "expected vectors of dimension 5, got 4".to_owned()),
        ("f4.npy", OpenOptions { format: VectorFormat::Parquet, ..plain() }, "expected a Parquet file, got a NumPy array".to_owned()),
        ("rows.f32", OpenOptions { dim: Some(3), ..plain() }, "expected whole rows of 3 f32 numbers, 12 bytes each, got 160 bytes".to_owned()),
        ("ragged.fvecs", plain(), "expected rows of 2 numbers, like the first one, got 1 at row 1".to_owned()),
        ("two.safetensors", plain(), "expected one tensor of 2 dimensions, or the option tensor set to its name, got 2 among \"a\", \"b\"".to_owned()),
        ("f4.safetensors", tensor("bias"), "expected a tensor \"bias\" of shape [rows, dim], got shape [4]".to_owned()),
        ("f4.safetensors", tensor("x"), "expected a tensor \"x\", got the tensors \"bias\", \"embeddings\"".to_owned()),
        ("integers.safetensors", plain(), format!("expected {floats} in tensor \"embeddings\", got I32")),
        ("two.parquet", plain(), format!("expected one column of lists of {floats}, or the option column set to its name, got 2 among the columns \"a\", \"b\"")),
        ("two.arrow", plain(), format!("expected one column of lists of {floats}, or the option column set to its name, got 2 among the columns \"a\", \"b\"")),
        ("plain.parquet", named("id"), format!("expected lists of {floats} in column \"id\", got BYTE_ARRAY")),
        ("plain.arrow", named("id"), format!("expected lists of {floats} in column \"id\", got strings")),
        ("plain.parquet", named("x"), "expected a column \"x\", got the columns \"id\", \"vector\"".to_owned()),
        ("plain.arrow", ids_from_column("x"), "expected a column \"x\", got the columns \"id\", \"vector\"".to_owned()),
        ("plain.parquet", ids_from_column("vector"), "expected strings or integers in column \"vector\", got lists of FLOAT".to_owned()),
        ("plain.arrow", ids_from_column("vector"), "expected strings or integers in column \"vector\", got lists of 4 floating point numbers".to_owned()),
        ("category.arrow", ids_from_column("id"), "expected strings or integers in column \"id\", got a dictionary".to_owned()),
        ("ragged.parquet", plain(), "expected lists of 2 numbers, like the first one, got 1 at row 1".to_owned()),
        ("ragged.arrow", plain(), "expected lists of 2 numbers, like the first one, got 1 at row 1".to_owned()),
        ("nulls.parquet", plain(), "expected lists of 2 numbers, like the first one, got a null in the list at row 1".to_owned()),
        ("nulls.arrow", plain(), "expected columns of vectors and ids without nulls, got nulls: 1 of the 4 values from row 0 on".to_owned()),
        ("missing.parquet", plain(), "expected lists of 2 numbers, like the first one, got an empty list or a null at row 1".to_owned()),
        ("missing.arrow", plain(), "expected columns of vectors and ids without nulls, got nulls: 1 of the 2 values from row 0 on".to_owned()),
    ] {
        assert_eq!(refused(name, options), format!("{name}: {expected}"));
    }
    let ids = |list: &[&str]| IdSource::List(Arc::new(list.iter().collect()));
    assert_eq!(
        refused("f4.npy", OpenOptions { ids: ids(&["a", "b"]), ..plain() }),
        "f4.npy: expected one id for each of 10 vectors, got 2 ids"
    );
    assert_eq!(
        refused(
            "two.safetensors",
            OpenOptions { tensor: Some("b".to_owned()), ids: IdSource::Path(file("ids.txt")), ..plain() }
        ),
        "ids.txt: expected one id for each of 3 vectors, got 10 ids"
    );
    assert_eq!(
        refused("rows.f32", plain()),
        "dim: expected the dimension of the vectors, which a raw file does not contain, got none"
    );
    assert_eq!(
        refused("f4.npy", tensor("x")),
        "tensor: expected a safetensors file, which has tensors, got a NumPy array"
    );
    assert_eq!(
        refused("f4.npy", ids_from_column("id")),
        "idColumn: expected a Parquet or Arrow file, which has columns, got a NumPy array"
    );
    assert!(refused("none.npy", plain()).starts_with("open none.npy: "));
    assert!(matches!(VectorFile::open(&file(""), plain()), Err(Error::Io { .. })));
}

#[test]
fn a_file_larger_than_a_batch_is_read_in_several_batches() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.npy");
    let (row_count, dim) = (100_000u64, 40);
    let mut writer = NpyWriter::create(&path, row_count, dim, storage::never()).expect("writable");
    let numbers = |row: u64| (0..dim as u64).map(move |column| (row * 7 + column) as f32);
    (0..row_count).for_each(|row| writer.push(&numbers(row).collect::<Vec<_>>()).expect("writable"));
    writer.finish().expect("complete");

    let file = VectorFile::open(&path, OpenOptions::default()).expect("a valid file");
    let (mut next, mut batches) = (0, 0);
    for batch in file.batches().expect("readable") {
        let batch = batch.expect("a valid file");
        assert!(batch.vectors.len() * 4 <= 4 << 20);
        for (id, vector) in batch.ids.iter().zip(batch.vectors.chunks_exact(dim)) {
            assert!(id.parse() == Ok(next) && vector.iter().copied().eq(numbers(next)), "row {next}");
            next += 1;
        }
        batches += 1;
    }
    // 16 MB, in batches of up to 4 MiB.
    assert_eq!((next, batches), (row_count, 4));
}

#[test]
fn a_writer_accepts_exactly_the_rows_that_were_announced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.npy");
    let mut writer = NpyWriter::create(&path, 2, 2, storage::never()).expect("writable");
    assert!(writer.push(&[1.0]).is_err(), "half a row");
    assert!(writer.push(&[1.0; 6]).is_err(), "three rows");
    writer.push(&[1.0, 2.0]).expect("writable");
    let error = writer.finish().expect_err("a row is missing").to_string();
    assert_eq!(error, "vectors: expected rows of 2 numbers, 2 more numbers in all, got 0 numbers");
    assert!(!path.exists());
}

#[test]
fn damaged_and_truncated_files_are_read_or_refused_without_a_panic() {
    let folder = tempfile::tempdir().expect("a folder");
    for entry in std::fs::read_dir(file("")).expect("a folder") {
        let entry = entry.expect("readable");
        let name = entry.file_name().into_string().expect("UTF-8");
        if name.ends_with(".py") || name.starts_with("ids") {
            continue;
        }
        let intact = std::fs::read(entry.path()).expect("readable");
        let damaged = folder.path().join(&name);
        let mut refused_count = 0;
        let mut attempt = |bytes: &[u8]| {
            std::fs::write(&damaged, bytes).expect("writable");
            let options = OpenOptions {
                dim: Some(4),
                column: name.contains("others").then(|| "vector".to_owned()),
                ..OpenOptions::default()
            };
            let ids = if name.contains("plain") || name.contains("others") {
                ids_from_column("id").ids
            } else {
                IdSource::RowNumbers
            };
            let read = VectorFile::open(&damaged, OpenOptions { ids, ..options })
                .and_then(|file| file.batches()?.try_for_each(|batch| batch.map(drop)));
            refused_count += usize::from(read.is_err());
        };
        // Changing every byte takes minutes, so this is only done if `PASSAGEKIT_LONG` is set.
        let step = if std::env::var_os("PASSAGEKIT_LONG").is_some() { 1 } else { intact.len().div_ceil(30) };
        for at in (0..intact.len()).step_by(step) {
            for mask in [0x01, 0x80, 0xff] {
                let mut bytes = intact.clone();
                bytes[at] ^= mask;
                attempt(&bytes);
            }
            attempt(&intact[..at]);
        }
        // There are four attempts per tried byte: three changes and one truncation. Many changes affect only numbers or
        // ids, so not all attempts are refused.
        assert!(
            refused_count >= intact.len() / step / 3,
            "{name}: {refused_count} refused of {} tried",
            intact.len() / step * 4
        );
    }
}
