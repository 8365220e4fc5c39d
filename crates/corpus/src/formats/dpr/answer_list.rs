//! Parses the lists of answers in DPR's question files, which are Python lists as printed by `repr`, or JSON arrays.

use crate::error::quoted;

/// Parses the strings of a list literal, such as `['a', "b"]` or `["a"]`. Tuples are accepted, and numbers become text.
///
/// A valid JSON array of strings is parsed as JSON, everything else as a Python literal. As in Python, an unknown
/// escape such as `\d` keeps its backslash, so the regular expressions in CuratedTREC's answers stay as they are. For
/// an invalid literal, the error says what is wrong.
pub(crate) fn parse_answers(literal: &str) -> Result<Vec<String>, String> {
    if let Ok(answers) = serde_json::from_str(literal) {
        return Ok(answers);
    }
    let mut parser = Parser { rest: literal.trim() };
    let close = match parser.next() {
        Some('[') => ']',
        Some('(') => ')',
        _ => return Err("not a list".to_owned()),
    };
    let mut answers = Vec::new();
    loop {
        parser.skip_space();
        if parser.take(close) {
            break;
        }
        answers.push(parser.item(close)?);
        parser.skip_space();
        if !parser.take(',') && !parser.rest.starts_with(close) {
            return Err(format!("a list without ',' or '{close}' after item {}", answers.len()));
        }
    }
    if parser.rest.is_empty() { Ok(answers) } else { Err(format!("{} after the list", quoted(parser.rest))) }
}

/// A parser of Python literals.
struct Parser<'a> {
    /// The text that has not been consumed yet.
    rest: &'a str,
}

impl Parser<'_> {
    /// Consumes and returns the next character.
    fn next(&mut self) -> Option<char> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    /// Consumes the next character if it is the expected one. Returns whether it did.
    fn take(&mut self, expected: char) -> bool {
        let is_expected = self.rest.starts_with(expected);
        if is_expected {
            self.next();
        }
        is_expected
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Parses a string or a number. `close` is the bracket that closes the list.
    fn item(&mut self, close: char) -> Result<String, String> {
        let is_raw = self.string_prefix();
        match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => {
                self.next();
                self.string(quote, is_raw)
            }
            _ => {
                let end = self.rest.find([',', close]).unwrap_or(self.rest.len());
                let (number, rest) = self.rest.split_at(end);
                let number = number.trim_end();
                if number.parse::<f64>().is_err() {
                    return Err(format!("{} instead of a string", quoted(number)));
                }
                self.rest = rest;
                Ok(number.to_owned())
            }
        }
    }

    /// Consumes the prefix `r` or `u` of a string literal, if there is one. Returns whether the string is raw.
    fn string_prefix(&mut self) -> bool {
        let is_string = self.rest.chars().nth(1).is_some_and(|second| matches!(second, '\'' | '"'));
        match self.rest.chars().next() {
            Some(prefix @ ('r' | 'R' | 'u' | 'U')) if is_string => {
                self.next();
                matches!(prefix, 'r' | 'R')
            }
            _ => false,
        }
    }

    /// Parses the rest of a string, after its opening quote.
    fn string(&mut self, quote: char, is_raw: bool) -> Result<String, String> {
        let mut string = String::new();
        loop {
            match self.next() {
                None => return Err("a string without its closing quote".to_owned()),
                Some(end) if end == quote => return Ok(string),
                Some('\\') if is_raw => {
                    string.push('\\');
                    string.extend(self.next());
                }
                Some('\\') => self.escape(&mut string)?,
                Some(other) => string.push(other),
            }
        }
    }

    /// Parses the rest of an escape, after its backslash, and appends the character to `string`.
    fn escape(&mut self, string: &mut String) -> Result<(), String> {
        let Some(kind) = self.next() else { return Ok(()) };
        let code = match kind {
            '\n' => return Ok(()),
            '\\' | '\'' | '"' => kind as u32,
            'a' => 0x07,
            'b' => 0x08,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'v' => 0x0b,
            'x' => self.hexadecimal(2)?,
            'u' => self.utf16()?,
            'U' => self.hexadecimal(8)?,
            '0'..='7' => self.octal(kind),
            other => {
                string.push('\\');
                other as u32
            }
        };
        string.push(
            char::from_u32(code)
                .ok_or_else(|| format!("an escape for an invalid character (U+{code:04X})"))?,
        );
        Ok(())
    }

    /// Parses up to two octal digits after the first one. Returns the code point.
    fn octal(&mut self, first: char) -> u32 {
        let mut code = first.to_digit(8).expect("the caller saw an octal digit");
        for _ in 0..2 {
            match self.rest.chars().next().and_then(|digit| digit.to_digit(8)) {
                Some(digit) => code = code * 8 + digit,
                None => break,
            }
            self.next();
        }
        code
    }

    /// Parses four hexadecimal digits, and the next escape as well if the digits are the first half of a surrogate
    /// pair. Returns the code point.
    fn utf16(&mut self) -> Result<u32, String> {
        let high = self.hexadecimal(4)?;
        if (0xd800..0xdc00).contains(&high) && self.rest.starts_with("\\u") {
            self.rest = &self.rest[2..];
            let low = self.hexadecimal(4)?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            }
        }
        Ok(high)
    }

    /// Parses exactly `digits` hexadecimal digits. Returns their value.
    fn hexadecimal(&mut self, digits: usize) -> Result<u32, String> {
        let found = self.rest.chars().take(digits).take_while(char::is_ascii_hexdigit).count();
        if found < digits {
            return Err(format!("an escape with fewer than {digits} hexadecimal digits"));
        }
        let (code, rest) = self.rest.split_at(digits);
        self.rest = rest;
        u32::from_str_radix(code, 16).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks that a literal is parsed as the expected answers.
    #[track_caller]
    fn check(literal: &str, expected: &[&str]) {
        assert_eq!(
            parse_answers(literal).as_deref(),
            Ok(&expected.iter().map(|&s| s.to_owned()).collect::<Vec<_>>()[..])
        );
    }

    // Expected values: those of CPython's `ast.literal_eval`, with the number as text.
    #[test]
    fn python_lists_are_read_as_python_reads_them() {
        check(r#"['Denver Broncos']"#, &["Denver Broncos"]);
        check(r#"['Bobby', "Destiny 's Child", 'it\'s']"#, &["Bobby", "Destiny 's Child", "it's"]);
        check(r#" [ ] "#, &[]);
        check(r#"['a', ]"#, &["a"]);
        check(r#"('a',)"#, &["a"]);
        check(r"['\x41\u00e9\U0001F681\101\0\t\\s\d']", &["Aé🚁A\0\t\\s\\d"]);
        check(r"[r'20,?320\s*ft', u'é']", &[r"20,?320\s*ft", "é"]);
        check("[1972, 'x']", &["1972", "x"]);
    }

    #[test]
    fn json_arrays_are_parsed_with_the_escapes_of_json() {
        check(r#"["a\/b", "\ud83d\ude81", "20\\s?,"]"#, &["a/b", "🚁", r"20\s?,"]);
    }

    #[test]
    fn invalid_lists_are_refused_with_a_reason() {
        for (literal, reason) in [
            ("", "not a list"),
            ("Paris", "not a list"),
            ("['a' 'b']", "a list without ',' or ']' after item 1"),
            ("['a", "a string without its closing quote"),
            ("['a'", "a list without ',' or ']' after item 1"),
            ("['a'] x", "\" x\" after the list"),
            ("[None]", "\"None\" instead of a string"),
            (r"['\u12']", "an escape with fewer than 4 hexadecimal digits"),
            (r"['\ud83d']", "an escape for an invalid character (U+D83D)"),
        ] {
            assert_eq!(parse_answers(literal), Err(reason.to_owned()), "{literal}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_a_panic(text in "[\\['\"\\\\,uxU0-9\\]rü ]{0,20}") {
            let _ = parse_answers(&text);
            let _ = parse_answers(&format!("['{text}']"));
        }

        #[test]
        fn every_json_array_of_strings_is_read_back(answers in prop::collection::vec(any::<String>(), 0..4)) {
            let literal = serde_json::to_string(&answers).expect("strings");
            prop_assert_eq!(parse_answers(&literal), Ok(answers));
        }
    }
}
