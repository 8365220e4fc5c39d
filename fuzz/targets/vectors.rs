//! Reads files of vectors and of ids. The first byte of an input selects the format and the options; the rest is the
//! file.
#![no_main]

use std::path::Path;

use fuzz::{Scratch, checked, start};
use libfuzzer_sys::fuzz_target;
use vectors::{Error, IdList, IdSource, OpenOptions, VectorFile};

/// Maximum number of batches that are read. A small compressed file may have a huge number of rows.
const MAX_BATCHES: usize = 4;

/// The names that the file of an input may get. The extension determines the format of files without magic bytes.
const NAMES: [&str; 4] = ["file", "file.f32", "file.fvecs", "file.npy"];

/// Returns inputs with the test files of `crates/vectors`: for each file, one input per selector that suits its format,
/// which is the selector byte followed by the file. `fuzz_target!` below describes the bits of a selector.
fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/vectors/tests/files");
    let mut seeds = Vec::new();
    let entries = std::fs::read_dir(folder).expect("the files of the tests");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension != "py")) {
        let name = path.file_name().expect("a file name").to_string_lossy();
        let selectors: &[u8] = match path.extension().and_then(|extension| extension.to_str()) {
            Some("f32") => &[1 | 1 << 2],
            Some("fvecs") => &[0b10],
            Some("parquet" | "arrow" | "arrows" | "feather") => &[0, 1 << 3, 2 << 3],
            Some("json" | "txt") => &[3 << 3],
            _ => &[0],
        };
        let bytes = std::fs::read(path).expect(&name);
        for selector in selectors {
            seeds.push([&[*selector], &bytes[..]].concat());
        }
    }
    seeds
}

/// Reads the batches of a file of vectors, at most [`MAX_BATCHES`], and checks their sizes. `bytes` is the size of the
/// file, for messages.
fn read(path: &Path, options: OpenOptions, bytes: usize) -> Result<(), Error> {
    let file = VectorFile::open(path, options)?;
    let (mut rows, mut read_all) = (0, true);
    for (batch_count, batch) in file.batches()?.enumerate() {
        if batch_count == MAX_BATCHES {
            read_all = false;
            break;
        }
        let batch = batch?;
        assert!(file.dim() > 0 && !batch.ids.is_empty());
        assert_eq!(batch.ids.len() * file.dim(), batch.vectors.len());
        rows += batch.ids.len() as u64;
    }
    assert!(
        rows == file.rows() || !read_all && rows < file.rows(),
        "{rows} of {} rows in {bytes} bytes",
        file.rows()
    );
    Ok(())
}

fuzz_target!(
    init: start(seeds),
    |data: &[u8]| {
        let Some((&selector, bytes)) = data.split_first() else { return };
        thread_local!(static SCRATCH: Scratch = Scratch::new());
        // Bits 0 and 1: the file name in `NAMES`; 2: whether the dimension is given; 3 and 4: the source of the ids;
        // 5: whether the name of the tensor is given.
        let path = SCRATCH.with(|scratch| scratch.write(NAMES[usize::from(selector & 0b11)], bytes));
        let (has_dim, has_tensor) = (selector & 0b100 > 0, selector & 0b10_0000 > 0);
        let ids = match selector >> 3 & 0b11 {
            0 => IdSource::RowNumbers,
            1 => IdSource::Column("id".to_owned()),
            2 => IdSource::Column("number".to_owned()),
            _ => IdSource::Path(path.clone()),
        };
        let (dim, tensor) = (has_dim.then_some(4), has_tensor.then(|| "embeddings".to_owned()));
        checked(bytes.len(), || {
            if matches!(ids, IdSource::Path(_)) && let Ok(list) = IdList::read(&path) {
                let length: usize = (0..list.len()).map(|at| list.get(at).len()).sum();
                assert!(length <= bytes.len());
            }
            drop(read(&path, OpenOptions { dim, tensor, ids, ..OpenOptions::default() }, bytes.len()));
        });
    }
);
