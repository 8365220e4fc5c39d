use std::path::Path;

use serde::Deserialize;

use crate::Error;
use crate::input::Input;
use crate::json_items::{JsonItems, Shape};
use crate::limits::Bounds;
use crate::lines::Lines;

/// JSON objects, one to a line or in one array.
pub(crate) enum JsonRecords {
    Lines(Lines),
    Items(JsonItems),
}

impl JsonRecords {
    /// An array if the content begins as one, else lines.
    pub fn new(mut input: Input) -> Result<Self, Error> {
        let array = input.prefix(64 << 10)?.trim_ascii_start().starts_with(b"[");
        Ok(if array {
            Self::Items(JsonItems::new(input, Shape::Array))
        } else {
            Self::Lines(Lines::new(input))
        })
    }

    /// Opens a file in either form with the default limits.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::new(Input::open_within(path, &Bounds::default())?.0)
    }

    /// Moves to the next object; `false` at the end.
    pub fn advance(&mut self) -> Result<bool, Error> {
        match self {
            Self::Lines(lines) => lines.advance_to_text(),
            Self::Items(items) => items.advance(),
        }
    }

    /// The current object as a `T`.
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

/// The current line as a `T`.
pub(crate) fn parse_line<'a, T: Deserialize<'a>>(lines: &'a Lines, expected: &str) -> Result<T, Error> {
    parse_json(lines.current()).map_err(|(_, got)| lines.error(expected, got))
}

/// Parses JSON; else the line within it, from 1, and what is wrong there.
pub(crate) fn parse_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, (u64, String)> {
    serde_json::from_slice(json).map_err(|error| {
        let message = error.to_string();
        let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        ((error.line() as u64).max(1), format!("{what} at column {}", error.column()))
    })
}
