//! The entries of a configuration, with errors that name the entry: [`Entries`].

use std::path::Path;

use serde_json::{Map, Value};

use super::Error;

/// Maximum number of characters of a value in an error message.
const MAX_CHARACTERS: usize = 80;

/// The entries of the configuration in the file `path`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entries<'a> {
    /// The entries.
    pub values: &'a Map<String, Value>,
    /// The file.
    pub path: &'a Path,
}

impl Entries<'_> {
    /// A size, or a default if there is one and the entry is missing.
    pub fn size_or(&self, key: &str, default: Option<usize>) -> Result<usize, Error> {
        match (self.values.get(key), default) {
            (None | Some(Value::Null), Some(default)) => Ok(default),
            (value, _) => value
                .and_then(Value::as_u64)
                .and_then(|size| usize::try_from(size).ok())
                .ok_or_else(|| self.malformed(key, "a size")),
        }
    }

    /// Checks that an entry is missing or has this value.
    pub fn require(&self, key: &str, expected: &str) -> Result<(), Error> {
        match self.values.get(key) {
            None | Some(Value::Null) => Ok(()),
            Some(Value::String(value)) if value == expected => Ok(()),
            Some(_) => Err(self.unsupported(key, format!("\"{expected}\""))),
        }
    }

    /// The error for an entry with an invalid value.
    pub fn malformed(&self, key: &str, expected: impl Into<String>) -> Error {
        Error::malformed(self.path, format!("`{key}`: {}", expected.into()), self.describe(key))
    }

    /// The error for an entry with a value that this crate does not support.
    pub fn unsupported(&self, key: &str, expected: impl Into<String>) -> Error {
        Error::Unsupported {
            path: self.path.to_path_buf(),
            part: format!("`{key}`"),
            expected: expected.into(),
            got: self.describe(key),
        }
    }

    /// The first characters of a value.
    fn describe(&self, key: &str) -> String {
        let value = self.values.get(key).map(Value::to_string);
        value.map_or("none".to_owned(), |value| value.chars().take(MAX_CHARACTERS).collect())
    }
}
