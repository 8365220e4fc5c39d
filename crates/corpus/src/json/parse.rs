//! Parses one JSON value and says where and why that fails.

use serde::Deserialize;

use crate::Error;
use crate::input::Lines;

/// Where and why a JSON value could not be parsed.
pub(super) struct ParseError {
    /// Line within the value, from 1.
    pub line: u64,
    /// The parser's message, with the column.
    pub message: String,
}

/// Parses a JSON value.
pub(super) fn parse_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, ParseError> {
    serde_json::from_slice(json).map_err(|error| {
        let message = error.to_string();
        let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
        let message = format!("{what} at column {}", error.column());
        ParseError { line: (error.line() as u64).max(1), message }
    })
}

/// Parses the current line.
pub(crate) fn parse_line<'a, T: Deserialize<'a>>(lines: &'a Lines, expected: &str) -> Result<T, Error> {
    parse_json(lines.current()).map_err(|error| lines.error(expected, error.message))
}
