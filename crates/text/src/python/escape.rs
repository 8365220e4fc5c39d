//! Translates escapes of Python's regular expressions, such as `\w` and `\x41`.

use super::characters::{SPACE, WORD};
use super::translate::{Before, Translator, push_literal};

/// A parsed escape, inside or outside a character class.
pub(super) enum Escape {
    Literal(char),
    /// A class with these members or, if negated, with all other characters.
    Class {
        members: &'static str,
        is_negated: bool,
    },
    /// `\b`, or `\B` if negated.
    WordBoundary {
        is_negated: bool,
    },
    /// `\A`.
    TextStart,
    /// `\Z`.
    TextEnd,
    /// A back-reference to the group with this number, from 1.
    Group(usize),
}

impl Translator<'_> {
    /// Translates an escape outside a class. Its backslash has been read.
    pub(super) fn translate_escape(&mut self) -> Result<Before, String> {
        let escape = self.parse_escape(false)?;
        let before = match escape {
            Escape::Literal(_) | Escape::Class { .. } | Escape::Group(_) => Before::Item,
            Escape::WordBoundary { .. } | Escape::TextStart | Escape::TextEnd => Before::Nothing,
        };
        match escape {
            Escape::Literal(c) => push_literal(c, &mut self.out),
            // If case were ignored, the mark U+0345 would match, because it folds to a letter (ι).
            Escape::Class { members: WORD, is_negated } => {
                self.out.push_str("(?-i:");
                push_class(WORD, is_negated, &mut self.out);
                self.out.push(')');
            }
            Escape::Class { members, is_negated } => push_class(members, is_negated, &mut self.out),
            Escape::WordBoundary { .. } if !self.keeps_boundaries => {}
            Escape::WordBoundary { is_negated } => {
                self.needs_backtracking = true;
                let (a, b) = if is_negated { ("=", "!") } else { ("!", "=") };
                // Exactly one of the characters beside `\b` is a word character; beside `\B`, both or neither.
                self.out.push_str(&format!("(?-i:(?<=[{WORD}])(?{a}[{WORD}])|(?<![{WORD}])(?{b}[{WORD}]))"));
            }
            Escape::TextStart => self.out.push_str(r"\A"),
            Escape::TextEnd => self.out.push_str(r"\z"),
            Escape::Group(number) => self.push_reference(number)?,
        }
        Ok(before)
    }

    /// Parses an escape. Its backslash has been read.
    pub(super) fn parse_escape(&mut self, in_class: bool) -> Result<Escape, String> {
        let c = self.rest.next().ok_or("bad escape (end of pattern)")?;
        Ok(match c {
            'd' => Escape::Class { members: r"\d", is_negated: false },
            'D' => Escape::Class { members: r"\d", is_negated: true },
            's' => Escape::Class { members: SPACE, is_negated: false },
            'S' => Escape::Class { members: SPACE, is_negated: true },
            'w' => Escape::Class { members: WORD, is_negated: false },
            'W' => Escape::Class { members: WORD, is_negated: true },
            'a' => Escape::Literal('\x07'),
            'f' => Escape::Literal('\x0c'),
            'n' => Escape::Literal('\n'),
            'r' => Escape::Literal('\r'),
            't' => Escape::Literal('\t'),
            'v' => Escape::Literal('\x0b'),
            'b' if in_class => Escape::Literal('\x08'),
            'b' => Escape::WordBoundary { is_negated: false },
            'B' if !in_class => Escape::WordBoundary { is_negated: true },
            'A' if !in_class => Escape::TextStart,
            'Z' if !in_class => Escape::TextEnd,
            'x' => Escape::Literal(self.parse_hexadecimal(c, 2)?),
            'u' => Escape::Literal(self.parse_hexadecimal(c, 4)?),
            'U' => Escape::Literal(self.parse_hexadecimal(c, 8)?),
            '0'..='9' => self.parse_number(c, in_class)?,
            _ if c.is_ascii_alphabetic() => return Err(format!(r"bad escape \{c}")),
            _ => Escape::Literal(c),
        })
    }

    /// Parses the `length` hexadecimal digits after `\x`, `\u` or `\U`. `kind` is this letter, for error messages.
    fn parse_hexadecimal(&mut self, kind: char, length: usize) -> Result<char, String> {
        let mut code = 0;
        for _ in 0..length {
            let digit = self.rest.next().and_then(|c| c.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| format!(r"incomplete escape \{kind}"))?;
        }
        char::from_u32(code).ok_or_else(|| format!(r"bad escape \{kind}{code:0length$x}"))
    }

    /// Parses a number: `\0`, `\07` and `\141` are octal codes of characters, and `\1` to `\99` refer to groups. In a
    /// class, all numbers are octal codes.
    fn parse_number(&mut self, first: char, in_class: bool) -> Result<Escape, String> {
        let mut digits = String::from(first);
        let octal = |c: &char| matches!(c, '0'..='7');
        if first == '0' || in_class {
            while digits.len() < 3
                && let Some(digit) = self.rest.next_if(octal)
            {
                digits.push(digit);
            }
        } else if let Some(second) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(second);
            if octal(&first) && octal(&second) {
                digits.extend(self.rest.next_if(octal));
            }
            if digits.len() < 3 {
                return Ok(Escape::Group(digits.parse().expect("two digits are a number")));
            }
        } else {
            return Ok(Escape::Group(digits.parse().expect("one digit is a number")));
        }
        let code = u32::from_str_radix(&digits, 8).map_err(|_| format!(r"bad escape \{digits}"))?;
        match char::from_u32(code) {
            Some(c) if code <= 0o377 => Ok(Escape::Literal(c)),
            _ => Err(format!(r"octal escape value \{digits} outside of range 0-0o377")),
        }
    }
}

/// Appends a class with these members or, if negated, with all other characters.
pub(super) fn push_class(members: &str, is_negated: bool, out: &mut String) {
    out.push_str(if is_negated { "[^" } else { "[" });
    out.push_str(members);
    out.push(']');
}
