//! Whether a sentence ends with a line: headings and list items do, hard-wrapped text does not.

use crate::ahead::{Ahead, First, Gap};
use crate::characters::{Class, before, class, columns, goes_on, is_dash, is_opener, is_unspaced};

/// Lines between two blank lines, and whether they were wrapped at a width.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Where the lines end that the rest is about.
    end: usize,
    /// Columns of the longest line, trimmed.
    longest: usize,
    wrapped: bool,
}

/// Nobody wraps text to lines shorter than this.
const NARROWEST: usize = 40;
/// Nobody wraps text to lines longer than this: such a line is a paragraph.
const WIDEST: usize = 200;
/// One line of this many columns may have been wrapped; shorter ones need another of nearly the same length.
const WIDE: usize = 60;
/// Columns by which wrapped lines differ.
const RAGGED: usize = 16;
/// Characters of an item's number.
const MOST_OF_A_MARKER: usize = 12;

impl Lines {
    /// Whether the sentence from `start` ends with the line that `gap` begins after.
    pub fn end_sentence(&mut self, text: &str, start: usize, gap: Gap, cased: bool) -> bool {
        if gap.end == text.len() {
            return false;
        }
        if is_marker(&text[start..gap.start]) {
            return false;
        }
        if gap.lines > 1 {
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
        let ahead = Ahead::at(text, gap.end);
        let small = ahead.first == First::Small && cased && !ahead.is_camel();
        let full = self.is_full(text, line, gap);
        if let Some(marker) = marker(next) {
            let in_list = self::marker(&text[start..gap.start]).is_some();
            return match marker {
                Marker::Bullet => true,
                Marker::Dash => in_list || !(full && small),
                Marker::Number => in_list || !full,
            };
        }
        let last = before(text, gap.start).unwrap_or(' ');
        if goes_on(last) && !matches!(last, ':' | '：') || is_opener(last) || is_dash(last) || matches!(last, '&' | '/') {
            return false;
        }
        !small && !full
    }

    /// Whether the next word would not have fitted into this line of wrapped text.
    fn is_full(&mut self, text: &str, line: &str, gap: Gap) -> bool {
        if gap.start >= self.end {
            self.measure(text, gap.start - line.len());
        }
        let next = &text[gap.end..];
        let word: usize = match next.chars().next() {
            Some(letter) if is_unspaced(letter) => columns(letter),
            _ => next.chars().take(WIDEST).take_while(|letter| !letter.is_whitespace()).map(columns).sum(),
        };
        self.wrapped && width(line) + 1 + word > self.longest
    }

    /// Measures the lines from `start` to the next blank one.
    fn measure(&mut self, text: &str, start: usize) {
        let (mut longest, mut second) = (0, 0);
        self.end = start;
        for line in text[start..].split_inclusive(|letter| class(letter) == Class::Line) {
            let columns = width(line.trim_end());
            let rest_of_break = line == "\n" && text[..self.end].ends_with('\r');
            if columns == 0 && !rest_of_break && self.end > start {
                break;
            }
            self.end += line.len();
            second = second.max(columns.min(longest));
            longest = longest.max(columns);
        }
        self.longest = longest;
        let regular = second + RAGGED > longest || longest >= WIDE;
        self.wrapped = (NARROWEST..=WIDEST).contains(&longest) && regular;
    }
}

fn width(line: &str) -> usize {
    if line.is_ascii() { line.len() } else { line.chars().map(columns).sum() }
}

/// The line that ends at a place, without the break before it.
fn line_before(text: &str, end: usize) -> &str {
    let start = text[..end].char_indices().rev().find(|&(_, letter)| class(letter) == Class::Line);
    &text[start.map_or(0, |(at, letter)| at + letter.len_utf8())..end]
}

/// A heading of Markdown.
fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ')
}

/// A line without a word, drawn under a heading or between parts.
fn is_rule(text: &str) -> bool {
    let mut line = text.chars().take(WIDEST).take_while(|&letter| class(letter) != Class::Line).peekable();
    line.peek().is_some() && line.all(|letter| !letter.is_alphanumeric())
}

/// What a line of a list begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    /// A sign that nothing else begins with.
    Bullet,
    /// A dash, which may also stand in a sentence.
    Dash,
    /// "1.", "(2)", "3)", "b)", "iv.": a number may also end a sentence.
    Number,
}

fn marker(line: &str) -> Option<Marker> {
    let end = line.char_indices().take(MOST_OF_A_MARKER).find(|(_, letter)| letter.is_whitespace())?.0;
    let mut letters = line[..end].chars();
    let kind = match letters.next()? {
        '•' | '‣' | '◦' | '▪' | '●' | '○' | '■' | '□' | '►' | '·' | '*' | '+' => Marker::Bullet,
        letter if is_dash(letter) => Marker::Dash,
        _ => return is_number(&line[..end]).then_some(Marker::Number),
    };
    letters.next().is_none().then_some(kind)
}

/// Whether a text is nothing but the number or the letter of a list's item: it waits for the item.
pub(crate) fn is_marker(text: &str) -> bool {
    let single = text.len() == 2 && text.as_bytes()[0].is_ascii_alphabetic() && text.ends_with('.');
    single || is_number(text)
}

/// "1.", "2)", "(3)", "1.2.", "(a)", "b)", "iv."
fn is_number(text: &str) -> bool {
    if text.len() > MOST_OF_A_MARKER {
        return false;
    }
    let open = text.strip_prefix('(');
    let inside = open.unwrap_or(text);
    let Some(inside) = inside.strip_suffix([')', '.']) else { return false };
    if open.is_some() != text.ends_with(')') && open.is_some() {
        return false;
    }
    let inside = inside.strip_suffix('.').unwrap_or(inside);
    let digits = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let letter = inside.len() == 1 && inside.as_bytes()[0].is_ascii_alphabetic() && text.ends_with(')');
    let roman = (2..=4).contains(&inside.len())
        && (inside.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'))
            || inside.bytes().all(|byte| matches!(byte, b'I' | b'V' | b'X')));
    letter || roman || inside.split('.').all(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_items_are_told_from_words() {
        for text in ["1.", "12)", "(3)", "1.2.", "1.2.3.", "(a)", "b)", "iv.", "(ii)", "XII."] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", ".", ")", "1999.", "1", "(1", "(1.", "a.", "mix.", "Vi.", "12a.", "..", "1..2."] {
            assert!(!is_number(text), "{text}");
        }
        assert!(is_marker("A."));
    }
}
