//! A memo of the terms of short English words, one per thread, for queries and other single texts. Indexing has a memo
//! of its own, which maps words to the numbers of their terms: [`term_numbers`](super::term_numbers).

use std::cell::Cell;

use crate::analysis::word_memo::WordMemo;

/// The memo has 8,192 slots (256 KiB).
const SLOT_BITS: u32 = 13;

/// Maximum number of bytes of a term in the memo.
const MAX_TERM_BYTES: usize = 14;

/// The term of a word.
#[derive(Clone, Copy, Default)]
struct ShortTerm {
    bytes: [u8; MAX_TERM_BYTES],
    /// 0 for a stop word.
    length: u8,
}

thread_local! {
    /// The memo of this thread; `None` before its first use and while a text is being analyzed.
    static MEMO: Cell<Option<WordMemo<ShortTerm, SLOT_BITS>>> = const { Cell::new(None) };
}

/// Maps words to the terms that a function returned for them. All calls must use the same function.
pub(crate) struct TermMemo(WordMemo<ShortTerm, SLOT_BITS>);

impl TermMemo {
    /// Takes the memo of this thread. Creates an empty one if there is none yet, or if it is in use.
    pub fn take() -> Self {
        Self(MEMO.take().unwrap_or_else(WordMemo::new))
    }

    /// Returns the memo to the thread for the next text.
    pub fn put_back(self) {
        MEMO.set(Some(self.0));
    }

    /// Calls `visit` with the term of a word, unless the word is a stop word. The word must be a slice of `text`. If
    /// the word is not in the memo, calls `compute`, which returns the term, or `None` for a stop word.
    #[inline]
    pub fn term<'a>(
        &mut self,
        text: &str,
        word: &str,
        compute: impl FnOnce() -> Option<&'a str>,
        mut visit: impl FnMut(&str),
    ) {
        let compute = || {
            let term = compute().unwrap_or_default();
            ShortTerm::new(term).ok_or(term)
        };
        match self.0.get(text, word, compute) {
            Ok(term) if term.length > 0 => visit(term.as_str()),
            Ok(_) => {}
            Err(long) => visit(long),
        }
    }
}

impl ShortTerm {
    /// Returns `None` if the term is too long.
    fn new(term: &str) -> Option<Self> {
        let mut bytes = [0; MAX_TERM_BYTES];
        bytes.get_mut(..term.len())?.copy_from_slice(term.as_bytes());
        Some(Self { bytes, length: term.len() as u8 })
    }

    fn as_str(&self) -> &str {
        let term = &self.bytes[..usize::from(self.length)];
        std::str::from_utf8(term).expect("a term was valid UTF-8 when it was stored")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_term_of_a_short_word_is_computed_once_and_that_of_a_long_word_each_time() {
        let mut memo = TermMemo::take();
        let long = "a-word-of-more-than-14-bytes";
        let lengthened = "a-term-of-more-than-14-bytes";
        for round in 0..3 {
            for (word, term) in [
                ("runs", Some("run")),
                ("r", Some("r")),
                ("rrrr", Some("q")),
                ("rrrrr", Some("rr")),
                ("footbridges", Some("footbridg")),
                ("the", None),
                ("É", Some("é")),
                ("long", Some(lengthened)),
                (long, Some(long)),
            ] {
                let (mut computed, mut got) = (false, None);
                let compute = || {
                    computed = true;
                    term
                };
                memo.term(word, word, compute, |term| got = Some(term.to_owned()));
                assert_eq!(got.as_deref(), term, "{word}");
                assert_eq!(computed, round == 0 || [long, "long"].contains(&word), "{word}");
            }
        }
        memo.put_back();
        TermMemo::take().term(
            "runs",
            "runs",
            || unreachable!("a word in the memo"),
            |term| assert_eq!(term, "run"),
        );
    }
}
