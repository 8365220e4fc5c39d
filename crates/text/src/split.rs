//! Splits documents into passages of a fixed number of words.
//!
//! ```
//! use text::{SplitOptions, split_words};
//!
//! let document = "  one two\nthree  four five ";
//! let options = SplitOptions { words: 2, wrap: true, ..SplitOptions::default() };
//! let pieces = split_words(document, &options)?;
//!
//! assert_eq!(&document[pieces[1].range.clone()], "three  four");
//! assert_eq!(&document[pieces[2].range.clone()], "five");
//! assert_eq!(pieces[2].wrapped.clone().map(|range| &document[range]), Some("one"));
//! # Ok::<(), text::Error>(())
//! ```

use std::collections::VecDeque;
use std::ops::Range;

use crate::error::Error;

/// How to split a document. The default is that of DPR: 100 words, without overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SplitOptions {
    /// Number of words per passage, at least 1. Default 100.
    pub words: usize,
    /// Number of words that a passage shares with the previous one; less than `words`. Default 0.
    pub overlap: usize,
    /// Whether the last passage is filled up to `words` words with the start of the document. A document that fits into
    /// one passage is never filled up. Default `false`.
    pub wrap: bool,
}

impl Default for SplitOptions {
    fn default() -> Self {
        Self { words: 100, overlap: 0, wrap: false }
    }
}

/// One passage of a document, as byte ranges of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// From the start of the first word to the end of the last one, including the white space between them.
    pub range: Range<usize>,
    /// If the passage is filled up: the words at the start of the document that the caller must append, after a space.
    pub wrapped: Option<Range<usize>>,
}

/// Splits a document into passages of `words` words, in order. The last passage may be shorter.
///
/// Words are separated by Unicode's `White_Space`. Every word is in a passage. Passages are disjoint unless `overlap`
/// is set, and each passage has at least one word that the previous passage does not have. A document without words has
/// no passages.
///
/// # Errors
///
/// [`Error::Argument`] if `words` is 0 or `overlap` is not less than `words`.
pub fn split_words(text: &str, options: &SplitOptions) -> Result<Vec<Piece>, Error> {
    let mut splitter = Splitter::new(options)?;
    Ok(std::iter::from_fn(|| splitter.next(text)).collect())
}

/// Returns the passages of [`split_words`] one by one. Memory is bounded by the words of one passage.
///
/// Pass the same text to every call of [`next`](Self::next). The splitter does not borrow the text, so one struct can
/// own both the text and its splitter.
#[derive(Debug, Clone)]
pub struct Splitter {
    options: SplitOptions,
    /// Words already read for the next passage: those that overlap the previous passage, and one word of lookahead.
    words: VecDeque<Range<usize>>,
    /// Byte offset up to which the text has been split into words.
    position: usize,
    /// Whether the next passage is the first one.
    is_first: bool,
}

impl Splitter {
    /// Creates a splitter at the start of a text.
    ///
    /// # Errors
    ///
    /// Same as [`split_words`].
    pub fn new(options: &SplitOptions) -> Result<Self, Error> {
        let &SplitOptions { words, overlap, wrap: _ } = options;
        if words == 0 {
            return Err(Error::Argument {
                what: "words",
                expected: "at least 1".into(),
                got: words.to_string(),
            });
        }
        if overlap >= words {
            let expected = format!("less than words ({words})");
            return Err(Error::Argument { what: "overlap", expected, got: overlap.to_string() });
        }
        Ok(Self { options: *options, words: VecDeque::new(), position: 0, is_first: true })
    }

    /// Returns the next passage of `text`, or `None` after the last one.
    pub fn next(&mut self, text: &str) -> Option<Piece> {
        let SplitOptions { words: length, overlap, wrap } = self.options;
        // One word of lookahead shows whether this passage is the last.
        let wanted = length.saturating_add(1);
        let rest = self.position;
        for word in words_of(&text[rest..]).take(wanted - self.words.len()) {
            self.position = rest + word.end;
            self.words.push_back(rest + word.start..rest + word.end);
        }
        let start = self.words.front()?.start;
        let count = self.words.len().min(length);
        let end = self.words[count - 1].end;
        let missing = length - count;
        let wrapped = (wrap && missing > 0 && !self.is_first).then(|| {
            let first = words_of(text).next().expect("the text has words");
            let last = words_of(text)
                .nth(missing - 1)
                .expect("a document of several passages has more words than one passage");
            first.start..last.end
        });
        if self.words.len() > length {
            self.words.drain(..length - overlap);
        } else {
            self.words.clear();
            self.position = text.len();
        }
        self.is_first = false;
        Some(Piece { range: start..end, wrapped })
    }
}

/// The byte ranges of the words of a text.
fn words_of(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_whitespace().map(|word| {
        let start = word.as_ptr().addr() - text.as_ptr().addr();
        start..start + word.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The passages of a text. If a passage is filled up, `|` precedes the words from the start of the text.
    fn split(text: &str, words: usize, overlap: usize, wrap: bool) -> Vec<String> {
        let pieces =
            split_words(text, &SplitOptions { words, overlap, wrap }).expect("the options are valid");
        let part = |piece: Piece| match piece.wrapped {
            Some(start) => format!("{}|{}", &text[piece.range], &text[start]),
            None => text[piece.range].to_owned(),
        };
        pieces.into_iter().map(part).collect()
    }

    #[test]
    fn passages_are_disjoint_and_keep_the_white_space_inside() {
        assert_eq!(split(" a  b\tc d\u{3000}e\n", 2, 0, false), ["a  b", "c d", "e"]);
        assert_eq!(split("a b c d", 2, 0, false), ["a b", "c d"]);
        assert_eq!(split("a b", 100, 0, false), ["a b"]);
    }

    #[test]
    fn with_wrap_the_last_of_several_passages_is_filled_up_from_the_start_of_the_document() {
        assert_eq!(split("a b c d e", 3, 0, true), ["a b c", "d e|a"]);
        assert_eq!(split("a b c d", 3, 0, true), ["a b c", "d|a b"]);
        assert_eq!(split("a b c", 3, 0, true), ["a b c"]);
        assert_eq!(split("a b", 3, 0, true), ["a b"]);
        assert_eq!(split("a b c d e f", 3, 1, true), ["a b c", "c d e", "e f|a"]);
    }

    #[test]
    fn the_first_passage_that_reaches_the_end_of_the_document_is_the_last() {
        assert_eq!(split("a b c d e", 3, 1, false), ["a b c", "c d e"]);
        assert_eq!(split("a b c d e f", 3, 2, false), ["a b c", "b c d", "c d e", "d e f"]);
    }

    #[test]
    fn a_text_without_words_gives_no_passages() {
        assert!(split("", 3, 0, true).is_empty());
        assert!(split(" \u{a0}\n", 3, 0, true).is_empty());
    }

    #[test]
    fn invalid_options_are_rejected_and_the_largest_valid_ones_are_accepted() {
        let message = |words, overlap| {
            let options = SplitOptions { words, overlap, wrap: false };
            split_words("a", &options).expect_err("the options are invalid").to_string()
        };
        assert_eq!(message(0, 0), "words: expected at least 1, got 0");
        assert_eq!(message(3, 3), "overlap: expected less than words (3), got 3");
        assert_eq!(split("a b", usize::MAX, usize::MAX - 1, true), ["a b"]);
    }

    proptest! {
        #[test]
        fn passages_have_all_words_in_order_and_only_the_last_one_may_be_shorter(
            text in r"([a-zé東]{1,3}|\s| ){0,60}", words in 1usize..8, overlap in 0usize..8, wrap: bool
        ) {
            prop_assume!(overlap < words);
            let all: Vec<&str> = text.split_whitespace().collect();
            let options = SplitOptions { words, overlap, wrap };
            let pieces = split_words(&text, &options).expect("the options are valid");
            let mut next = 0;
            for (at, piece) in pieces.iter().enumerate() {
                let part = &text[piece.range.clone()];
                let start = if at == 0 { 0 } else { next - overlap };
                let found: Vec<&str> = part.split_whitespace().collect();
                prop_assert_eq!(part.trim(), part);
                prop_assert_eq!(&found[..], &all[start..start + found.len()]);
                prop_assert!(start + found.len() > next);
                next = start + found.len();
                let is_last = at + 1 == pieces.len();
                prop_assert!(found.len() == words || is_last);
                let filled = piece.wrapped.clone().map_or(0, |range| text[range].split_whitespace().count());
                let expected = if wrap && is_last && at > 0 { words - found.len() } else { 0 };
                prop_assert_eq!(filled, expected);
            }
            prop_assert_eq!(next, all.len());
        }
    }
}
