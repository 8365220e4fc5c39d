use serde_json::{Value, json};
use storage::File;

use crate::Error;

/// How a flat index keeps its vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Storage {
    /// Single precision: 4 bytes a number.
    #[default]
    F32,
    /// Half precision (IEEE 754 binary16): 2 bytes a number. Numbers are rounded when they are added, to the nearest
    /// of 11 bits; those beyond 65,504 are refused. Scores are exactly those of an index of the rounded vectors in
    /// [`F32`](Self::F32).
    F16,
    /// Single precision, and beside it a code of 8 bits for each number with 12 bytes a row. A search reads the codes
    /// and scores only the rows that they do not rule out; a bound on their error, proved for each row, makes hits and
    /// scores those of [`F32`](Self::F32), bit for bit. For one query at a time, or few, it reads about a quarter of the
    /// memory; for many it computes less, on CPUs that multiply bytes.
    Int8Filtered,
}

impl Storage {
    /// `f32`, `f16` or `int8Filtered`, as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Int8Filtered => "int8Filtered",
        }
    }

    /// The storage of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::F32, Self::F16, Self::Int8Filtered].into_iter().find(|storage| storage.name() == name)
    }

    /// A file's metadata with its name.
    pub(super) fn in_table(self, mut table: Value) -> Value {
        table["storage"] = json!(self.name());
        table
    }

    /// The storage that a file's metadata names.
    pub(super) fn of_file(file: &File) -> Result<Self, Error> {
        let got = &file.metadata()["storage"];
        let expected = "the storage f32, f16 or int8Filtered";
        let corrupt = || storage::Error::corrupt(file.path(), expected, got.to_string());
        Ok(got.as_str().and_then(Self::from_name).ok_or_else(corrupt)?)
    }
}
