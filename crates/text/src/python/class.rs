//! Classes of Python's regular expressions: `[a-z\s]`.

use super::escape::{Escape, push_class};
use super::translate::{Before, DOTLESS_I, Translator, push_escaped};

impl Translator<'_> {
    /// Translates a class, after `[`.
    pub(super) fn class(&mut self) -> Result<Before, String> {
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
            let low = self.member(c)?;
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
            if !is_range {
                match low {
                    Escape::Class { members, is_negated } => push_class(members, is_negated, &mut self.out),
                    Escape::Literal(c) if DOTLESS_I.contains(&c) => self.out.extend(DOTLESS_I),
                    Escape::Literal(c) => push_escaped(c, &mut self.out),
                    _ => unreachable!("a class has no other members"),
                }
                continue;
            }
            self.rest.next();
            let c = self.rest.next().ok_or(UNTERMINATED)?;
            match (low, self.member(c)?) {
                (Escape::Literal(low), Escape::Literal(high)) if low <= high => {
                    push_escaped(low, &mut self.out);
                    self.out.push('-');
                    push_escaped(high, &mut self.out);
                    if DOTLESS_I.iter().any(|i| (low..=high).contains(i)) {
                        self.out.extend(DOTLESS_I);
                    }
                }
                _ => return Err("bad character range".to_owned()),
            }
        }
        self.out.push(']');
        Ok(Before::Item)
    }

    fn member(&mut self, c: char) -> Result<Escape, String> {
        if c == '\\' { self.escaped(true) } else { Ok(Escape::Literal(c)) }
    }
}
