//! Tests of corrupt files of flat indexes with the storage `f16` (half precision) or `int8Rescored` (int8 codes, with
//! which a first pass rules out most rows): they are rejected, or used without a panic.

mod common;

use std::path::Path;

use common::{ids, uniform};
use control::Control;
use dense::{Error, FlatIndex, Similarity, Storage};
use proptest::prelude::*;
use ranking::Hit;
use serde_json::{Value, json};
use storage::{File, FileKind, Writer};

const DIM: usize = 3;
const ROWS: usize = 120;
const KIND: FileKind = FileKind { magic: *b"PKFLAT\0\0", version: 2, name: "flat index" };
/// All sections that files of flat indexes may have.
const SECTIONS: [&str; 8] = ["vectors", "ids", "id_ends", "deleted", "codes", "scales", "errors", "lengths"];

/// Saves an index with two deleted rows.
fn save(path: &Path, storage: Storage, similarity: Similarity) {
    let mut flat = FlatIndex::with_storage(DIM, similarity, storage, Value::Null).expect("a dimension");
    flat.add(ids(0..ROWS), &uniform(ROWS, DIM, 1)).expect("valid rows");
    flat.delete(&["p3", "p64"]).expect("stored ids");
    flat.save(path).expect("writable");
}

/// Opens an index, searches it, reads it, adds and deletes rows, compacts it, and saves it. Returns the hits of one
/// query.
fn use_all(path: &Path) -> Result<Vec<Hit>, Error> {
    let control = Control::new();
    let mut index = FlatIndex::open(path)?;
    let dim = index.dim();
    // So few hits that the first pass is not left out.
    let hits = index.search(&uniform(1, dim, 2), 2, &control)?;
    index.search_many(&uniform(9, dim, 3), 1, 2, &control)?;
    index.search_many(&uniform(6, dim, 3), 7, 1, &control)?;
    index.search_filtered(&uniform(1, dim, 2), 2, Some(&|ord| ord % 9 == 0), &control)?;
    let _: Vec<usize> = (0..index.len() as u32).map(|ord| index.vector(ord).len()).collect();
    index.add(ids(500..502), &uniform(2, dim, 4))?;
    index.delete(&["p500"])?;
    index.compact();
    index.save(&path.with_extension("again"))?;
    Ok(hits)
}

/// Copies the sections of a file.
fn sections(file: &File) -> Vec<(&'static str, Vec<u8>)> {
    SECTIONS.into_iter().filter_map(|name| Some((name, file.section(name).ok()?.to_vec()))).collect()
}

/// Writes a file with these sections, this metadata and valid checksums.
fn rewrite(path: &Path, sections: &[(&str, Vec<u8>)], metadata: Value) {
    let mut writer = Writer::create(path, KIND).expect("writable");
    for (name, bytes) in sections {
        writer.section(name, bytes).expect("writable");
    }
    writer.finish(metadata).expect("writable");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bits_and_truncated_files_are_rejected_or_change_no_hit(
        storage in prop::sample::select(vec![Storage::F16, Storage::Int8Rescored]),
        at in any::<prop::sample::Index>(), bit in 0u8..8, truncate in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        save(&path, storage, Similarity::Dot);
        let expected = use_all(&path).expect("valid");
        let mut bytes = std::fs::read(&path).expect("readable");
        let at = at.index(bytes.len());
        if truncate { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        std::fs::write(&path, &bytes).expect("writable");
        if let Ok(hits) = use_all(&path) {
            prop_assert_eq!(hits, expected);
        }
    }

    /// The content is wrong, but the checksums match it, as in a file written by an attacker or by a program with a
    /// bug.
    #[test]
    fn no_content_makes_an_index_panic(
        storage in prop::sample::select(vec![Storage::F16, Storage::Int8Rescored]),
        similarity in prop::sample::select(common::SIMILARITIES.to_vec()),
        // Section, position and new value of a 4-byte number. 0x7c01_fc00 is −∞ and a NaN in half precision.
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>(),
             prop_oneof![any::<u32>(), 0u32..130, Just(f32::NAN.to_bits()), Just(f32::MAX.to_bits()), Just(0x7c01_fc00)]),
            1..4),
        // A key in the metadata, and its new value; and the new name of the storage.
        number in prop::option::of((prop::sample::select(vec!["dim", "rows"]), prop_oneof![any::<u64>(), 0u64..200])),
        storage_name in prop::option::of(prop::sample::select(vec!["f32", "f16", "int8Rescored", "int4"])),
        // A section, and the number of bytes removed from its end.
        truncated in prop::option::of((any::<prop::sample::Index>(), 1usize..20)),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        save(&path, storage, similarity);
        let file = File::open(&path, KIND).expect("valid");
        let mut sections = sections(&file);
        for (section, at, value) in changes {
            let at_section = section.index(sections.len());
            let words = &mut sections[at_section].1;
            let at = at.index(words.len() / 4) * 4;
            words[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        if let Some((section, num_removed)) = truncated {
            let at_section = section.index(sections.len());
            let bytes = &mut sections[at_section].1;
            bytes.truncate(bytes.len().saturating_sub(num_removed));
        }
        let mut metadata = file.metadata().clone();
        if let Some((key, value)) = number {
            metadata[key] = json!(value);
        }
        if let Some(name) = storage_name {
            metadata["storage"] = json!(name);
        }
        rewrite(&path, &sections, metadata);
        // Any error is fine, and so are any hits.
        if let Ok(hits) = use_all(&path) {
            prop_assert!(hits.iter().all(|hit| !hit.score.is_nan()));
        }
    }
}

#[test]
fn errors_name_the_part_of_a_file_that_is_invalid() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let cases: [(&str, u32, &str); 3] = [
        (
            "scales",
            f32::NAN.to_bits(),
            "expected finite, non-negative numbers in section \"scales\", got NaN",
        ),
        (
            "errors",
            (-1.0f32).to_bits(),
            "expected finite, non-negative numbers in section \"errors\", got -1",
        ),
        (
            "lengths",
            f32::INFINITY.to_bits(),
            "expected finite, non-negative numbers in section \"lengths\", got inf",
        ),
    ];
    for (section, value, message) in cases {
        save(&path, Storage::Int8Rescored, Similarity::Dot);
        let file = File::open(&path, KIND).expect("valid");
        let mut sections = sections(&file);
        let changed = sections.iter_mut().find(|(name, _)| *name == section).expect("a section");
        // The number of row 10.
        changed.1[40..44].copy_from_slice(&value.to_le_bytes());
        rewrite(&path, &sections, file.metadata().clone());
        let error = FlatIndex::open(&path).expect_err(section);
        assert!(matches!(error, Error::Storage(storage::Error::Corrupt { .. })), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    // Section, number of bytes removed from the section's end, and a part of the message.
    for (section, num_removed, message) in [
        ("codes", 1, "expected 120 rows of 3 codes, got 359 codes"),
        ("errors", 4, "expected 120 numbers in section \"errors\", got 119"),
        ("vectors", 12, "expected 120 vectors of dimension 3, got 357 values"),
    ] {
        save(&path, Storage::Int8Rescored, Similarity::Dot);
        let file = File::open(&path, KIND).expect("valid");
        let mut sections = sections(&file);
        let bytes = &mut sections.iter_mut().find(|(name, _)| *name == section).expect("a section").1;
        bytes.truncate(bytes.len() - num_removed);
        rewrite(&path, &sections, file.metadata().clone());
        let error = FlatIndex::open(&path).expect_err(section).to_string();
        assert!(error.contains(message), "{error}");
    }
    save(&path, Storage::F16, Similarity::Dot);
    let file = File::open(&path, KIND).expect("valid");
    let mut metadata = file.metadata().clone();
    metadata["storage"] = json!("int4");
    rewrite(&path, &sections(&file), metadata);
    let error = FlatIndex::open(&path).expect_err("unknown").to_string();
    assert!(error.contains("expected the storage f32, f16 or int8Rescored, got \"int4\""), "{error}");
}

/// If the stored errors or lengths were too small, the first pass of a search, by the int8 codes, could rule out hits.
#[test]
fn verify_finds_rows_whose_bounds_are_wrong_and_infinite_numbers_in_half_precision() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let (row, to_bytes) = (7, |value: f32| value.to_le_bytes().to_vec());
    // Section, number of bytes per row, and the new bytes of the row.
    for (section, row_bytes, change) in [
        ("vectors", 4 * DIM, [to_bytes(0.5), to_bytes(-0.5), to_bytes(0.25)].concat()),
        ("codes", DIM, vec![0, 255, 0]),
        ("scales", 4, to_bytes(0.5)),
        ("errors", 4, to_bytes(0.0)),
        ("lengths", 4, to_bytes(0.001)),
    ] {
        save(&path, Storage::Int8Rescored, Similarity::Dot);
        FlatIndex::open(&path).expect("valid").verify().expect("valid");
        let file = File::open(&path, KIND).expect("valid");
        let mut sections = sections(&file);
        let bytes = &mut sections.iter_mut().find(|(name, _)| *name == section).expect("a section").1;
        bytes[row * row_bytes..][..row_bytes].copy_from_slice(&change);
        rewrite(&path, &sections, file.metadata().clone());
        let error = FlatIndex::open(&path).expect("the structure is valid").verify().expect_err(section);
        assert!(matches!(error, Error::Storage(storage::Error::Corrupt { .. })), "{error}");
        let message = "expected upper bounds on the error and the length of row 7, got smaller numbers";
        assert!(error.to_string().ends_with(message), "{error}");
        use_all(&path).expect("searches do not check the bounds");
    }
    save(&path, Storage::F16, Similarity::Dot);
    let file = File::open(&path, KIND).expect("valid");
    let mut sections = sections(&file);
    // +∞ in half precision.
    let infinite: u16 = 0x7c00;
    sections[0].1[(row * DIM + 2) * 2..][..2].copy_from_slice(&infinite.to_le_bytes());
    rewrite(&path, &sections, file.metadata().clone());
    let error = FlatIndex::open(&path).expect("the structure is valid").verify().expect_err("infinite");
    assert!(error.to_string().ends_with("within the limit, got an invalid one at row 7"), "{error}");
}

#[test]
fn a_file_of_an_earlier_version_is_rejected_with_an_error_that_has_both_versions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let writer = Writer::create(&path, FileKind { version: 1, ..KIND }).expect("writable");
    writer.finish(json!({"dim": 3, "rows": 0, "similarity": "dot", "metadata": null})).expect("writable");
    let error = FlatIndex::open(&path).expect_err("old");
    assert!(matches!(error, Error::Storage(storage::Error::Version { expected: 2, got: 1, .. })), "{error}");
}
