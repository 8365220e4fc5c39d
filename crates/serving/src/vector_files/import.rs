//! Adds the vectors of a file to an index.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use control::Control;
use dense::{Longest, Put};
use vectors::{Batch, VectorFile};

use crate::{Error, SharedIndex};

/// Adds the rows of `file`, which was opened from `path`: all of them or, after an error, none. Returns the number of
/// rows.
///
/// The file is read twice. The first pass only checks the rows, so that a bad row at the end of the file is found
/// before any row is added.
///
/// # Errors
///
/// If the file cannot be read, the index refuses a row, or the work is canceled.
pub fn import_vectors(
    index: &SharedIndex,
    file: &VectorFile,
    path: &Path,
    control: &Control,
) -> Result<u32, Error> {
    control.set_total(file.rows());
    // `longest` gets the length of the longest vector of each batch. `row` is the first row of the current batch.
    let (mut longest, mut seen, mut row) = (Vec::new(), SeenIds::default(), 0);
    for batch in file.batches()? {
        control.check()?;
        let Batch { ids, vectors } = batch?;
        index
            .read(|index| index.check_rows(Put::Add, &ids, &vectors))?
            .map_err(|error| in_file(file, path, row, error))?;
        // In a file without its own ids, the ids are made from row numbers and therefore distinct.
        if file.has_own_ids()
            && let Some(duplicate) = seen.insert_all(&ids, row, |id, end| first_row(file, id, end))
        {
            let source = dense::Error::DuplicateId {
                operation: "add",
                id: ids[duplicate.row - row].clone(),
                row: duplicate.row,
                first: Some(duplicate.first),
            };
            return Err(Error::File { path: path.to_owned(), source });
        }
        longest.push(Longest::of(file.dim(), &vectors));
        row += ids.len();
    }
    index.stage_and_publish(&longest, || {
        for batch in file.batches()? {
            let Batch { ids, vectors } = batch?;
            index.stage(Put::Add, ids, &vectors, control)?;
        }
        Ok(())
    })?;
    Ok(row as u32)
}

/// The hashes of the ids that have been seen. Hashes take less memory than the ids.
#[derive(Default)]
struct SeenIds {
    hashes: HashSet<u64>,
    hasher: RandomState,
}

/// Two rows with the same id.
struct Duplicate {
    first: usize,
    row: usize,
}

impl SeenIds {
    /// Inserts the ids of rows `start`, `start + 1`, …. Stops at the first id that was seen before, and returns the two
    /// rows with this id. Different ids may have the same hash, so if a hash was seen before, `find(id, end)` is called
    /// to search the file for a row before `end` with this id.
    fn insert_all(
        &mut self,
        ids: &[String],
        start: usize,
        find: impl Fn(&str, usize) -> Option<usize>,
    ) -> Option<Duplicate> {
        ids.iter().zip(start..).find_map(|(id, row)| {
            let is_new = self.hashes.insert(self.hasher.hash_one(id));
            let first = if is_new { None } else { find(id, row) };
            first.map(|first| Duplicate { first, row })
        })
    }
}

/// Converts an error about a row of a batch to an error that names the file and the row's position in the file. The
/// batch begins at row `start` of the file.
pub(super) fn in_file(file: &VectorFile, path: &Path, start: usize, error: dense::Error) -> Error {
    // This changes the row numbers in errors about vectors only. Those in errors about ids are changed below.
    let mut source = error.with_row_offset(start);
    match &mut source {
        dense::Error::EmptyId { row, .. } => *row += start,
        dense::Error::DuplicateId { id, row, first, .. } => {
            *first = match *first {
                Some(first) => Some(first + start),
                // The index already has the id. If it comes from an earlier row of this file, report that row.
                None => first_row(file, id, start),
            };
            *row += start;
        }
        dense::Error::Canceled(_) => return source.into(),
        _ => {}
    }
    Error::File { path: path.to_owned(), source }
}

/// Returns the first row of a file that has this id, or `None` if there is no such row before row `end`.
fn first_row(file: &VectorFile, id: &str, end: usize) -> Option<usize> {
    let mut start = 0;
    for batch in file.batches().ok()? {
        let ids = batch.ok()?.ids;
        let found = ids.iter().position(|other| other == id).map(|row| start + row);
        start += ids.len();
        if found.is_some() || start >= end {
            return found.filter(|&row| row < end);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VectorIndex;
    use dense::{FlatIndex, Similarity};
    use std::sync::Arc;
    use vectors::{IdSource, OpenOptions};

    /// Writes a file of raw `f32` vectors of dimension 1. Returns its folder, its path, the opened file, and an empty
    /// index.
    fn file_of(
        values: &[f32],
        ids: &[&str],
    ) -> (tempfile::TempDir, std::path::PathBuf, VectorFile, Arc<SharedIndex>) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.f32");
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(&path, bytes).expect("room on the disk");
        let ids = IdSource::List(Arc::new(ids.iter().map(|&id| id.to_owned()).collect()));
        let options = OpenOptions {
            format: "raw".parse().expect("a format"),
            dim: Some(1),
            tensor: None,
            column: None,
            ids,
            prefix: String::new(),
        };
        let file = VectorFile::open(&path, options).expect("the file just written");
        let flat = FlatIndex::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension of 1");
        (folder, path, file, SharedIndex::new(VectorIndex::Flat(flat), 0))
    }

    #[test]
    fn all_rows_of_a_file_are_added() {
        let (_folder, path, file, index) = file_of(&[1.0, 2.0, 3.0], &["a", "b", "c"]);
        assert_eq!(import_vectors(&index, &file, &path, &Control::new()).expect("valid rows"), 3);
        assert_eq!(index.live_len(), 3);
    }

    #[test]
    fn a_file_with_a_bad_row_adds_no_rows_and_the_error_names_the_file_and_the_row() {
        let (_folder, path, file, index) = file_of(&[1.0, f32::NAN], &["a", "b"]);
        let refused = import_vectors(&index, &file, &path, &Control::new()).expect_err("not a number");
        assert_eq!(
            refused.to_string(),
            format!("{}: add: expected finite numbers, got NaN at row 1, column 0", path.display())
        );
        assert_eq!(index.live_len(), 0);
    }

    #[test]
    fn an_error_about_an_id_that_a_file_has_twice_names_both_rows() {
        let (_folder, path, file, index) = file_of(&[1.0, 2.0, 3.0], &["a", "b", "a"]);
        let refused = import_vectors(&index, &file, &path, &Control::new()).expect_err("twice");
        let Error::File { source: dense::Error::DuplicateId { row, first, .. }, .. } = refused else {
            panic!("{refused}")
        };
        assert_eq!((row, first), (2, Some(0)));
        assert_eq!(index.live_len(), 0);
    }
}
