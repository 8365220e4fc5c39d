//! Splits a text into sentences.
//!
//! Most boundaries are those of Unicode Standard Annex 29, section 5: a sentence ends after a terminator, such as a
//! full stop, and any closing quotation marks and brackets that follow it, unless the text after them shows that the
//! sentence continues. Further rules handle abbreviations, initials, numbers, quotations, footnotes, lists, headings,
//! hard-wrapped lines, Thai and Lao.
//!
//! The scan goes from one character that may end a sentence to the next ([`characters`]). At a terminator, it reads the
//! closing marks ([`terminator`]), the next word ([`lookahead`]) and the word before, and decides ([`decision`],
//! [`abbreviations`]). At a line break, it decides by the layout ([`line_breaks`]). Apart from white space, most
//! decisions read a bounded number of characters. Those at line breaks also read the line before the break, and measure
//! the lines of each block once. So the scan takes linear time.

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

/// Returns the sentences of a text as byte ranges, in order. They do not overlap, and do not begin or end with white
/// space.
///
/// Together they contain everything but the white space around them. A part without a letter or a digit is joined to a
/// neighboring sentence, unless the whole text has no letter or digit. A blank text has no sentences. Iterating over
/// all sentences takes linear time.
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
    /// Byte offset up to which the current sentence has been searched for letters and digits.
    checked: usize,
    /// Whether this search has found a letter or a digit.
    has_word: bool,
    /// The previous sentence, to which the current one may still be joined.
    pending: Option<Range<usize>>,
    line_breaks: LineBreaks,
    /// Whether the text has capital letters; `None` until this is needed.
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
    /// Ends the current sentence at `end` and makes it the pending one. Returns the sentence that was pending before.
    /// The next sentence begins at `next_start`.
    fn replace_pending(&mut self, end: usize, next_start: usize) -> Option<Range<usize>> {
        let ready = self.pending.replace(self.start..end);
        (self.start, self.checked, self.has_word) = (next_start, next_start, false);
        ready
    }

    /// Whether the current sentence has a letter or a digit before `end`. Reads each character only once.
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
            let offset = self.position + found;
            let character = char_at(text, offset)?;
            let end = match class(character) {
                Class::Terminator => self.end_at_terminator(offset),
                Class::LineBreak => self.end_at_line_break(offset),
                Class::ThaiOrLao => self.end_at_space(offset),
                Class::Semicolon => self.end_at_semicolon(offset, character),
                Class::Other => {
                    self.position = offset + character.len_utf8();
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

    /// Returns the end of the current sentence if it ends with the terminator at byte `offset`.
    fn end_at_terminator(&mut self, offset: usize) -> Option<usize> {
        let terminator = Terminator::read(self.text, self.start, offset);
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

    /// Returns the end of the current sentence if it ends before the line break at byte `offset`.
    fn end_at_line_break(&mut self, offset: usize) -> Option<usize> {
        let end = self.start + self.text[self.start..offset].trim_end().len();
        let gap = Gap { start: end, ..Gap::at(self.text, offset) };
        self.position = gap.end;
        let is_cased = self.is_cased();
        self.line_breaks.ends_sentence(self.text, self.start, gap, is_cased).then_some(end)
    }

    /// Returns the end of the current sentence if it ends with the Thai or Lao letters that begin at byte `offset`. The
    /// sentence ends if it has at least [`MIN_THAI_CHARACTERS`] and if a space and another Thai or Lao letter follow,
    /// unless its last character is a mark of repetition or abbreviation, or one of [`THAI_CONTINUATIONS`] follows.
    fn end_at_space(&mut self, offset: usize) -> Option<usize> {
        let text = self.text;
        let length = text[offset..].find(|character| class(character) != Class::ThaiOrLao);
        let end = length.map_or(text.len(), |length| offset + length);
        self.position = end;
        let gap = Gap::at(text, end);
        let next = &text[gap.end..];
        let separates_letters = !gap.is_empty()
            && gap.line_breaks == 0
            && next.chars().next().is_some_and(|character| class(character) == Class::ThaiOrLao)
            && !matches!(char_before(text, end), Some('ๆ' | 'ฯ' | 'ໆ'));
        let is_long = text[self.start..end].chars().nth(MIN_THAI_CHARACTERS - 1).is_some();
        (separates_letters && is_long && !THAI_CONTINUATIONS.iter().any(|word| next.starts_with(word)))
            .then_some(end)
    }

    /// Returns the end of the current sentence if it is a Greek question that ends with the semicolon at byte `offset`.
    fn end_at_semicolon(&mut self, offset: usize, character: char) -> Option<usize> {
        let end = offset + character.len_utf8();
        self.position = end;
        let is_greek =
            matches!(char_before(self.text, offset), Some('\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'));
        let gap = Gap::at(self.text, end);
        let ends =
            is_greek && !gap.is_empty() && Lookahead::at(self.text, gap.end).start == WordStart::Uppercase;
        ends.then_some(end)
    }

    /// Whether the text has a capital letter. The text is searched only once.
    fn is_cased(&mut self) -> bool {
        *self.is_cased.get_or_insert_with(|| self.text.contains(char::is_uppercase))
    }
}

/// The end of a sentence and the start of the next one, as byte offsets.
struct Boundary {
    end: usize,
    next_start: usize,
}

/// Minimum number of characters of a Thai or Lao sentence that ends with a space. After fewer characters, a space more
/// likely separates parts of a sentence.
const MIN_THAI_CHARACTERS: usize = 24;

/// Words and marks before which a space does not end a sentence, first in Thai and then in Lao: and, or, but, that,
/// which, for, by, that (after verbs), the repetition mark and, only in Thai, the abbreviation mark.
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

    fn sentences_of(text: &str) -> Vec<&str> {
        sentences(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn a_part_without_letters_and_digits_is_joined_to_its_neighbor() {
        assert!(sentences_of("").is_empty());
        assert!(sentences_of(" \n\u{a0}\u{3000}").is_empty());
        assert_eq!(sentences_of("* * *"), ["* * *"]);
        assert_eq!(sentences_of("He left.\n\n* * *\n\nShe came."), ["He left.", "* * *\n\nShe came."]);
        assert_eq!(sentences_of("He left!\n\n* * *\n"), ["He left!\n\n* * *"]);
        assert_eq!(sentences_of("?! ... !!"), ["?! ... !!"]);
    }

    proptest! {
        #[test]
        fn sentences_contain_everything_but_white_space_in_order(
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
        fn only_a_text_without_words_has_a_sentence_without_words(text in r"([a-b]{0,2}|[.!?*] ?|\n| ){0,30}") {
            let has_word = text.contains(char::is_alphanumeric);
            for part in sentences_of(&text) {
                prop_assert_eq!(part.contains(char::is_alphanumeric), has_word);
            }
        }
    }
}
