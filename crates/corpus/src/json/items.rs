//! [`JsonItems`] reads the items of a JSON array or object that may be larger than memory.

use memchr::memchr_iter;
use serde::Deserialize;

use super::parse::parse_json;
use super::value_scanner::{ValueScanner, is_space};
use crate::Error;
use crate::input::{BufferedInput, document_too_long};

/// Which values in a JSON file are the items to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The elements of the array that is the whole file: `[item, …]`.
    Array,
    /// The values of the object that is the whole file: `{"key": item, …}`.
    Values,
    /// The elements of one array in the object that is the whole file: `{…, "name": [item, …], …}`. The rest of the
    /// object is ignored.
    ArrayIn(&'static str),
}

/// Reads the items of a JSON file one by one, so that only the current item is in memory. [`advance`](Self::advance)
/// moves to the next item; the other methods then apply to this current item.
pub(crate) struct JsonItems {
    input: BufferedInput,
    shape: Shape,
    state: State,
    /// Line number of the first byte that has not been consumed, from 1.
    line: u64,
    /// The key of the current item, for [`Shape::Values`].
    key: Option<String>,
    /// Length of the current item in bytes. The item is at the start of the input's data.
    length: usize,
    /// Line number of the start of the current item, from 1.
    item_line: u64,
    /// If the current item exceeds the limit: a scanner that has scanned a part of the item. The next call of `advance`
    /// uses this scanner to skip the item.
    too_long: Option<ValueScanner>,
}

/// The position in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// At the start of the file.
    Start,
    /// After the opening bracket.
    BeforeFirst,
    /// At the current item, which has not been consumed.
    AtItem,
    /// After the last item, or after an error that ends reading.
    Ended,
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

    /// Advances to the next item. Returns `false` after the last one. Fails with [`Error::Line`] if the item exceeds
    /// the limit; the next call advances to the item after it. Fails with [`Error::Format`] if the JSON is invalid
    /// between the items; then no more items can be read.
    pub fn advance(&mut self) -> Result<bool, Error> {
        let found = self.find_next();
        if !matches!(found, Ok(true) | Err(Error::Line { .. })) {
            self.state = State::Ended;
        }
        found
    }

    /// The JSON of the current item.
    pub fn value(&self) -> &[u8] {
        &self.input.data()[..self.length]
    }

    /// The key of the current item, for [`Shape::Values`].
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// Parses the current item. Fails with [`Error::Line`] if it is not valid JSON or not of type `T`; `expected`
    /// describes the type.
    pub fn parse<'a, T: Deserialize<'a>>(&'a self, expected: &str) -> Result<T, Error> {
        parse_json(self.value()).map_err(|error| {
            let line = self.item_line + error.line - 1;
            Error::line(self.input.path(), line, expected, error.message)
        })
    }

    /// Creates an [`Error::Line`] at the current item.
    pub fn error(&self, expected: impl Into<String>, got: impl Into<String>) -> Error {
        Error::line(self.input.path(), self.item_line, expected, got)
    }

    /// Does the work of [`advance`](Self::advance), except that it does not end reading after an error.
    fn find_next(&mut self) -> Result<bool, Error> {
        let close = if self.shape == Shape::Values { b'}' } else { b']' };
        match self.state {
            State::Ended => return Ok(false),
            State::Start => self.open()?,
            State::BeforeFirst => {}
            State::AtItem => match self.too_long.take() {
                Some(scanner) => self.skip(scanner)?,
                None => self.consume(self.length),
            },
        }
        self.length = 0;
        let next = self.peek()?;
        if self.state != State::AtItem && next == Some(close) {
            return self.finish();
        }
        if self.state == State::AtItem {
            match next {
                Some(b',') => self.consume(1),
                Some(found) if found == close => return self.finish(),
                other => return Err(self.unexpected(format!("',' or '{}'", close as char), other)),
            }
        }
        self.state = State::AtItem;
        if self.shape == Shape::Values {
            self.key = Some(self.take_key()?);
        }
        self.peek()?;
        self.item_line = self.line;
        match self.find_end()? {
            Ok(length) => self.length = length,
            Err(scanner) => {
                self.too_long = Some(scanner);
                let (expected, got) = document_too_long(self.input.limit());
                return Err(self.error(expected, got));
            }
        }
        Ok(true)
    }

    /// Consumes everything up to and including the bracket that opens the array or object of items.
    fn open(&mut self) -> Result<(), Error> {
        self.state = State::BeforeFirst;
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
                    self.skip(ValueScanner::default())?;
                    if self.peek()? != Some(b'}') {
                        self.take(b',')?;
                    }
                }
            }
        }
    }

    /// Consumes the closing bracket. Returns `false`, the result of [`advance`](Self::advance) after the last item.
    fn finish(&mut self) -> Result<bool, Error> {
        self.consume(1);
        // After an array in an object, the rest of the object is ignored.
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
            let non_space = data.iter().position(|byte| !is_space(*byte));
            let length = data.len();
            if let Some(at) = non_space {
                self.consume(at);
                return Ok(Some(self.input.data()[0]));
            }
            self.consume(length);
            if !self.input.fill()? {
                return Ok(None);
            }
        }
    }

    /// Skips white space and consumes the next byte, which must be `expected`.
    fn take(&mut self, expected: u8) -> Result<(), Error> {
        match self.peek()? {
            Some(found) if found == expected => {
                self.consume(1);
                Ok(())
            }
            other => Err(self.unexpected(format!("'{}'", expected as char), other)),
        }
    }

    /// Consumes a key and its colon. Returns the key.
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

    /// Returns the length of the value at the start of the data. If the value exceeds the limit, returns a scanner
    /// instead, with which [`skip`](Self::skip) can skip the value.
    fn find_end(&mut self) -> Result<Result<usize, ValueScanner>, Error> {
        let mut scanner = ValueScanner::default();
        let limit = self.input.limit();
        loop {
            if let Some(length) = scanner.find_end(self.input.data()) {
                return Ok(if length > limit { Err(ValueScanner::default()) } else { Ok(length) });
            }
            if scanner.position() > limit {
                return Ok(Err(scanner));
            }
            if !self.input.fill()? {
                return Err(self.truncated());
            }
        }
    }

    /// Skips the value at the start of the data without storing it. `scanner` has scanned a part of the value, or
    /// nothing yet.
    fn skip(&mut self, mut scanner: ValueScanner) -> Result<(), Error> {
        loop {
            if let Some(length) = scanner.find_end(self.input.data()) {
                self.consume(length);
                return Ok(());
            }
            let length = self.input.data().len();
            self.consume(length);
            scanner.drop_front(length);
            if !self.input.fill()? {
                return Err(self.truncated());
            }
        }
    }

    /// Creates the error for a file that ends inside a value.
    fn truncated(&self) -> Error {
        let line = self.item_line.max(self.line);
        let got = format!("the end of the file in the item at line {line}");
        Error::format(self.input.path(), "a complete JSON value", got)
    }

    /// Consumes bytes and counts their line breaks.
    fn consume(&mut self, count: usize) {
        self.line += memchr_iter(b'\n', &self.input.data()[..count]).count() as u64;
        self.input.consume(count);
    }

    /// Creates the error for an unexpected byte, or for the end of the file.
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

    /// Returns the key and the value of each item of a file with this content.
    fn items_of(content: &str, shape: Shape) -> Result<Vec<(Option<String>, Value)>, Error> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), content).expect("writable");
        let mut items = JsonItems::new(BufferedInput::open(file.path())?.0, shape);
        let mut found = Vec::new();
        while items.advance()? {
            found.push((items.key().map(str::to_owned), items.parse("anything")?));
        }
        assert!(!items.advance()?, "after the end, every call returns false");
        Ok(found)
    }

    #[test]
    fn items_of_every_shape_are_read() -> Result<(), Error> {
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
    fn errors_say_what_was_expected_and_on_which_line() {
        let error = |content, shape| items_of(content, shape).expect_err("invalid").to_string();
        let message = error("[\n1,\n{\"a\":\n tru }]", Shape::Array);
        assert!(message.contains(":4: expected anything, got expected ident at column"), "{message}");
        assert!(error("[1, 2", Shape::Array).ends_with("got the end of the file in the item at line 1"));
        assert!(error("[1 ", Shape::Array).ends_with("expected ',' or ']', got the end of the file"));
        assert!(error("[1]\n2", Shape::Array).ends_with("expected the end of the file, got '2' at line 2"));
        assert!(error("{}", Shape::Array).ends_with("expected '[', got '{' at line 1"));
        assert!(error("{}", Shape::ArrayIn("data")).ends_with("an object with an array \"data\", got none"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic_or_an_endless_loop(text in "[\\[\\]{}\",:1 a\\\\\n]{0,24}") {
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
        fn the_items_equal_those_of_a_parser_that_reads_the_whole_file(values in prop::collection::vec(any::<Option<String>>(), 0..5)) {
            let text = serde_json::to_string_pretty(&values).expect("strings");
            let found = items_of(&text, Shape::Array).expect("valid");
            let found: Vec<_> = found.into_iter().map(|(_, value)| value).collect();
            prop_assert_eq!(serde_json::to_value(found).expect("a value"), serde_json::to_value(values).expect("a value"));
        }
    }
}
