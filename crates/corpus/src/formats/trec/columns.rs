//! Checks the columns of TREC files, which are separated by white space.

use std::path::Path;

use crate::Error;
use crate::error::quoted;

/// Converts an I/O error from writing. The path of the destination is not known here, so error messages call it `-`.
pub(super) fn write_error(source: std::io::Error) -> Error {
    Error::io("write", Path::new("-"))(source)
}

/// Returns the value, or fails if it is empty or has white space or control characters: some programs would not read
/// such a value back as one column. `what` names the value in the error.
pub(super) fn column<'a>(what: &'static str, value: &'a str) -> Result<&'a str, Error> {
    let is_invalid = |c: char| c.is_whitespace() || c.is_control();
    if value.is_empty() || value.contains(is_invalid) {
        let expected = "one or more characters, none of them white space or control";
        return Err(Error::argument(what, expected, quoted(value)));
    }
    Ok(value)
}

/// Returns the query id, or fails if it would not be read back. In addition to the rules of [`column`], a line that
/// begins with the id must not look like a comment, and the id must not begin with a byte order mark, which readers
/// remove.
pub(super) fn query_column(value: &str) -> Result<&str, Error> {
    if value == "#" || value.starts_with('\u{feff}') {
        let expected = "an id that is not \"#\" and does not begin with a byte order mark";
        return Err(Error::argument("query id", expected, quoted(value)));
    }
    column("query id", value)
}

/// Whether a line is a comment: `#`, alone or followed by white space, as in the test files of trec_eval.
pub(super) fn is_comment(line: &str) -> bool {
    let rest = line.strip_prefix('#');
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()))
}
