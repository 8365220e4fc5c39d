//! Sentences of a text, one after the other.
//!
//! The boundaries are those of Unicode's Annex 29 in the main: after a terminator with what closes after it, unless what
//! follows shows that the sentence goes on. On top are rules for abbreviations, initials, numbers, quotations, notes,
//! lists, headings, wrapped lines and Thai. The text is passed over once; only where a character may end a sentence are
//! its neighbours looked at, and only so many of them.

use std::ops::Range;

use crate::ahead::{Ahead, First, Gap};
use crate::characters::{Class, LEADS, after, before, class};
use crate::lines::Lines;
use crate::stop::Stop;
use crate::verdict::{Place, Verdict};

/// The sentences of a text as byte ranges, in order and disjoint, without white space at their ends. Together they hold
/// everything but white space; one without a letter or a digit is joined to its neighbour, so that only a text without
/// any has such a sentence. A blank text has none. Takes time in proportion to the text.
///
/// ```
/// let text = "“Is it far?” asked Mr. Toad.\n\n- It is. Very.";
/// let parts: Vec<&str> = phrases::sentences(text).map(|range| &text[range]).collect();
/// assert_eq!(parts, ["“Is it far?” asked Mr. Toad.", "- It is.", "Very."]);
/// ```
#[must_use]
pub fn sentences(text: &str) -> Sentences<'_> {
    let start = Gap::at(text, 0).end;
    Sentences { text, start, from: start, checked: start, worded: false, held: None, lines: Lines::default(), cased: None }
}

/// The sentences of a text: see [`sentences`].
#[derive(Debug)]
pub struct Sentences<'t> {
    text: &'t str,
    /// Where the sentence begins that is being read.
    start: usize,
    /// Where reading goes on.
    from: usize,
    /// How far the sentence was searched for a letter or a digit, and whether there is one.
    checked: usize,
    worded: bool,
    /// Found, and given when it is known that nothing is to be joined to it.
    held: Option<Range<usize>>,
    lines: Lines,
    cased: Option<bool>,
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        while let Some((end, next)) = self.boundary() {
            if self.has_word(end)
                && let Some(ready) = self.give(end, next)
            {
                return Some(ready);
            }
        }
        let end = self.text.trim_end().len();
        if self.start < end {
            if self.held.is_some() && !self.has_word(end) {
                self.held = self.held.take().map(|held| held.start..end);
                self.start = end;
            } else if let Some(ready) = self.give(end, self.text.len()) {
                return Some(ready);
            }
        }
        self.held.take()
    }
}

impl Sentences<'_> {
    /// Holds the sentence that ends at `end`, and gives the one held before.
    fn give(&mut self, end: usize, next: usize) -> Option<Range<usize>> {
        let ready = self.held.replace(self.start..end);
        (self.start, self.checked, self.worded) = (next, next, false);
        ready
    }

    /// Whether a letter or a digit stands in the sentence before `end`. Looks at no character twice.
    fn has_word(&mut self, end: usize) -> bool {
        if !self.worded && self.checked < end {
            self.worded = self.text[self.checked..end].contains(char::is_alphanumeric);
            self.checked = end;
        }
        self.worded
    }

    /// The end of the next sentence that is not the text's last, and the start of what follows it.
    fn boundary(&mut self) -> Option<(usize, usize)> {
        let text = self.text;
        while let Some(found) = text.as_bytes()[self.from..].iter().position(|&byte| LEADS[usize::from(byte)]) {
            let at = self.from + found;
            let letter = after(text, at)?;
            let end = match class(letter) {
                Class::Terminator => self.stop(at),
                Class::Line => self.line(at),
                Class::Spaced => self.space(at),
                Class::Semicolon => self.semicolon(at, letter),
                Class::Nothing => {
                    self.from = at + letter.len_utf8();
                    None
                }
            };
            if let Some(end) = end {
                let next = Gap::at(text, end).end;
                self.from = next;
                return Some((end, next));
            }
        }
        self.from = text.len();
        None
    }

    fn stop(&mut self, at: usize) -> Option<usize> {
        let stop = Stop::read(self.text, self.start, at);
        let gap = Gap::at(self.text, stop.end);
        self.from = stop.end;
        let place = Place { text: self.text, start: self.start, cased: self.is_cased() };
        match place.verdict(&stop, gap) {
            Verdict::Ends => Some(stop.end),
            Verdict::GoesOn => {
                self.from = gap.end;
                None
            }
            Verdict::Open => None,
        }
    }

    fn line(&mut self, at: usize) -> Option<usize> {
        let end = self.start + self.text[self.start..at].trim_end().len();
        let gap = Gap { start: end, ..Gap::at(self.text, at) };
        self.from = gap.end;
        let cased = self.is_cased();
        self.lines.end_sentence(self.text, self.start, gap, cased).then_some(end)
    }

    /// Thai and Lao: a space between two of their letters ends a sentence of some length.
    fn space(&mut self, at: usize) -> Option<usize> {
        let text = self.text;
        let run = text[at..].find(|letter| class(letter) != Class::Spaced);
        let end = run.map_or(text.len(), |length| at + length);
        self.from = end;
        let gap = Gap::at(text, end);
        let next = &text[gap.end..];
        let between = !gap.is_empty()
            && gap.lines == 0
            && next.chars().next().is_some_and(|letter| class(letter) == Class::Spaced)
            && !matches!(before(text, end), Some('ๆ' | 'ฯ' | 'ໆ'));
        let long = text[self.start..end].chars().nth(SHORTEST_SPACED - 1).is_some();
        (between && long && !GOING_ON.iter().any(|word| next.starts_with(word))).then_some(end)
    }

    /// Greek asks with a semicolon.
    fn semicolon(&mut self, at: usize, letter: char) -> Option<usize> {
        let end = at + letter.len_utf8();
        self.from = end;
        let greek = matches!(before(self.text, at), Some('\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}'));
        let gap = Gap::at(self.text, end);
        let ends = greek && !gap.is_empty() && Ahead::at(self.text, gap.end).first == First::Capital;
        ends.then_some(end)
    }

    /// Whether the text has a capital letter.
    fn is_cased(&mut self) -> bool {
        *self.cased.get_or_insert_with(|| self.text.contains(char::is_uppercase))
    }
}

/// Characters of the shortest sentence of Thai or Lao that a space ends.
const SHORTEST_SPACED: usize = 24;

/// Words of Thai and Lao that go on with a sentence: and, or, but, that, which, for, by.
const GOING_ON: &[&str] =
    &["และ", "หรือ", "แต่", "ที่", "ซึ่ง", "เพื่อ", "โดย", "ว่า", "ๆ", "ฯ", "ແລະ", "ຫຼື", "ແຕ່", "ທີ່", "ເຊິ່ງ", "ເພື່ອ", "ໂດຍ", "ວ່າ", "ໆ"];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parts(text: &str) -> Vec<&str> {
        sentences(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn what_has_no_word_is_joined_to_its_neighbour() {
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
            let worded = text.contains(char::is_alphanumeric);
            for part in parts(&text) {
                prop_assert_eq!(part.contains(char::is_alphanumeric), worded);
            }
        }
    }
}
