//! Writes NumPy's `.npy` files (version 1.0 of the format, see `fixed/npy.rs`).

use std::io::Write;
use std::path::{Path, PathBuf};

use storage::{Output, Stop, Written};

use crate::Error;

/// Writes an `f32` array `[rows, dim]` in NumPy's format.
#[derive(Debug)]
pub struct NpyWriter {
    path: PathBuf,
    file: Output,
    /// Number of values that still have to be written.
    values_left: u64,
    dim: usize,
}

impl NpyWriter {
    /// Starts a file of `rows` vectors of length `dim`, which replaces `path` when it is [finished](Self::finish). If
    /// the writer is dropped before that, an existing file at `path` remains. A FIFO (named pipe) or a device is
    /// written to directly; waiting for a reader of a FIFO ends when `stop` returns true.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`] if the file cannot be created or written.
    pub fn create(path: &Path, rows: u64, dim: usize, stop: Stop) -> Result<Self, Error> {
        let mut file = Output::create(path, stop)?;
        let dictionary = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dim}), }}");
        // The magic bytes, the version and the header's length take 10 bytes. The values start at a multiple of 64
        // bytes.
        let length = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
        let header = format!("{dictionary:<0$}\n", length - 1);
        file.write_all(b"\x93NUMPY\x01\x00")
            .and_then(|()| file.write_all(&(length as u16).to_le_bytes()))
            .and_then(|()| file.write_all(header.as_bytes()))
            .map_err(storage::Error::io("write", path))?;
        Ok(Self { path: path.to_path_buf(), file, values_left: rows.saturating_mul(dim as u64), dim })
    }

    /// Appends n rows, `[n * dim]` in row-major order.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] if the values are not whole rows, or if the file would have more rows than were announced to
    /// [`create`](Self::create); [`Error::Storage`] if the values cannot be written.
    pub fn push(&mut self, vectors: &[f32]) -> Result<(), Error> {
        let values_left = self
            .values_left
            .checked_sub(vectors.len() as u64)
            .filter(|_| vectors.len().is_multiple_of(self.dim));
        self.values_left = values_left.ok_or_else(|| self.wrong_count(vectors.len()))?;
        let written = self.file.write_all(bytemuck::cast_slice(vectors));
        Ok(written.map_err(storage::Error::io("write", &self.path))?)
    }

    /// Completes the file and renames it to its target.
    ///
    /// # Errors
    ///
    /// [`Error::Option`] if rows are missing; [`Error::Storage`] if the file cannot be completed.
    pub fn finish(self) -> Result<(), Error> {
        Ok(self.complete()?.rename()?)
    }

    /// Completes the file without renaming it to its target.
    ///
    /// # Errors
    ///
    /// Same as [`finish`](Self::finish).
    pub fn complete(self) -> Result<Written, Error> {
        if self.values_left > 0 {
            return Err(self.wrong_count(0));
        }
        Ok(self.file.complete()?)
    }

    /// Returns the error for `got` values that are not whole rows, or are too many or too few.
    fn wrong_count(&self, got: usize) -> Error {
        Error::Option {
            name: "vectors",
            expected: format!("rows of {} numbers, {} more numbers in all", self.dim, self.values_left),
            got: format!("{got} numbers"),
        }
    }
}
