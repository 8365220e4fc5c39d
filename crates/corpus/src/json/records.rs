//! [`JsonRecords`] reads the JSON objects of a file, one per line or in one array.

use std::path::Path;

use serde::Deserialize;

use super::items::{JsonItems, Shape};
use super::parse::parse_line;
use crate::Error;
use crate::input::{BufferedInput, InputOptions, Lines};

/// The JSON objects of a file. [`advance`](Self::advance) moves to the next object; the other methods then apply to
/// this current object.
pub(crate) enum JsonRecords {
    /// One object per line.
    Lines(Lines),
    /// The elements of an array.
    Items(JsonItems),
}

impl JsonRecords {
    /// Reads an array if the content begins with `[`, or else lines.
    pub fn new(mut input: BufferedInput) -> Result<Self, Error> {
        // White space may come before the bracket, up to 64 KiB.
        let is_array = input.prefix(64 << 10)?.trim_ascii_start().starts_with(b"[");
        Ok(if is_array {
            Self::Items(JsonItems::new(input, Shape::Array))
        } else {
            Self::Lines(Lines::new(input))
        })
    }

    /// Opens a file with the default limit.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::new(BufferedInput::open_with(path, &InputOptions::default())?.0)
    }

    /// Advances to the next object. Returns `false` after the last one.
    pub fn advance(&mut self) -> Result<bool, Error> {
        match self {
            Self::Lines(lines) => lines.advance_to_text(),
            Self::Items(items) => items.advance(),
        }
    }

    /// Parses the current object. Fails with [`Error::Line`] if it is not valid JSON or not of type `T`; `expected`
    /// describes the type.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self, expected: &str) -> Result<T, Error> {
        match self {
            Self::Lines(lines) => parse_line(lines, expected),
            Self::Items(items) => items.parse(expected),
        }
    }

    /// Creates an [`Error::Line`] at the current object.
    pub fn error(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        match self {
            Self::Lines(lines) => lines.error(expected, got),
            Self::Items(items) => items.error(expected, got),
        }
    }
}
