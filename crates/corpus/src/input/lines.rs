//! Reads a file line by line.
//!
//! [`Lines`] returns each line as a slice of the input's buffer. A quoted field of a table may contain line breaks, so
//! the lines that follow can be joined to the current line.

use memchr::memchr;

use super::buffered_input::BufferedInput;
use super::limits::document_too_long;
use crate::Error;

/// The lines of an input with their numbers. [`advance`](Self::advance) moves to the next line; the other methods then
/// apply to this current line.
pub(crate) struct Lines {
    input: BufferedInput,
    /// Number of the current line, from 1. It is 0 before the first line.
    number: u64,
    current: Extent,
    /// Whether the current line exceeds the limit. The next call of `advance` then skips the rest of the line.
    is_too_long: bool,
}

/// The size of the current line: its bytes, including the line break, and the number of lines of the file that it
/// consists of.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    bytes: usize,
    lines: u64,
}

impl Lines {
    pub fn new(input: BufferedInput) -> Self {
        Self { input, number: 0, current: Extent { bytes: 0, lines: 1 }, is_too_long: false }
    }

    /// Advances to the next line. Returns `false` at the end of the file. Fails with [`Error::Line`] if the line
    /// exceeds the limit; the next call advances to the line after it.
    pub fn advance(&mut self) -> Result<bool, Error> {
        if std::mem::take(&mut self.is_too_long) {
            self.skip_rest()?;
        }
        self.input.consume(self.current.bytes);
        self.number += self.current.lines;
        self.current = Extent { bytes: 0, lines: 1 };
        let limit = self.input.limit();
        let Some(bytes) = self.line_end(0, limit)? else {
            self.is_too_long = true;
            let (expected, got) = document_too_long(limit);
            return Err(self.error(expected, got));
        };
        self.current.bytes = bytes;
        Ok(bytes > 0)
    }

    /// Skips the rest of a line that exceeds the limit, without storing it.
    fn skip_rest(&mut self) -> Result<(), Error> {
        loop {
            let data = self.input.data();
            let (length, found) = (data.len(), memchr(b'\n', data));
            self.input.consume(found.map_or(length, |at| at + 1));
            if found.is_some() || !self.input.fill()? {
                return Ok(());
            }
        }
    }

    /// Advances to the next line that has anything but white space. Returns `false` at the end of the file.
    pub fn advance_to_text(&mut self) -> Result<bool, Error> {
        while self.advance()? {
            if !self.current().trim_ascii().is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The current line without its line break (`\n` or `\r\n`).
    pub fn current(&self) -> &[u8] {
        let line = &self.input.data()[..self.current.bytes];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The current line as text. Fails with [`Error::Line`] if it is not UTF-8.
    pub fn text(&self) -> Result<&str, Error> {
        str::from_utf8(self.current()).map_err(|error| {
            let at = error.valid_up_to();
            self.error("UTF-8 text", format!("the byte 0x{:02x} at column {}", self.current()[at], at + 1))
        })
    }

    /// Number of the current line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Maximum number of bytes of one line.
    pub fn limit(&self) -> usize {
        self.input.limit()
    }

    pub fn path(&self) -> &std::path::Path {
        self.input.path()
    }

    /// Creates an [`Error::Line`] at the current line.
    pub fn error(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        Error::line(self.path(), self.number, expected, got)
    }

    /// The extent of the current line, for a later call of [`retract`](Self::retract).
    pub fn extent(&self) -> Extent {
        self.current
    }

    /// Joins the next line to the current line. Returns `false`, and joins nothing, if there is no next line or if both
    /// together exceed `limit` bytes or the limit of the input.
    pub fn extend(&mut self, limit: usize) -> Result<bool, Error> {
        if self.current.bytes > limit {
            return Ok(false);
        }
        let limit = limit.min(self.input.limit());
        match self.line_end(self.current.bytes, limit.saturating_sub(self.current.bytes))? {
            Some(end) if end > self.current.bytes && end <= limit => {
                self.current = Extent { bytes: end, lines: self.current.lines + 1 };
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Undoes all calls of [`extend`](Self::extend) since [`extent`](Self::extent) returned `extent`.
    pub fn retract(&mut self, extent: Extent) {
        self.current = extent;
    }

    /// Returns the offset after the line break (or after the last byte of the file) of the line that starts at byte
    /// `start` of the data, or `None` if the line is longer than `limit` without its line break.
    fn line_end(&mut self, start: usize, limit: usize) -> Result<Option<usize>, Error> {
        let mut searched = start;
        loop {
            let data = self.input.data();
            if let Some(at) = memchr(b'\n', &data[searched..]) {
                let end = searched + at;
                return Ok((end - start <= limit).then_some(end + 1));
            }
            searched = data.len();
            if searched - start > limit {
                return Ok(None);
            }
            if !self.input.fill()? {
                return Ok(Some(searched));
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the lines of a temporary file with this content. The file is removed when the second value is dropped.
    pub(crate) fn lines_of(content: &[u8]) -> (Lines, tempfile::NamedTempFile) {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        (Lines::new(BufferedInput::open(file.path()).expect("readable").0), file)
    }

    #[test]
    fn both_kinds_of_line_breaks_end_a_line_and_blank_lines_are_skipped() {
        let (mut lines, _file) = lines_of(b"\xef\xbb\xbfone\r\n\n \ntwo\r\rx\nthree");
        let mut found = Vec::new();
        while lines.advance_to_text().expect("readable") {
            found.push((lines.number(), lines.text().expect("UTF-8").to_owned()));
        }
        assert_eq!(found, [(1, "one".into()), (4, "two\r\rx".into()), (5, "three".into())]);
        assert!(!lines.advance().expect("readable"), "after the end, every call returns false");
    }

    #[test]
    fn invalid_utf8_is_reported_with_its_line_and_column() {
        let (mut lines, _file) = lines_of(b"fine\nab\xffc\n");
        lines.advance().and_then(|_| lines.advance()).expect("readable");
        let error = lines.text().expect_err("no UTF-8").to_string();
        assert!(error.ends_with(":2: expected UTF-8 text, got the byte 0xff at column 3"), "{error}");
    }

    #[test]
    fn lines_longer_than_the_buffer_are_complete() {
        let long = "x".repeat(700_000);
        let (mut lines, _file) = lines_of(format!("a\n{long}\nb").as_bytes());
        let mut lengths = Vec::new();
        while lines.advance().expect("readable") {
            lengths.push(lines.current().len());
        }
        assert_eq!(lengths, [1, 700_000, 1]);
    }
}
