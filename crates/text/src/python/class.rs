//! Translates character classes of Python's regular expressions, such as `[a-z\s]`.

use super::escape::{Escape, push_class};
use super::translate::{Before, I_VARIANTS, Translator, push_escaped};

impl Translator<'_> {
    /// Translates a character class. Its `[` has been read.
    pub(super) fn translate_class(&mut self) -> Result<Before, String> {
        const UNTERMINATED: &str = "unterminated character set";
        self.out.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            let c = self.rest.next().ok_or(UNTERMINATED)?;
            if c == ']' && !first {
                break;
            }
            first = false;
            let low = self.parse_member(c)?;
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
            if !is_range {
                match low {
                    Escape::Class { members, is_negated } => push_class(members, is_negated, &mut self.out),
                    Escape::Literal(c) if I_VARIANTS.contains(&c) => self.out.extend(I_VARIANTS),
                    Escape::Literal(c) => push_escaped(c, &mut self.out),
                    _ => unreachable!("a class has no other members"),
                }
                continue;
            }
            self.rest.next();
            let c = self.rest.next().ok_or(UNTERMINATED)?;
            match (low, self.parse_member(c)?) {
                (Escape::Literal(low), Escape::Literal(high)) if low <= high => {
                    push_escaped(low, &mut self.out);
                    self.out.push('-');
                    push_escaped(high, &mut self.out);
                    if I_VARIANTS.iter().any(|i| (low..=high).contains(i)) {
                        self.out.extend(I_VARIANTS);
                    }
                }
                _ => return Err("bad character range".to_owned()),
            }
        }
        self.out.push(']');
        Ok(Before::Item)
    }

    /// Parses a member of a class: the literal `c`, or an escape if `c` is a backslash.
    fn parse_member(&mut self, c: char) -> Result<Escape, String> {
        if c == '\\' { self.parse_escape(true) } else { Ok(Escape::Literal(c)) }
    }
}
