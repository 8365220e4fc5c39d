//! Writes the vectors of an index to a NumPy file, and their ids to a second file.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use control::Control;
use storage::{Output, Stop, rename_both};
use vectors::{IdList, NpyWriter};

use crate::{Error, VectorIndex};

/// Number of rows written between two checks for cancellation.
const ROWS_PER_CHECK: usize = 1024;

/// Writes the vectors of all rows that are not deleted to `path` and, if `ids_path` is given, their ids to that path.
/// After an error, files that existed before at these paths are unchanged; but if a path is a stream, such as a FIFO,
/// some bytes may have been written to it. Returns the number of vectors.
///
/// # Errors
///
/// If a file cannot be written, both paths are the same file, an id cannot be written on a line of its own (it contains
/// a line break), or the work is canceled.
pub fn export_vectors(
    index: &VectorIndex,
    path: &Path,
    ids_path: Option<&Path>,
    control: &Arc<Control>,
) -> Result<u32, Error> {
    let rows: Vec<u32> = index.live().iter().collect();
    control.set_total(rows.len() as u64);
    // Check everything before writing, because bytes that were written to a stream cannot be taken back.
    let ids = ids_path.map(|ids_path| {
        Output::check(ids_path)?;
        if Output::is_same_file(path, ids_path) {
            let message =
                format!("exportVectors: expected two files, got {} for vectors and ids", path.display());
            return Err(Error::argument(message));
        }
        let ids: IdList = rows.iter().map(|&ord| index.id(ord)).collect();
        Ok((ids_path, ids.to_file(ids_path)?))
    });
    let ids = ids.transpose()?;
    write_both(index, &rows, path, ids, control).or_else(|error| {
        // If the work is canceled while it waits for the reader of a FIFO, the error is an I/O error. Report the
        // cancellation instead.
        control.check()?;
        Err(error)
    })?;
    Ok(rows.len() as u32)
}

/// Writes the vectors of `rows` to `path`. `ids` has the path and the contents of the file of ids, if there is one.
fn write_both(
    index: &VectorIndex,
    rows: &[u32],
    path: &Path,
    ids: Option<(&Path, Vec<u8>)>,
    control: &Arc<Control>,
) -> Result<(), Error> {
    let stop = || -> Stop {
        let control = Arc::clone(control);
        Box::new(move || control.is_canceled())
    };
    let mut writer = NpyWriter::create(path, rows.len() as u64, index.dim(), stop())?;
    for rows in rows.chunks(ROWS_PER_CHECK) {
        control.check()?;
        for &ord in rows {
            writer.push(&index.vector(ord))?;
        }
        control.advance(rows.len() as u64);
    }
    let vectors = writer.complete()?;
    let Some((ids_path, ids)) = ids else { return Ok(vectors.rename()?) };
    let mut output = Output::create(ids_path, stop())?;
    output.write_all(&ids).map_err(storage::Error::io("write", ids_path))?;
    Ok(rename_both(output.complete()?, vectors)?)
}
