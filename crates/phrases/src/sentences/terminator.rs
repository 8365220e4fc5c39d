//! Reads a sentence terminator together with the marks that belong to it.

use super::characters::{
    char_at, is_closer, is_full_stop, is_opening_quote, is_terminator, is_unspaced_terminator,
};

/// One or more terminator characters, with the closing quotation marks, brackets and footnote marks that follow them.
/// Examples: `."`, `?!)`, `. . .`, `.[3]`, `? »`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terminator {
    /// Byte offset of the first terminator character.
    pub start: usize,
    /// Byte offset after the last character, which may be a closing mark or a footnote mark.
    pub end: usize,
    /// Whether the only terminator character is a full stop, which may belong to an abbreviation.
    pub is_single_full_stop: bool,
    /// Whether the terminator characters are an ellipsis: several full stops, or `…`.
    pub is_ellipsis: bool,
    /// Whether the last terminator character may be followed by the next sentence without a space.
    pub is_unspaced: bool,
    /// Whether a closing quotation mark follows the terminator characters.
    pub closes_quotation: bool,
    /// Whether a closing quotation mark or bracket follows the terminator characters.
    pub has_closer: bool,
}

/// Maximum number of characters of a footnote mark in square brackets, such as `[12]`.
const MAX_NOTE_CHARACTERS: usize = 20;
/// Maximum number of bytes before a terminator that are searched for an opening guillemet (`«` or `‹`).
const MAX_QUOTATION_BYTES: usize = 4096;

impl Terminator {
    /// Reads the terminator that begins at byte `start`, in the sentence that begins at byte `sentence_start`.
    pub fn read(text: &str, sentence_start: usize, start: usize) -> Self {
        let mut found = Self {
            start,
            end: start,
            is_single_full_stop: false,
            is_ellipsis: false,
            is_unspaced: false,
            closes_quotation: false,
            has_closer: false,
        };
        // The numbers of full stops and of other terminator characters.
        let (mut full_stops, mut others) = (0, 0);
        while let Some(character) = char_at(text, found.end) {
            if is_terminator(character) && !found.has_closer {
                match character {
                    '…' => full_stops += 3,
                    _ if is_full_stop(character) => full_stops += 1,
                    _ => others += 1,
                }
                found.is_unspaced = is_unspaced_terminator(character);
            } else if is_terminator(character) {
                // For example `?".`, where the sentence around the quotation ends too.
                if is_full_stop(character) && others == 0 {
                    full_stops = full_stops.max(1);
                }
            } else if is_closer(character) || (is_opening_quote(character) && !found.is_unspaced) {
                found.has_closer = true;
                found.closes_quotation |= !matches!(character, ')' | ']' | '}' | '）' | '］' | '｝');
            } else if character == '[' {
                let Some(length) = note_length(&text[found.end..]) else { break };
                found.end += length;
                continue;
            } else if matches!(character, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹') {
                // A footnote number.
            } else if let Some(length) = found.joining_space(text, sentence_start, character) {
                full_stops += usize::from(text[found.end + length..].starts_with('.'));
                found.end += length;
                continue;
            } else {
                break;
            }
            found.end += character.len_utf8();
        }
        found.is_single_full_stop = full_stops == 1 && others == 0;
        found.is_ellipsis = full_stops > 1 && others == 0;
        found
    }

    /// Returns the length in bytes of the character `space` if it is a space and the character after it still belongs
    /// to the terminator, as in `. . .`, `? !` and `! »`.
    fn joining_space(&self, text: &str, sentence_start: usize, space: char) -> Option<usize> {
        if !matches!(space, ' ' | '\u{a0}' | '\u{202f}') {
            return None;
        }
        let length = space.len_utf8();
        let mut rest = text[self.end + length..].chars();
        let (sign, next) = (rest.next()?, rest.next());
        let joins = match sign {
            '.' => next.is_none_or(char::is_whitespace) && text[..self.end].ends_with('.'),
            '!' | '?' => next.is_none_or(char::is_whitespace),
            '»' | '›' => is_open(&text[sentence_start..self.start], sign),
            _ => false,
        };
        joins.then_some(length)
    }
}

/// Whether a quotation that the guillemet `closing` would close is open at the end of `before`.
fn is_open(before: &str, closing: char) -> bool {
    let opening = if closing == '»' { '«' } else { '‹' };
    let mut from = before.len().saturating_sub(MAX_QUOTATION_BYTES);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    before[from..].chars().rev().find(|&character| character == opening || character == closing)
        == Some(opening)
}

/// Returns the length in bytes of the footnote mark with which `text` begins: `[12]`, `[note 3]`, `[citation needed]`.
fn note_length(text: &str) -> Option<usize> {
    let length = text.char_indices().take(MAX_NOTE_CHARACTERS).find(|&(_, character)| character == ']')?.0;
    let inside = &text[1..length];
    let is_plain = |character: char| {
        character.is_ascii_digit() || character.is_lowercase() || matches!(character, ' ' | ',' | '–' | '-')
    };
    (!inside.is_empty() && inside.chars().all(is_plain)).then_some(length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first terminator of a text, with its characters.
    fn read(text: &str) -> (&str, Terminator) {
        let offset = text.find(is_terminator).expect("a terminator");
        let found = Terminator::read(text, 0, offset);
        (&text[offset..found.end], found)
    }

    #[test]
    fn closing_marks_belong_to_the_terminator() {
        for (text, expected) in [
            ("a. B", "."),
            ("a.\" B", ".\""),
            ("a?!) B", "?!)"),
            ("(\"a?\"). B", "?\")."),
            ("a. . . B", ". . ."),
            ("a.[12][note 3] B", ".[12][note 3]"),
            ("a.[Bb] C", "."),
            ("a.¹² B", ".¹²"),
            ("«\u{a0}a\u{a0}!\u{a0}» B", "!\u{a0}»"),
            ("»a.« »B«", ".«"),
            ("»a. »B«", "."),
            ("„a.“ B", ".“"),
            ("甲。“乙", "。"),
            ("甲。”乙", "。”"),
            ("a ? ! B", "? !"),
        ] {
            assert_eq!(read(text).0, expected, "{text}");
        }
    }

    #[test]
    fn single_full_stops_and_ellipses_are_recognized() {
        let kinds = |text| {
            let found = read(text).1;
            (found.is_single_full_stop, found.is_ellipsis)
        };
        assert_eq!(kinds("a. B"), (true, false));
        assert_eq!(kinds("a.) B"), (true, false));
        assert_eq!(kinds("(etc.). B"), (true, false));
        assert_eq!(kinds("a... B"), (false, true));
        assert_eq!(kinds("a… B"), (false, true));
        assert_eq!(kinds("a . . . B"), (false, true));
        assert_eq!(kinds("a?.. B"), (false, false));
        assert_eq!(kinds("a? B"), (false, false));
    }
}
