//! The tensors of a model: [`Checkpoint`].

use std::path::{Path, PathBuf};

use super::Error;
use crate::tensor_file::{TensorFile, TensorFileError};

/// An open file with the tensors of a model.
#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    file: TensorFile,
}

impl Checkpoint {
    /// Opens a safetensors file.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]; [`Error::Malformed`] if the header is invalid or does not match the length of the file.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = TensorFile::open(path).map_err(|error| failure(path, None, error))?;
        Ok(Self { path: path.to_path_buf(), file })
    }

    /// Whether the file has a tensor with this name.
    pub fn has(&self, name: &str) -> bool {
        self.file.shape(name).is_some()
    }

    /// Reads the tensor with this name, converted to `f32`.
    ///
    /// # Errors
    ///
    /// [`Error::Storage`]; [`Error::Malformed`] if there is no such tensor, or if it has another shape or values that
    /// are not finite; [`Error::Unsupported`] if its type is not one of f32, f16 and bf16.
    pub fn read(&mut self, name: &str, shape: &[usize]) -> Result<Vec<f32>, Error> {
        let malformed = |expected: String, got: String| {
            Error::malformed(&self.path, format!("tensor `{name}`: {expected}"), got)
        };
        match self.file.shape(name) {
            None => return Err(malformed(format!("a tensor of the shape {shape:?}"), "none".to_owned())),
            Some(got) if got != shape => {
                return Err(malformed(format!("the shape {shape:?}"), format!("{got:?}")));
            }
            Some(_) => {}
        }
        self.file.read(name).map_err(|error| failure(&self.path, Some(name), error))
    }
}

/// The error of a file, or of a tensor in it.
fn failure(path: &Path, name: Option<&str>, error: TensorFileError) -> Error {
    let part = name.map(|name| format!("tensor `{name}`")).unwrap_or_default();
    match error {
        TensorFileError::Io { operation, source } => storage::Error::io(operation, path)(source).into(),
        TensorFileError::Damaged(got) => Error::malformed(path, "a valid safetensors file", got),
        TensorFileError::Missing => Error::malformed(path, part, "none"),
        TensorFileError::NotFloats(got) => Error::Unsupported {
            path: path.to_path_buf(),
            part,
            expected: "numbers of the type F32, F16 or BF16".to_owned(),
            got,
        },
        TensorFileError::NotFinite { value, position } => Error::malformed(
            path,
            format!("{part}: finite numbers"),
            format!("{value} at position {position}"),
        ),
    }
}
