//! Splits a text into sentences.
//!
//! Most boundaries are those of Unicode Standard Annex 29, section 5: a sentence ends after a terminator and the marks
//! that close after it, unless the following text shows that it continues. Further rules treat abbreviations, initials,
//! numbers, quotations, footnotes, lists, headings, hard-wrapped lines, Thai and Lao.
//!
//! The scan stops only at characters that can end a sentence ([`characters`]). At a terminator it reads the marks that
//! belong to it ([`terminator`]) and the next word ([`lookahead`]), and decides by the word before it ([`decision`],
//! [`abbreviations`]). At a line break it decides by the layout ([`line_breaks`]). Each decision reads a bounded number
//! of characters, so the whole scan takes linear time.

mod abbreviations;
pub(crate) mod characters;
mod decision;
mod gap;
mod line_breaks;
mod lookahead;
mod sentence_terminal;
mod terminator;
mod word_lists;

use std::ops::Range;

use self::characters::{Class, IS_CANDIDATE, char_at, char_before, class};
use self::decision::{Context, Decision};
pub(crate) use self::gap::Gap;
use self::line_breaks::LineBreaks;
use self::lookahead::{Lookahead, WordStart};
use self::terminator::Terminator;

/// Returns the sentences of a text as byte ranges, in order and disjoint, without white space at their ends.
///
/// Together they contain everything but white space. A sentence without a letter or a digit is joined to its neighbor,
/// so that only a text without any has such a sentence. A blank text has none. Takes linear time.
///
/// ```
/// let text = "“Is it far?” asked Mr. Toad.\n\n- It is. Very.";
/// let parts: Vec<&str> = phrases::sentences(text).map(|range| &text[range]).collect();
/// assert_eq!(parts, ["“Is it far?” asked Mr. Toad.", "- It is.", "Very."]);
/// ```
#[must_use]
pub fn sentences(text: &str) -> Sentences<'_> {
    let start = Gap::at(text, 0).end;
    Sentences {
        text,
        start,
        position: start,
        checked: start,
        has_word: false,
        pending: None,
        line_breaks: LineBreaks::default(),
        is_cased: None,
    }
}

/// Iterator over the sentences of a text, returned by [`sentences`].
#[derive(Debug)]
pub struct Sentences<'t> {
    text: &'t str,
    /// Byte offset of the start of the current sentence.
    start: usize,
    /// Byte offset at which the scan continues.
    position: usize,
    /// The current sentence was searched for letters and digits up to this byte offset.
    checked: usize,
    /// Whether a letter or digit was found there.
    has_word: bool,
    /// The previous sentence, until it is known that nothing will be joined to it.
    pending: Option<Range<usize>>,
    line_breaks: LineBreaks,
    /// Whether the text has capital letters; `None` until it matters.
    is_cased: Option<bool>,
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some(Boundary { end, next_start }) = self.next_boundary() {
            if self.has_word_before(end)
                && let Some(ready) = self.replace_pending(end, next_start)
            {
                return Some(ready);
            }
        }
        let end = self.text.trim_end().len();
        if self.start < end {
            if self.pending.is_some() && !self.has_word_before(end) {
                self.pending = self.pending.take().map(|pending| pending.start..end);
                self.start = end;
            } else if let Some(ready) = self.replace_pending(end, self.text.len()) {
                return Some(ready);
            }
        }
        self.pending.take()
    }
}

impl Sentences<'_> {
    /// Makes the current sentence, which ends at `end`, the pending one, and returns the previous pending one. The next
    /// sentence begins at `next_start`.
    fn replace_pending(&mut self, end: usize, next_start: usize) -> Option<Range<usize>> {
        let ready = self.pending.replace(self.start..end);
        (self.start, self.checked, self.has_word) = (next_start, next_start, false);
        ready
    }

    /// Whether the current sentence has a letter or a digit before `end`. Reads no character twice.
    fn has_word_before(&mut self, end: usize) -> bool {
        if !self.has_word && self.checked < end {
            self.has_word = self.text[self.checked..end].contains(char::is_alphanumeric);
            self.checked = end;
        }
        self.has_word
    }

    /// Finds the next boundary between two sentences.
    fn next_boundary(&mut self) -> Option<Boundary> {
        let text = self.text;
        while let Some(found) =
            text.as_bytes()[self.position..].iter().position(|&byte| IS_CANDIDATE[usize::from(byte)])
        {
            let at = self.position + found;
            let letter = char_at(text, at)?;
            let end = match class(letter) {
                Class::Terminator => self.end_at_terminator(at),
                Class::LineBreak => self.end_at_line_break(at),
                Class::ThaiOrLao => self.end_at_space(at),
                Class::Semicolon => self.end_at_semicolon(at, letter),
                Class::Other => {
                    self.position = at + letter.len_utf8();
                    None
                }
            };
            if let Some(end) = end {
                let next_start = Gap::at(text, end).end;
                self.position = next_start;
                return Some(Boundary { end, next_start });
            }
        }
        self.position = text.len();
        None
    }

    /// End of the current sentence if it ends with the terminator at byte `at`.
    fn end_at_terminator(&mut self, at: usize) -> Option<usize> {
        let terminator = Terminator::read(self.text, self.start, at);
        let gap = Gap::at(self.text, terminator.end);
        self.position = terminator.end;
        let context = Context { text: self.text, sentence_start: self.start, is_cased: self.is_cased() };
        match context.decide(&terminator, gap) {
            Decision::Boundary => Some(terminator.end),
            Decision::NoBoundary => {
                self.position = gap.end;
                None
            }
            Decision::NoBoundaryInLine => None,
        }
    }

    /// End of the current sentence if it ends with the line break at byte `at`.
    fn end_at_line_break(&mut self, at: usize) -> Option<usize> {
        let end = self.start + self.text[self.start..at].trim_end().len();
        let gap = Gap { start: end, ..Gap::at(self.text, at) };
        self.position = gap.end;
        let is_cased = self.is_cased();
        self.line_breaks.ends_sentence(self.text, self.start, gap, is_cased).then_some(end)
    }

    /// End of the current sentence if it ends with the Thai or Lao letters at byte `at`: a space between two such letters
    /// ends a sentence of at least [`MIN_THAI_CHARACTERS`].
    fn end_at_space(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let run = text[at..].find(|letter| class(letter) != Class::ThaiOrLao);
        let end = run.map_or(text.len(), |length| at + length);
        self.position = end;
        let gap = Gap::at(text, end);
        let next = &text[gap.end..];
        let is_between = !gap.is_empty()
            && gap.line_breaks == 0
            && next.chars().next().is_some_and(|letter| class(letter) == Class::ThaiOrLao)
            && !matches!(char_before(text, end), Some('ๆ' | 'ฯ' | 'ໆ'));
        let is_long = text[self.start..end].chars().nth(MIN_THAI_CHARACTERS - 1).is_some();
        (is_between && is_long && !THAI_CONTINUATIONS.iter().any(|word| next.starts_with(word)))
            .then_some(end)
    }

    /// End of the current sentence if it is a Greek question that ends with the semicolon at byte `at`.
    fn end_at_semicolon(&mut self, at: usize, letter: char) -> Option<usize> {
        let end = at + letter.len_utf8();
        self.position = end;
        let is_greek =
            matches!(char_before(self.text, at), Some('\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'));
        let gap = Gap::at(self.text, end);
        let ends =
            is_greek && !gap.is_empty() && Lookahead::at(self.text, gap.end).start == WordStart::Uppercase;
        ends.then_some(end)
    }

    /// Whether the text has a capital letter. Searched once.
    fn is_cased(&mut self) -> bool {
        *self.is_cased.get_or_insert_with(|| self.text.contains(char::is_uppercase))
    }
}

/// The end of a sentence and the start of the next one, as byte offsets.
struct Boundary {
    end: usize,
    next_start: usize,
}

/// A space ends only Thai and Lao sentences of at least this many characters, because spaces also separate phrases.
const MIN_THAI_CHARACTERS: usize = 24;

/// Thai and Lao words before which a space does not end a sentence: and, or, but, that, which, for, by, that (after
/// verbs), and the repetition and abbreviation marks.
const THAI_CONTINUATIONS: &[&str] = &[
    "และ",
    "หรือ",
    "แต่",
    "ที่",
    "ซึ่ง",
    "เพื่อ",
    "โดย",
    "ว่า",
    "ๆ",
    "ฯ",
    "ແລະ",
    "ຫຼື",
    "ແຕ່",
    "ທີ່",
    "ເຊິ່ງ",
    "ເພື່ອ",
    "ໂດຍ",
    "ວ່າ",
    "ໆ",
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> Vec<&str> {
        sentences(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn a_part_without_a_word_is_joined_to_its_neighbor() {
        assert!(parts("").is_empty());
        assert!(parts(" \n\u{a0}\u{3000}").is_empty());
        assert_eq!(parts("* * *"), ["* * *"]);
        assert_eq!(parts("He left.\n\n* * *\n\nShe came."), ["He left.", "* * *\n\nShe came."]);
        assert_eq!(parts("He left!\n\n* * *\n"), ["He left!\n\n* * *"]);
        assert_eq!(parts("?! ... !!"), ["?! ... !!"]);
    }

    proptest! {
        #[test]
        fn sentences_hold_everything_but_white_space_in_order(
            text in r#"([A-Ca-c]{0,3}|[.!?…;,:\-] ?|[()"'«»\[\]“”„]|\r?\n|\t| |[1-3]\.?|Dr\. |e\.g\. |[。！？」と]|[กขๆ]{1,9} ?|[।؟։]|\PC){0,50}"#
        ) {
            let mut end = 0;
            for range in sentences(&text) {
                prop_assert!(text[end..range.start].trim().is_empty());
                prop_assert!(!range.is_empty());
                let part = &text[range.clone()];
                prop_assert_eq!(part.trim(), part);
                end = range.end;
            }
            prop_assert!(text[end..].trim().is_empty());
        }

        #[test]
        fn only_a_text_without_words_has_a_sentence_without(text in r"([a-b]{0,2}|[.!?*] ?|\n| ){0,30}") {
            let has_word = text.contains(char::is_alphanumeric);
            for part in parts(&text) {
                prop_assert_eq!(part.contains(char::is_alphanumeric), has_word);
            }
        }
    }
}
