//! Converts a file of vectors to the file of a flat index.

use std::path::Path;

use control::Control;
use dense::{FlatWriter, Similarity, Storage};
use serde_json::Value;
use vectors::VectorFile;

use super::import::in_file;
use crate::Error;

/// The properties of the flat index to build.
#[derive(Debug, Clone)]
pub struct FlatFileOptions {
    /// Dimension of the vectors, used only if the file does not contain one.
    pub dim: usize,
    /// How vectors are compared.
    pub similarity: Similarity,
    /// How vectors are stored.
    pub storage: Storage,
    /// JSON to store with the index.
    pub metadata: Value,
}

/// Writes the rows of `file`, which was opened from `path`, to the index file `output`. In memory are at most one batch
/// of vectors, all ids and, with [`Storage::Int8Rescored`], an int8 copy of all vectors. Progress counts rows.
///
/// # Errors
///
/// If a file cannot be read or written, the index refuses a row, or the work is canceled. `output` is then neither
/// created nor changed.
pub fn build_flat_file(
    file: &VectorFile,
    path: &Path,
    output: &Path,
    options: &FlatFileOptions,
    control: &Control,
) -> Result<(), Error> {
    // Some files without rows do not contain a dimension.
    let dim = if file.dim() > 0 { file.dim() } else { options.dim };
    let mut writer = FlatWriter::with_storage(output, dim, options.similarity, options.storage)?;
    control.set_total(file.rows());
    let mut row = 0;
    for batch in file.batches()? {
        control.check()?;
        let batch = batch?;
        let pushed = writer.push(&batch.ids, &batch.vectors);
        pushed.map_err(|error| in_file(file, path, row, error))?;
        row += batch.ids.len();
        control.advance(batch.ids.len() as u64);
    }
    Ok(writer.finish(&options.metadata)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dense::FlatIndex;
    use std::path::PathBuf;
    use std::sync::Arc;
    use vectors::{IdSource, OpenOptions};

    const OPTIONS: FlatFileOptions =
        FlatFileOptions { dim: 1, similarity: Similarity::Dot, storage: Storage::F32, metadata: Value::Null };

    /// Builds an index from a file of raw `f32` vectors of dimension 1. The ids are the row numbers. Also returns the
    /// folder, which is deleted when it is dropped, and the path of the file of vectors.
    fn build(values: &[f32]) -> (tempfile::TempDir, PathBuf, Result<FlatIndex, Error>) {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, output) = (folder.path().join("rows.f32"), folder.path().join("index"));
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(&path, bytes).expect("room on the disk");
        let options = OpenOptions {
            format: "raw".parse().expect("a format"),
            dim: Some(1),
            tensor: None,
            column: None,
            ids: IdSource::List(Arc::new((0..values.len()).map(|row| row.to_string()).collect())),
            prefix: String::new(),
        };
        let file = VectorFile::open(&path, options).expect("the file just written");
        let built = build_flat_file(&file, &path, &output, &OPTIONS, &Control::new());
        let opened = built.map(|()| FlatIndex::open(&output).expect("an intact index"));
        (folder, path, opened)
    }

    #[test]
    fn the_index_has_all_rows_of_the_file() {
        let (_folder, _, index) = build(&[1.0, 2.0, 3.0]);
        let index = index.expect("finite numbers");
        assert_eq!((index.len(), index.id(2), index.vector(2).into_owned()), (3, "2", vec![3.0]));
    }

    #[test]
    fn a_bad_row_is_reported_with_the_file_and_leaves_no_index() {
        let (folder, path, refused) = build(&[1.0, f32::NAN]);
        let refused = refused.expect_err("not a number").to_string();
        assert!(refused.starts_with(&path.display().to_string()) && refused.contains("row 1"), "{refused}");
        assert!(!folder.path().join("index").exists());
    }
}
