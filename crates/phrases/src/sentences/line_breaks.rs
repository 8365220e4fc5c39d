//! Decides whether a sentence ends at a line break. Headings and list items end at line breaks. In hard-wrapped text,
//! whose lines have about the same length, sentences continue across line breaks.

use super::characters::{
    Class, char_before, class, columns, continues_sentence, is_dash, is_opener, is_unspaced_script,
};
use super::gap::Gap;
use super::lookahead::{Lookahead, WordStart};

/// The layout of the current block of lines, which ends at a blank line.
#[derive(Debug, Default)]
pub(crate) struct LineBreaks {
    /// Byte offset of the end of the block.
    end: usize,
    /// Width of the longest line, without trailing white space, in columns.
    max_columns: usize,
    /// Whether the lines are hard-wrapped.
    is_wrapped: bool,
}

/// The longest line of wrapped text has at least this many columns.
const MIN_WRAP_COLUMNS: usize = 40;
/// The longest line of wrapped text has at most this many columns. A longer line is a whole paragraph.
const MAX_WRAP_COLUMNS: usize = 200;
/// If the longest line has at least this many columns, it alone shows that text is wrapped. If it is shorter, another
/// line must have a similar length.
const MIN_SINGLE_COLUMNS: usize = 60;
/// Two lines have a similar length if they differ by less than this many columns.
const MAX_RAGGED_COLUMNS: usize = 16;
/// Maximum length of the marker of a list item, such as "12." or "(iv)", in bytes.
const MAX_MARKER_LENGTH: usize = 12;

impl LineBreaks {
    /// Whether the sentence that begins at byte `start` ends at the line break in `gap`. `is_cased` tells whether the
    /// text has capital letters.
    pub fn ends_sentence(&mut self, text: &str, start: usize, gap: Gap, is_cased: bool) -> bool {
        if gap.end == text.len() {
            return false;
        }
        if is_item_marker(&text[start..gap.start]) {
            return false;
        }
        if gap.line_breaks > 1 {
            return true;
        }
        let next = &text[gap.end..];
        if is_rule(next) {
            return false;
        }
        let line = line_before(text, gap.start);
        if is_heading(line) || is_heading(next) || is_rule(line) {
            return true;
        }
        let ahead = Lookahead::at(text, gap.end);
        let is_lowercase = ahead.start == WordStart::Lowercase && is_cased && !ahead.is_camel_case();
        let is_full = self.is_full(text, line, gap);
        if let Some(marker) = marker(next) {
            let is_in_list = self::marker(&text[start..gap.start]).is_some();
            return match marker {
                Marker::Bullet => true,
                Marker::Dash => is_in_list || !(is_full && is_lowercase),
                Marker::Number => is_in_list || !is_full,
            };
        }
        let last = char_before(text, gap.start).unwrap_or(' ');
        if continues_sentence(last) && !matches!(last, ':' | '：')
            || is_opener(last)
            || is_dash(last)
            || matches!(last, '&' | '/')
        {
            return false;
        }
        !is_lowercase && !is_full
    }

    /// Whether the block is wrapped and the first word after `gap` does not fit on `line`, the line before it.
    fn is_full(&mut self, text: &str, line: &str, gap: Gap) -> bool {
        if gap.start >= self.end {
            self.measure(text, gap.start - line.len());
        }
        let next = &text[gap.end..];
        let word_columns: usize = match next.chars().next() {
            Some(character) if is_unspaced_script(character) => columns(character),
            _ => next
                .chars()
                .take(MAX_WRAP_COLUMNS)
                .take_while(|character| !character.is_whitespace())
                .map(columns)
                .sum(),
        };
        self.is_wrapped && width(line) + 1 + word_columns > self.max_columns
    }

    /// Measures the lines of the block that begins at byte `start`.
    fn measure(&mut self, text: &str, start: usize) {
        let (mut longest, mut second_longest) = (0, 0);
        self.end = start;
        for line in text[start..].split_inclusive(|character| class(character) == Class::LineBreak) {
            let length = width(line.trim_end());
            let is_rest_of_break = line == "\n" && text[..self.end].ends_with('\r');
            if length == 0 && !is_rest_of_break && self.end > start {
                break;
            }
            self.end += line.len();
            second_longest = second_longest.max(length.min(longest));
            longest = longest.max(length);
        }
        self.max_columns = longest;
        let is_regular = second_longest + MAX_RAGGED_COLUMNS > longest || longest >= MIN_SINGLE_COLUMNS;
        self.is_wrapped = (MIN_WRAP_COLUMNS..=MAX_WRAP_COLUMNS).contains(&longest) && is_regular;
    }
}

/// Returns the number of columns of a line.
fn width(line: &str) -> usize {
    if line.is_ascii() { line.len() } else { line.chars().map(columns).sum() }
}

/// Returns the line that ends at byte `end`.
fn line_before(text: &str, end: usize) -> &str {
    let start = text[..end].char_indices().rev().find(|&(_, character)| class(character) == Class::LineBreak);
    &text[start.map_or(0, |(offset, character)| offset + character.len_utf8())..end]
}

/// Whether a line is a Markdown heading.
fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ')
}

/// Whether the first line of a text has no words. It is then a horizontal rule, such as a row of dashes.
fn is_rule(text: &str) -> bool {
    let mut line = text
        .chars()
        .take(MAX_WRAP_COLUMNS)
        .take_while(|&character| class(character) != Class::LineBreak)
        .peekable();
    line.peek().is_some() && line.all(|character| !character.is_alphanumeric())
}

/// The marker with which a list item begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// A character that is only used for list items, such as a bullet.
    Bullet,
    /// A dash, which also occurs in sentences.
    Dash,
    /// A number or letter: "1.", "(2)", "3)", "b)", "iv.". It may also be the end of a sentence.
    Number,
}

/// Returns the marker with which a line begins, if white space follows it.
fn marker(line: &str) -> Option<Marker> {
    let end = line.char_indices().take(MAX_MARKER_LENGTH).find(|(_, character)| character.is_whitespace())?.0;
    let mut characters = line[..end].chars();
    let kind = match characters.next()? {
        '•' | '‣' | '◦' | '▪' | '●' | '○' | '■' | '□' | '►' | '·' | '*' | '+' => {
            Marker::Bullet
        }
        character if is_dash(character) => Marker::Dash,
        _ => return is_number(&line[..end]).then_some(Marker::Number),
    };
    characters.next().is_none().then_some(kind)
}

/// Whether a text consists only of the number or letter of a list item.
pub(crate) fn is_item_marker(text: &str) -> bool {
    let is_letter = text.len() == 2 && text.as_bytes()[0].is_ascii_alphabetic() && text.ends_with('.');
    is_letter || is_number(text)
}

/// Whether a text numbers a list item: "1.", "2)", "(3)", "1.2.", "(a)", "b)", "iv."
fn is_number(text: &str) -> bool {
    if text.len() > MAX_MARKER_LENGTH {
        return false;
    }
    let open = text.strip_prefix('(');
    let inside = open.unwrap_or(text);
    let Some(inside) = inside.strip_suffix([')', '.']) else { return false };
    if open.is_some() && !text.ends_with(')') {
        return false;
    }
    let inside = inside.strip_suffix('.').unwrap_or(inside);
    let is_short_number =
        |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = inside.len() == 1 && inside.as_bytes()[0].is_ascii_alphabetic() && text.ends_with(')');
    let is_roman = (2..=4).contains(&inside.len())
        && (inside.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'))
            || inside.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X')));
    is_letter || is_roman || inside.split('.').all(is_short_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn item_numbers_are_told_apart_from_words_and_years() {
        for text in ["1.", "12)", "(3)", "1.2.", "1.2.3.", "(a)", "b)", "iv.", "(ii)", "XII."] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", ".", ")", "1999.", "1", "(1", "(1.", "a.", "mix.", "Vi.", "12a.", "..", "1..2."] {
            assert!(!is_number(text), "{text}");
        }
        assert!(is_item_marker("A."));
    }
}
