use crate::characters::{
    after, is_closer, is_full_stop, is_opening_quote, is_terminator, is_wide_terminator,
};

/// Terminators with all that closes after them: `."`, `?!)`, `. . .`, `.[3]`, `? »`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    /// Where the first terminator stands.
    pub at: usize,
    /// After the last character that belongs to it.
    pub end: usize,
    /// A single full stop, which may be that of an abbreviation.
    pub single: bool,
    /// Several full stops, or an ellipsis.
    pub ellipsis: bool,
    /// The last terminator is of a script that puts no space after it.
    pub wide: bool,
    /// A quotation ends with it.
    pub quoted: bool,
    /// Something closes after it: a quotation, a bracket.
    pub closed: bool,
}

/// Characters of a note's number in square brackets, as in `[12]`.
const MOST_OF_A_NOTE: usize = 20;
/// Bytes before a stop that are searched for what opened a quotation.
const MOST_OF_A_QUOTATION: usize = 4096;

impl Stop {
    /// Reads what begins with the terminator at `at`, in a sentence that begins at `start`.
    pub fn read(text: &str, start: usize, at: usize) -> Self {
        let mut stop =
            Self { at, end: at, single: false, ellipsis: false, wide: false, quoted: false, closed: false };
        let (mut full, mut other) = (0, 0);
        while let Some(letter) = after(text, stop.end) {
            if is_terminator(letter) && !stop.closed {
                match letter {
                    '…' => full += 3,
                    _ if is_full_stop(letter) => full += 1,
                    _ => other += 1,
                }
                stop.wide = is_wide_terminator(letter);
            } else if is_terminator(letter) {
                // `?".`: the sentence around what is closed ends too.
                if is_full_stop(letter) && other == 0 {
                    full = full.max(1);
                }
            } else if is_closer(letter) || (is_opening_quote(letter) && !stop.wide) {
                stop.closed = true;
                stop.quoted |= !matches!(letter, ')' | ']' | '}' | '）' | '］' | '｝');
            } else if letter == '[' {
                let Some(length) = note(&text[stop.end..]) else { break };
                stop.end += length;
                continue;
            } else if matches!(letter, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹') {
                // The number of a note.
            } else if let Some(length) = stop.apart(text, start, letter) {
                full += usize::from(text[stop.end + length..].starts_with('.'));
                stop.end += length;
                continue;
            } else {
                break;
            }
            stop.end += letter.len_utf8();
        }
        stop.single = full == 1 && other == 0;
        stop.ellipsis = full > 1 && other == 0;
        stop
    }

    /// White space before what belongs to the stop all the same: `. . .`, `? !`, `! »`. Its length in bytes.
    fn apart(&self, text: &str, start: usize, first: char) -> Option<usize> {
        if !matches!(first, ' ' | '\u{a0}' | '\u{202f}') {
            return None;
        }
        let length = first.len_utf8();
        let mut rest = text[self.end + length..].chars();
        let (sign, next) = (rest.next()?, rest.next());
        let joins = match sign {
            '.' => next.is_none_or(char::is_whitespace) && text[..self.end].ends_with('.'),
            '!' | '?' => next.is_none_or(char::is_whitespace),
            '»' | '›' => opened(&text[start..self.at], sign),
            _ => false,
        };
        joins.then_some(length)
    }
}

/// Whether the last guillemet before is one that this one closes.
fn opened(before: &str, closing: char) -> bool {
    let opening = if closing == '»' { '«' } else { '‹' };
    let mut from = before.len().saturating_sub(MOST_OF_A_QUOTATION);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    before[from..].chars().rev().find(|&letter| letter == opening || letter == closing) == Some(opening)
}

/// The length in bytes of a note's mark at the start of a text: `[12]`, `[note 3]`, `[citation needed]`.
fn note(text: &str) -> Option<usize> {
    let length = text.char_indices().take(MOST_OF_A_NOTE).find(|&(_, letter)| letter == ']')?.0;
    let inside = &text[1..length];
    let plain = |letter: char| letter.is_ascii_digit() || letter.is_lowercase() || matches!(letter, ' ' | ',' | '–' | '-');
    (!inside.is_empty() && inside.chars().all(plain)).then_some(length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (&str, Stop) {
        let at = text.find(is_terminator).expect("a terminator");
        let stop = Stop::read(text, 0, at);
        (&text[at..stop.end], stop)
    }

    #[test]
    fn what_closes_belongs_to_the_stop() {
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
    fn a_single_full_stop_is_told_from_an_ellipsis_and_from_other_terminators() {
        let kinds = |text| {
            let stop = read(text).1;
            (stop.single, stop.ellipsis)
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
