//! JSON objects, one per line or in one array.

use std::path::Path;

use serde::Deserialize;

use super::items::{JsonItems, Shape};
use super::parse::parse_line;
use crate::Error;
use crate::input::{BufferedInput, InputOptions, Lines};

/// Reads JSON objects that are one per line or in one array.
pub(crate) enum JsonRecords {
    Lines(Lines),
    Items(JsonItems),
}

impl JsonRecords {
    /// Reads an array if the content begins with a bracket, else lines.
    pub fn new(mut input: BufferedInput) -> Result<Self, Error> {
        let array = input.prefix(64 << 10)?.trim_ascii_start().starts_with(b"[");
        Ok(if array {
            Self::Items(JsonItems::new(input, Shape::Array))
        } else {
            Self::Lines(Lines::new(input))
        })
    }

    /// Opens a file with the default limits.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::new(BufferedInput::open_within(path, &InputOptions::default())?.0)
    }

    /// Advances to the next object. Returns `false` at the end.
    pub fn advance(&mut self) -> Result<bool, Error> {
        match self {
            Self::Lines(lines) => lines.advance_to_text(),
            Self::Items(items) => items.advance(),
        }
    }

    /// Parses the current object.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self, expected: &str) -> Result<T, Error> {
        match self {
            Self::Lines(lines) => parse_line(lines, expected),
            Self::Items(items) => items.parse(expected),
        }
    }

    /// An error at the current object.
    pub fn error(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        match self {
            Self::Lines(lines) => lines.error(expected, got),
            Self::Items(items) => items.error(expected, got),
        }
    }
}
