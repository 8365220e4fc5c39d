//! The storage formats of vectors in a flat index: [`Storage`].

use serde_json::{Value, json};
use storage::File;

use crate::Error;

/// How a flat index stores its vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// Single precision: 4 bytes per number.
    #[default]
    F32,
    /// Half precision (IEEE 754 binary16): 2 bytes per number. Numbers are rounded to 11 significant bits when they are
    /// added; numbers beyond ±65,504 are rejected. The scores are exactly those of the rounded vectors stored as
    /// [`F32`](Self::F32).
    F16,
    /// Single precision, and an int8 copy, which takes one more byte per number and 12 more bytes per row. A search
    /// first reads the copy, and then scores in single precision only the vectors that the copy does not rule out. The
    /// error of each row's copy has a proven bound, so hits and scores equal those of [`F32`](Self::F32), bit for bit.
    /// Compared with `F32`, a search for one query or a few reads about a quarter of the memory, and on CPUs with
    /// dot-product instructions for bytes, a batch search does less arithmetic.
    Int8Rescored,
}

impl Storage {
    /// Returns the name: `f32`, `f16` or `int8Rescored`, as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Int8Rescored => "int8Rescored",
        }
    }

    /// Returns the storage with this name; `None` for any other name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::F32, Self::F16, Self::Int8Rescored].into_iter().find(|storage| storage.name() == name)
    }

    /// Adds the name of the storage to a file's metadata.
    pub(super) fn add_to_metadata(self, mut metadata: Value) -> Value {
        metadata["storage"] = json!(self.name());
        metadata
    }

    /// Reads the storage from a file's metadata.
    pub(super) fn of_file(file: &File) -> Result<Self, Error> {
        let got = &file.metadata()["storage"];
        let expected = "the storage f32, f16 or int8Rescored";
        let corrupt = || storage::Error::corrupt(file.path(), expected, got.to_string());
        Ok(got.as_str().and_then(Self::from_name).ok_or_else(corrupt)?)
    }
}
