//! Parses one JSON value, with errors that contain the line and the column.

use serde::Deserialize;

use crate::Error;
use crate::input::Lines;

/// Where and why a JSON value could not be parsed.
pub(super) struct ParseError {
    /// Line number within the value, from 1.
    pub line: u64,
    /// The message of the parser, followed by the column.
    pub message: String,
}

/// Parses a JSON value.
pub(super) fn parse_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, ParseError> {
    serde_json::from_slice(json).map_err(|error| {
        let message = error.to_string();
        let reason = message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason);
        let message = format!("{reason} at column {}", error.column());
        ParseError { line: (error.line() as u64).max(1), message }
    })
}

/// Parses the current line. Fails with [`Error::Line`] if it is not valid JSON or not of type `T`; `expected` describes
/// the type.
pub(crate) fn parse_line<'a, T: Deserialize<'a>>(lines: &'a Lines, expected: &str) -> Result<T, Error> {
    parse_json(lines.current()).map_err(|error| lines.error(expected, error.message))
}
