use super::escape::{Escape, push_class};
use super::{Before, DOTLESS, Translator, push_escaped};

impl Translator<'_> {
    /// After `[`.
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
            let ranges = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
            if !ranges {
                match low {
                    Escape::Class(members, excluded) => push_class(members, excluded, &mut self.out),
                    Escape::Literal(c) if DOTLESS.contains(&c) => self.out.extend(DOTLESS),
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
                    if DOTLESS.iter().any(|i| (low..=high).contains(i)) {
                        self.out.extend(DOTLESS);
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
