//! Items of JSON values that may be larger than memory.

use memchr::memchr_iter;
use serde::Deserialize;

use super::extent::{Extent, is_space};
use super::parse::parse_json;
use crate::Error;
use crate::input::{BufferedInput, document_too_long};

/// Where the items of a JSON file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `[item, …]`
    Array,
    /// `{"key": item, …}`
    Values,
    /// `{…, "name": [item, …], …}`
    ArrayIn(&'static str),
}

/// Reads the items of one large JSON value one by one, so that only the current item is in memory.
pub(crate) struct JsonItems {
    input: BufferedInput,
    shape: Shape,
    state: State,
    /// Number of the line on which the data begins.
    line: u64,
    key: Option<String>,
    /// Length of the current item, which is at the start of the data.
    length: usize,
    /// Number of the line on which the current item begins.
    item_line: u64,
    /// If the current item exceeds the limit: how far it was scanned. The rest must still be skipped.
    too_long: Option<Extent>,
}

/// How far the file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the start of the file.
    Start,
    /// Before the first item.
    First,
    /// At an item or after it.
    Later,
    /// After the last item or an error.
    Done,
}

impl JsonItems {
    pub fn new(input: BufferedInput, shape: Shape) -> Self {
        Self {
            input,
            shape,
            state: State::Start,
            line: 1,
            key: None,
            length: 0,
            item_line: 0,
            too_long: None,
        }
    }

    /// Advances to the next item. Returns `false` after the last one. An error that hides the bounds of items is an
    /// [`Error::Format`] and ends the iteration. An item beyond the limit is an [`Error::Line`], and the next call advances
    /// to the item after it.
    pub fn advance(&mut self) -> Result<bool, Error> {
        let found = self.find_next();
        if !matches!(found, Ok(true) | Err(Error::Line { .. })) {
            self.state = State::Done;
        }
        found
    }

    /// The JSON of the current item.
    pub fn value(&self) -> &[u8] {
        &self.input.data()[..self.length]
    }

    /// The key of the current item.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Parses the current item.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self, expected: &str) -> Result<T, Error> {
        parse_json(self.value()).map_err(|error| {
            let line = self.item_line + error.line - 1;
            Error::line(self.input.path(), line, expected, error.message)
        })
    }

    /// An error at the current item.
    pub fn error(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        Error::line(self.input.path(), self.item_line, expected, got)
    }

    fn find_next(&mut self) -> Result<bool, Error> {
        let close = if self.shape == Shape::Values { b'}' } else { b']' };
        match self.state {
            State::Done => return Ok(false),
            State::Start => self.open()?,
            State::First => {}
            State::Later => match self.too_long.take() {
                Some(extent) => self.skip(extent)?,
                None => self.consume(self.length),
            },
        }
        self.length = 0;
        let next = self.peek()?;
        if self.state != State::Later && next == Some(close) {
            return self.finish();
        }
        if self.state == State::Later {
            match next {
                Some(b',') => self.consume(1),
                Some(found) if found == close => return self.finish(),
                other => return Err(self.unexpected(format!("',' or '{}'", close as char), other)),
            }
        }
        self.state = State::Later;
        if self.shape == Shape::Values {
            self.key = Some(self.take_key()?);
        }
        self.peek()?;
        self.item_line = self.line;
        match self.find_end()? {
            Ok(length) => self.length = length,
            Err(extent) => {
                self.too_long = Some(extent);
                let (expected, got) = document_too_long(self.input.limit());
                return Err(self.error(expected, got));
            }
        }
        Ok(true)
    }

    /// Advances to the first item.
    fn open(&mut self) -> Result<(), Error> {
        self.state = State::First;
        match self.shape {
            Shape::Array => self.take(b'['),
            Shape::Values => self.take(b'{'),
            Shape::ArrayIn(name) => {
                self.take(b'{')?;
                loop {
                    if self.peek()? == Some(b'}') {
                        let expected = format!("an object with an array \"{name}\"");
                        return Err(Error::format(self.input.path(), expected, "none"));
                    }
                    let found = self.take_key()?;
                    self.peek()?;
                    if found == name {
                        return self.take(b'[');
                    }
                    self.skip(Extent::default())?;
                    if self.peek()? != Some(b'}') {
                        self.take(b',')?;
                    }
                }
            }
        }
    }

    /// Consumes the closing bracket. Returns `false`, for [`advance`](Self::advance).
    fn finish(&mut self) -> Result<bool, Error> {
        self.consume(1);
        // The rest of an object after its array is ignored.
        if !matches!(self.shape, Shape::ArrayIn(_))
            && let Some(next) = self.peek()?
        {
            return Err(self.unexpected("the end of the file".to_owned(), Some(next)));
        }
        Ok(false)
    }

    /// Skips white space and returns the next byte without consuming it.
    fn peek(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let data = self.input.data();
            let space = data.iter().position(|byte| !is_space(*byte));
            let length = data.len();
            if let Some(at) = space {
                self.consume(at);
                return Ok(Some(self.input.data()[0]));
            }
            self.consume(length);
            if !self.input.fill()? {
                return Ok(None);
            }
        }
    }

    /// Consumes an expected byte.
    fn take(&mut self, expected: u8) -> Result<(), Error> {
        match self.peek()? {
            Some(found) if found == expected => {
                self.consume(1);
                Ok(())
            }
            other => Err(self.unexpected(format!("'{}'", expected as char), other)),
        }
    }

    /// Consumes a key and its colon.
    fn take_key(&mut self) -> Result<String, Error> {
        let next = self.peek()?;
        if next != Some(b'"') {
            return Err(self.unexpected("a key in double quotes".to_owned(), next));
        }
        let Ok(length) = self.find_end()? else {
            let (expected, got) = document_too_long(self.input.limit());
            return Err(Error::format(self.input.path(), expected, format!("{got}, at line {}", self.line)));
        };
        let key = serde_json::from_slice(&self.input.data()[..length]);
        let key = key.map_err(|_| self.unexpected("a key".to_owned(), next))?;
        self.consume(length);
        self.take(b':')?;
        Ok(key)
    }

    /// Returns the length of the value at the start of the data, or how far it was scanned if it exceeds the limit.
    fn find_end(&mut self) -> Result<Result<usize, Extent>, Error> {
        let mut extent = Extent::default();
        let limit = self.input.limit();
        loop {
            if let Some(length) = extent.find(self.input.data()) {
                return Ok(if length > limit { Err(Extent::default()) } else { Ok(length) });
            }
            if extent.scanned() > limit {
                return Ok(Err(extent));
            }
            if !self.input.fill()? {
                return Err(self.truncated());
            }
        }
    }

    /// Skips a value that was scanned as far as `extent` says, without storing it.
    fn skip(&mut self, mut extent: Extent) -> Result<(), Error> {
        loop {
            if let Some(length) = extent.find(self.input.data()) {
                self.consume(length);
                return Ok(());
            }
            let length = self.input.data().len();
            self.consume(length);
            extent.drop_front(length);
            if !self.input.fill()? {
                return Err(self.truncated());
            }
        }
    }

    fn truncated(&self) -> Error {
        let line = self.item_line.max(self.line);
        let got = format!("the end of the file in the item at line {line}");
        Error::format(self.input.path(), "a whole JSON value", got)
    }

    /// Consumes bytes and counts their lines.
    fn consume(&mut self, count: usize) {
        self.line += memchr_iter(b'\n', &self.input.data()[..count]).count() as u64;
        self.input.consume(count);
    }

    fn unexpected(&self, expected: String, got: Option<u8>) -> Error {
        let got = match got {
            None => "the end of the file".to_owned(),
            Some(byte) => format!("'{}' at line {}", byte.escape_ascii(), self.line),
        };
        Error::format(self.input.path(), expected, got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn items_of(content: &str, shape: Shape) -> Result<Vec<(Option<String>, Value)>, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        let mut items = JsonItems::new(BufferedInput::open(file.path())?.0, shape);
        let mut found = Vec::new();
        while items.advance()? {
            found.push((items.key().map(str::to_owned), items.parse("anything")?));
        }
        assert!(!items.advance()?, "the end stays the end");
        Ok(found)
    }

    #[test]
    fn items_are_found_in_each_shape() -> Result<(), Error> {
        let array = items_of(r#" [1, "]\"", {"a": [2, "}"]} ,null ] "#, Shape::Array)?;
        let values: Vec<_> = array.into_iter().map(|(_, value)| value).collect();
        assert_eq!(Value::from(values), serde_json::json!([1, "]\"", {"a": [2, "}"]}, null]));
        let values = items_of(r#"{"a": 1, "b\n": []}"#, Shape::Values)?;
        assert_eq!(values, [(Some("a".into()), 1.into()), (Some("b\n".into()), serde_json::json!([]))]);
        let inside = items_of(r#"{"version": {"data": 3}, "data": [7], "x": …"#, Shape::ArrayIn("data"))?;
        assert_eq!(inside, [(None, 7.into())]);
        Ok(())
    }

    #[test]
    fn a_bad_item_is_reported_with_its_line_and_a_missing_end_with_what_was_expected() {
        let error = |content, shape| items_of(content, shape).expect_err("unsound").to_string();
        let bad = error("[\n1,\n{\"a\":\n tru }]", Shape::Array);
        assert!(bad.contains(":4: expected anything, got expected ident at column"), "{bad}");
        assert!(error("[1, 2", Shape::Array).ends_with("got the end of the file in the item at line 1"));
        assert!(error("[1 ", Shape::Array).ends_with("expected ',' or ']', got the end of the file"));
        assert!(error("[1]\n2", Shape::Array).ends_with("expected the end of the file, got '2' at line 2"));
        assert!(error("{}", Shape::Array).ends_with("expected '[', got '{' at line 1"));
        assert!(error("{}", Shape::ArrayIn("data")).ends_with("an object with an array \"data\", got none"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_or_hang(text in "[\\[\\]{}\",:1 a\\\\\n]{0,24}") {
            for shape in [Shape::Array, Shape::Values, Shape::ArrayIn("a")] {
                let file = tempfile::NamedTempFile::new().expect("a file");
                std::fs::write(file.path(), &text).expect("writable");
                let mut items = JsonItems::new(BufferedInput::open(file.path()).expect("readable").0, shape);
                while let Ok(true) = items.advance() {
                    let _ = items.parse::<Value>("anything");
                }
            }
        }

        #[test]
        fn it_agrees_with_a_parser_of_the_whole_file(values in prop::collection::vec(any::<Option<String>>(), 0..5)) {
            let text = serde_json::to_string_pretty(&values).expect("strings");
            let found = items_of(&text, Shape::Array).expect("sound");
            let found: Vec<_> = found.into_iter().map(|(_, value)| value).collect();
            prop_assert_eq!(serde_json::to_value(found).expect("a value"), serde_json::to_value(values).expect("a value"));
        }
    }
}
