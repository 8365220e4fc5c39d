//! Translates groups, back-references and flags of Python's regular expressions.

use super::translate::{Before, Translator};

impl Translator<'_> {
    /// Translates the start of a group. Its `(` has been read, and `before` precedes it. Returns what precedes the next
    /// element; if the group is a comment, this is still `before`.
    pub(super) fn translate_group(&mut self, before: Before) -> Result<Before, String> {
        if self.rest.next_if_eq(&'?').is_none() {
            self.groups.push(String::new());
            self.out.push('(');
            return Ok(Before::Nothing);
        }
        let kind = self.rest.next().ok_or("unexpected end of pattern")?;
        match kind {
            '#' => {
                let closed = self.rest.any(|c| c == ')');
                return closed.then_some(before).ok_or_else(|| "missing ), unterminated comment".to_owned());
            }
            ':' => self.out.push_str("(?:"),
            '=' | '!' | '>' => {
                self.needs_backtracking = true;
                self.out.extend(['(', '?', kind]);
            }
            '<' => {
                let sign = self.rest.next_if(|&c| c == '=' || c == '!').ok_or("unknown extension ?<")?;
                self.needs_backtracking = true;
                self.out.extend(['(', '?', '<', sign]);
            }
            'P' => return self.translate_named(),
            // A conditional: `(?(1)yes|no)` or `(?(name)yes|no)`.
            '(' => {
                self.needs_backtracking = true;
                let group: String = self.rest.by_ref().take_while(|&c| c != ')').collect();
                let group = group.parse().or_else(|_| self.number_of(&group))?;
                self.out.push_str(&format!("(?({group})"));
            }
            _ => self.translate_flags(kind)?,
        }
        Ok(Before::Nothing)
    }

    /// Translates the start of a named group, or a back-reference to one. The `(?P` has been read.
    fn translate_named(&mut self) -> Result<Before, String> {
        let close = match self.rest.next() {
            Some('<') => '>',
            Some('=') => ')',
            _ => return Err("unknown extension ?P".to_owned()),
        };
        let name: String = self.rest.by_ref().take_while(|&c| c != close).collect();
        if close == ')' {
            let group = self.number_of(&name)?;
            self.push_reference(group)?;
            return Ok(Before::Item);
        }
        if name.is_empty() || self.groups.contains(&name) {
            return Err(format!("bad or repeated group name '{name}'"));
        }
        self.groups.push(name);
        self.out.push('(');
        Ok(Before::Nothing)
    }

    /// Appends a back-reference to the group with this number, from 1.
    pub(super) fn push_reference(&mut self, group: usize) -> Result<(), String> {
        if group > self.groups.len() {
            return Err(format!("invalid group reference {group}"));
        }
        self.needs_backtracking = true;
        self.out.push_str(&format!(r"(?:\{group})"));
        Ok(())
    }

    /// Returns the number, from 1, of the group with this name.
    fn number_of(&self, name: &str) -> Result<usize, String> {
        let at = self.groups.iter().position(|group| group == name && !name.is_empty());
        at.map(|at| at + 1).ok_or_else(|| format!("unknown group name '{name}'"))
    }

    /// Translates flags, as in `(?i)` or `(?i:`. The `(?` and the first flag have been read.
    fn translate_flags(&mut self, first: char) -> Result<(), String> {
        let mut flags = String::new();
        let mut next = Some(first);
        loop {
            match next {
                Some('u') => {} // always on
                Some('i') if flags.contains('-') => return Err("the flag -i is not supported".to_owned()),
                Some(c @ ('i' | 'm' | 's' | '-')) => flags.push(c),
                Some(c @ ('a' | 'L' | 'x')) => return Err(format!("the flag {c} is not supported")),
                Some(end @ (':' | ')')) => {
                    if !(flags.is_empty() && end == ')') {
                        self.out.push_str(&format!("(?{flags}{end}"));
                    }
                    return Ok(());
                }
                Some(c) => return Err(format!("unknown extension ?{c}")),
                None => return Err("unexpected end of pattern".to_owned()),
            }
            next = self.rest.next();
        }
    }
}
