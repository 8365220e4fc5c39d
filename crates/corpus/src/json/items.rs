use memchr::memchr_iter;
use serde::Deserialize;

use super::extent::{Extent, is_space};
use super::parse::parse_json;
use crate::Error;
use crate::input::{BufferedInput, document_too_long};

/// Where the items are in a JSON file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `[item, …]`
    Array,
    /// `{"key": item, …}`
    Values,
    /// `{…, "name": [item, …], …}`
    ArrayIn(&'static str),
}

/// The items of one large JSON value, read one by one: only the current one is in memory.
pub(crate) struct JsonItems {
    input: BufferedInput,
    shape: Shape,
    state: State,
    /// Number of the line on which the window starts.
    line: u64,
    key: Option<String>,
    /// Length of the current item, at the start of the window, and its line.
    length: usize,
    item_line: u64,
    /// If the current item is too long: how far it was scanned. The rest must still be skipped.
    overlong: Option<Extent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    First,
    Later,
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
            overlong: None,
        }
    }

    /// Moves to the next item; `false` after the last. What makes the items' input_options unclear is an
    /// [`Error::Format`], after which there is no next one. An item longer than the limit is an [`Error::Line`], and
    /// the next call moves to the item after it.
    pub fn advance(&mut self) -> Result<bool, Error> {
        let found = self.find_next();
        if !matches!(found, Ok(true) | Err(Error::Line { .. })) {
            self.state = State::Done;
        }
        found
    }

    /// The current item's text.
    pub fn value(&self) -> &[u8] {
        &self.input.data()[..self.length]
    }

    /// The current item's key.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The current item as a `T`.
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
            State::Later => match self.overlong.take() {
                Some(extent) => self.pass_over(extent)?,
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
                other => return Err(self.broken(format!("',' or '{}'", close as char), other)),
            }
        }
        self.state = State::Later;
        if self.shape == Shape::Values {
            self.key = Some(self.take_key()?);
        }
        self.peek()?;
        self.item_line = self.line;
        match self.measure()? {
            Ok(length) => self.length = length,
            Err(extent) => {
                self.overlong = Some(extent);
                let (expected, got) = document_too_long(self.input.limit());
                return Err(self.error(expected, got));
            }
        }
        Ok(true)
    }

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
                    self.pass_over(Extent::default())?;
                    if self.peek()? != Some(b'}') {
                        self.take(b',')?;
                    }
                }
            }
        }
    }

    fn finish(&mut self) -> Result<bool, Error> {
        self.consume(1);
        // Behind an array inside an object the rest of the object is of no interest.
        if !matches!(self.shape, Shape::ArrayIn(_))
            && let Some(next) = self.peek()?
        {
            return Err(self.broken("the end of the file".to_owned(), Some(next)));
        }
        Ok(false)
    }

    /// Skips white space; the byte behind it.
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

    fn take(&mut self, expected: u8) -> Result<(), Error> {
        match self.peek()? {
            Some(found) if found == expected => {
                self.consume(1);
                Ok(())
            }
            other => Err(self.broken(format!("'{}'", expected as char), other)),
        }
    }

    fn take_key(&mut self) -> Result<String, Error> {
        let next = self.peek()?;
        if next != Some(b'"') {
            return Err(self.broken("a key in double quotes".to_owned(), next));
        }
        let Ok(length) = self.measure()? else {
            let (expected, got) = document_too_long(self.input.limit());
            return Err(Error::format(self.input.path(), expected, format!("{got}, at line {}", self.line)));
        };
        let key = serde_json::from_slice(&self.input.data()[..length]);
        let key = key.map_err(|_| self.broken("a key".to_owned(), next))?;
        self.consume(length);
        self.take(b':')?;
        Ok(key)
    }

    /// Length of the value at the start of the window, or how far it was scanned if it is longer than the limit.
    fn measure(&mut self) -> Result<Result<usize, Extent>, Error> {
        let mut extent = Extent::default();
        let limit = self.input.limit();
        loop {
            if let Some(length) = extent.find(self.input.data()) {
                return Ok(if length > limit { Err(Extent::default()) } else { Ok(length) });
            }
            if extent.seen() > limit {
                return Ok(Err(extent));
            }
            if !self.input.fill()? {
                return Err(self.cut_off());
            }
        }
    }

    /// Skips a value that was scanned as far as `extent` says, without storing it.
    fn pass_over(&mut self, mut extent: Extent) -> Result<(), Error> {
        loop {
            if let Some(length) = extent.find(self.input.data()) {
                self.consume(length);
                return Ok(());
            }
            let length = self.input.data().len();
            self.consume(length);
            extent.drop_front(length);
            if !self.input.fill()? {
                return Err(self.cut_off());
            }
        }
    }

    fn cut_off(&self) -> Error {
        let line = self.item_line.max(self.line);
        let got = format!("the end of the file in the item at line {line}");
        Error::format(self.input.path(), "a whole JSON value", got)
    }

    fn consume(&mut self, count: usize) {
        self.line += memchr_iter(b'\n', &self.input.data()[..count]).count() as u64;
        self.input.consume(count);
    }

    fn broken(&self, expected: String, got: Option<u8>) -> Error {
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
    fn a_bad_item_is_named_by_its_line_and_an_unclear_end_by_what_is_missing() {
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
        fn it_agrees_with_a_parser_of_the_whole(values in prop::collection::vec(any::<Option<String>>(), 0..5)) {
            let text = serde_json::to_string_pretty(&values).expect("strings");
            let found = items_of(&text, Shape::Array).expect("sound");
            let found: Vec<_> = found.into_iter().map(|(_, value)| value).collect();
            prop_assert_eq!(serde_json::to_value(found).expect("a value"), serde_json::to_value(values).expect("a value"));
        }
    }
}
