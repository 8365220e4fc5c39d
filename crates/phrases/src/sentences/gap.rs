//! The white space between two words, with its line breaks.

use super::characters::{Class, class};

/// The white space that begins at a byte offset of a text. It may be empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// Byte offset at which the white space begins.
    pub start: usize,
    /// Byte offset of the next character that is not white space, or the length of the text.
    pub end: usize,
    /// Number of line breaks. A form feed and a paragraph separator count as two, like a blank line.
    pub line_breaks: usize,
}

impl Gap {
    /// Reads the white space that begins at `start`.
    pub fn at(text: &str, start: usize) -> Self {
        let (mut end, mut line_breaks, mut previous) = (start, 0, ' ');
        for character in text[start..].chars().take_while(|character| character.is_whitespace()) {
            line_breaks += match character {
                '\n' if previous == '\r' => 0,
                '\u{c}' | '\u{2029}' => 2,
                _ if class(character) == Class::LineBreak => 1,
                _ => 0,
            };
            previous = character;
            end += character.len_utf8();
        }
        Self { start, end, line_breaks }
    }

    /// Whether there is no white space.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}
