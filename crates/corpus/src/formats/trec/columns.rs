//! Checks the columns of TREC files, which are separated by white space.

use std::path::Path;

use crate::Error;
use crate::error::quoted;

/// Converts the error of a write to a destination without a path, which error messages call `-`.
pub(super) fn write_error(source: std::io::Error) -> Error {
    Error::io("write", Path::new("-"))(source)
}

/// Returns the value, or fails if it would not be read back as one column.
pub(super) fn column<'a>(what: &'static str, value: &'a str) -> Result<&'a str, Error> {
    let is_invalid = |c: char| c.is_whitespace() || c.is_control();
    if value.is_empty() || value.contains(is_invalid) {
        let expected = "one or more characters, none of them white space or control";
        return Err(Error::argument(what, expected, quoted(value)));
    }
    Ok(value)
}

/// Returns the query id, or fails if it would not be read back. In addition to the rules of [`column`], a line that
/// begins with the id must not look like a comment, and the id must not begin with a byte order mark.
pub(super) fn query_column(value: &str) -> Result<&str, Error> {
    if value == "#" || value.starts_with('\u{feff}') {
        return Err(Error::argument("query id", "an id that does not begin a comment", quoted(value)));
    }
    column("query id", value)
}

/// Whether a line is a comment: `#`, alone or followed by white space, as in the test files of trec_eval.
pub(super) fn is_comment(line: &str) -> bool {
    let rest = line.strip_prefix('#');
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()))
}
