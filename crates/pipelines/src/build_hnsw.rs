//! Builds the file of an HNSW index from the file of a flat index.

use std::path::Path;

use control::Control;
use dense::{FlatIndex, HnswIndex, HnswOptions};

use crate::Error;

/// Writes an HNSW index with the vectors, ids and metadata of the flat index file `flat` to the file `output`. Runs on
/// `threads` threads (0: one for each CPU). Progress counts rows.
///
/// # Errors
///
/// If a file cannot be read or written, an option is invalid, threads cannot be started, or the work is canceled. Then
/// `output` is not written; if the file existed, it stays unchanged.
pub fn build_hnsw(
    flat: &Path,
    output: &Path,
    options: HnswOptions,
    threads: usize,
    control: &Control,
) -> Result<(), Error> {
    let flat = FlatIndex::open(flat)?;
    control.set_total(flat.len() as u64);
    let index = HnswIndex::from_flat(flat, options, threads, control)?;
    control.check()?;
    Ok(index.save(output)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dense::Similarity;

    #[test]
    fn the_graph_has_the_rows_and_the_metadata_of_the_flat_index() {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (folder.path().join("flat"), folder.path().join("hnsw"));
        let metadata = serde_json::json!({ "model": "none" });
        let mut flat = FlatIndex::new(2, Similarity::Dot, metadata.clone()).expect("a dimension of 2");
        flat.add(vec!["a".into(), "b".into()], &[1.0, 2.0, 3.0, 4.0]).expect("ids differ");
        flat.save(&from).expect("writable");

        let control = Control::new();
        build_hnsw(&from, &to, HnswOptions::default(), 1, &control).expect("a flat index");
        let index = HnswIndex::open(&to).expect("intact");
        assert_eq!((index.len(), index.id(1), index.vector(1)), (2, "b", &[3.0, 4.0][..]));
        assert_eq!((index.metadata(), control.done(), control.total()), (&metadata, 2, 2));
    }
}
