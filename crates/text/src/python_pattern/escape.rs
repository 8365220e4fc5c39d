use super::{Before, Translator, push_literal};
use crate::python_chars::{SPACE, WORD};

/// One escape, in or out of a class.
pub(super) enum Escape {
    Literal(char),
    /// Members of a class, and whether they are excluded.
    Class(&'static str, bool),
    Boundary(bool),
    Start,
    End,
    Group(usize),
}

impl Translator<'_> {
    /// After a backslash outside a class.
    pub(super) fn escape(&mut self) -> Result<Before, String> {
        let escape = self.escaped(false)?;
        let before = match escape {
            Escape::Literal(_) | Escape::Class(..) | Escape::Group(_) => Before::Item,
            Escape::Boundary(_) | Escape::Start | Escape::End => Before::Nothing,
        };
        match escape {
            Escape::Literal(c) => push_literal(c, &mut self.out),
            // Ignoring case would make the mark U+0345 a letter, as it folds to one.
            Escape::Class(WORD, excluded) => {
                self.out.push_str("(?-i:");
                push_class(WORD, excluded, &mut self.out);
                self.out.push(')');
            }
            Escape::Class(members, excluded) => push_class(members, excluded, &mut self.out),
            Escape::Boundary(_) if !self.boundaries => {}
            Escape::Boundary(wanted) => {
                self.backtracks = true;
                let (a, b) = if wanted { ("!", "=") } else { ("=", "!") };
                // Of a boundary's two neighbours exactly one is a word character.
                self.out.push_str(&format!("(?-i:(?<=[{WORD}])(?{a}[{WORD}])|(?<![{WORD}])(?{b}[{WORD}]))"));
            }
            Escape::Start => self.out.push_str(r"\A"),
            Escape::End => self.out.push_str(r"\z"),
            Escape::Group(number) => self.reference(number)?,
        }
        Ok(before)
    }

    /// After a backslash.
    pub(super) fn escaped(&mut self, in_class: bool) -> Result<Escape, String> {
        let c = self.rest.next().ok_or("bad escape (end of pattern)")?;
        Ok(match c {
            'd' => Escape::Class(r"\d", false),
            'D' => Escape::Class(r"\d", true),
            's' => Escape::Class(SPACE, false),
            'S' => Escape::Class(SPACE, true),
            'w' => Escape::Class(WORD, false),
            'W' => Escape::Class(WORD, true),
            'a' => Escape::Literal('\x07'),
            'f' => Escape::Literal('\x0c'),
            'n' => Escape::Literal('\n'),
            'r' => Escape::Literal('\r'),
            't' => Escape::Literal('\t'),
            'v' => Escape::Literal('\x0b'),
            'b' if in_class => Escape::Literal('\x08'),
            'b' => Escape::Boundary(true),
            'B' if !in_class => Escape::Boundary(false),
            'A' if !in_class => Escape::Start,
            'Z' if !in_class => Escape::End,
            'x' => Escape::Literal(self.hexadecimal(c, 2)?),
            'u' => Escape::Literal(self.hexadecimal(c, 4)?),
            'U' => Escape::Literal(self.hexadecimal(c, 8)?),
            '0'..='9' => self.number(c, in_class)?,
            _ if c.is_ascii_alphabetic() => return Err(format!(r"bad escape \{c}")),
            _ => Escape::Literal(c),
        })
    }

    fn hexadecimal(&mut self, kind: char, length: usize) -> Result<char, String> {
        let mut code = 0;
        for _ in 0..length {
            let digit = self.rest.next().and_then(|c| c.to_digit(16));
            code = code * 16 + digit.ok_or_else(|| format!(r"incomplete escape \{kind}"))?;
        }
        char::from_u32(code).ok_or_else(|| format!(r"bad escape \{kind}{code:0length$x}"))
    }

    /// `\0`, `\07` and `\141` are characters in octal, `\1` to `\99` are groups.
    fn number(&mut self, first: char, in_class: bool) -> Result<Escape, String> {
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

/// A class with these members, or with all others.
pub(super) fn push_class(members: &str, excluded: bool, out: &mut String) {
    out.push_str(if excluded { "[^" } else { "[" });
    out.push_str(members);
    out.push(']');
}
