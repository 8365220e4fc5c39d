use std::path::Path;

use crate::Error;
use crate::error::shown;

/// A refused write to something of which no path is known.
pub(super) fn failed(source: std::io::Error) -> Error {
    Error::io("write", Path::new("-"))(source)
}

/// Refuses what would not be read back as one column.
pub(super) fn column<'a>(what: &'static str, value: &'a str) -> Result<&'a str, Error> {
    let bad = |c: char| c.is_whitespace() || c.is_control();
    if value.is_empty() || value.contains(bad) {
        let expected = "one or more characters, none of them white space or control";
        return Err(Error::argument(what, expected, shown(value)));
    }
    Ok(value)
}

/// Refuses a query id whose line would be read as a comment, or that begins as a byte order mark does.
pub(super) fn query_column(value: &str) -> Result<&str, Error> {
    if value == "#" || value.starts_with('\u{feff}') {
        return Err(Error::argument("query id", "an id that does not begin a comment", shown(value)));
    }
    column("query id", value)
}

/// Whether a line is a comment: a `#` alone or before white space, as trec_eval's own test files have them.
pub(super) fn is_comment(line: &str) -> bool {
    let rest = line.strip_prefix('#');
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()))
}
