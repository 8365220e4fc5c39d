//! A per-thread cache ("memo") of the terms of short words. Most words of a text have occurred before, and a lookup is
//! faster than lowercasing a word, comparing it with stop words and stemming it.

use std::cell::Cell;

/// Number of slots in the memo. Each slot holds one word; a new word replaces the one in its slot.
const SLOTS: usize = 1 << 13;

/// Maximum number of bytes of a word, and of its term, in the memo.
const MAX_BYTES: usize = 14;

/// A word and its term.
#[derive(Clone, Copy, Default)]
struct Slot {
    word: Key,
    term: [u8; MAX_BYTES],
    /// 0 for a stop word.
    term_length: u8,
}

/// A word of up to [`MAX_BYTES`] bytes: its length, and its first and last eight bytes, which may overlap. For words of
/// four to seven bytes, the first and last four bytes; for shorter words, all bytes in `first`. Different words have
/// different keys.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    first: u64,
    last: u64,
    /// 0 for an empty slot.
    length: u8,
}

thread_local! {
    /// The memo of this thread; `None` before its first use and while a text is being analyzed.
    static MEMO: Cell<Option<Box<[Slot; SLOTS]>>> = const { Cell::new(None) };
}

/// Maps words to the terms that a function returned for them. All calls must use the same function.
pub(crate) struct TermMemo {
    slots: Box<[Slot; SLOTS]>,
}

impl TermMemo {
    /// Takes the memo of this thread. Creates an empty one if there is none yet, or if it is in use.
    pub fn take() -> Self {
        Self { slots: MEMO.take().unwrap_or_else(|| Box::new([Slot::default(); SLOTS])) }
    }

    /// Returns the memo to the thread for the next text.
    pub fn put_back(self) {
        MEMO.set(Some(self.slots));
    }

    /// Calls `visit` with the term of a word, unless the word is a stop word. If the word is not in the memo, calls
    /// `compute`, which returns the term, or `None` for a stop word.
    #[inline]
    pub fn term<'a>(
        &'a mut self,
        word: &str,
        compute: impl FnOnce() -> Option<&'a str>,
        mut visit: impl FnMut(&str),
    ) {
        if word.len() > MAX_BYTES || word.is_empty() {
            return compute().map_or((), visit);
        }
        let key = Key::of(word.as_bytes());
        let slot = &mut self.slots[key.slot()];
        if slot.word != key {
            let term = compute().unwrap_or_default();
            if term.len() > MAX_BYTES {
                return visit(term);
            }
            *slot = Slot { word: key, term: [0; MAX_BYTES], term_length: term.len() as u8 };
            slot.term[..term.len()].copy_from_slice(term.as_bytes());
        }
        if slot.term_length > 0 {
            let term = &slot.term[..usize::from(slot.term_length)];
            visit(std::str::from_utf8(term).expect("a term was valid UTF-8 when it was stored"));
        }
    }
}

impl Key {
    #[inline]
    fn of(word: &[u8]) -> Self {
        let length = word.len() as u8;
        if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
            return Self { first: u64::from_le_bytes(*first), last: u64::from_le_bytes(*last), length };
        }
        if let (Some(first), Some(last)) = (word.first_chunk(), word.last_chunk()) {
            let [first, last] = [first, last].map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
            return Self { first, last, length };
        }
        let first = word.iter().fold(0, |first, &byte| first << 8 | u64::from(byte));
        Self { first, last: 0, length }
    }

    /// Returns the number of the slot that may hold the word.
    #[inline]
    fn slot(self) -> usize {
        // Fibonacci hashing: the factor is 2^64 divided by the golden ratio.
        let mixed = (self.first ^ self.last.rotate_left(29) ^ u64::from(self.length))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize % SLOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_term_of_a_short_word_is_computed_once_and_that_of_a_long_word_each_time() {
        let mut memo = TermMemo::take();
        let long = "a-word-of-more-than-14-bytes";
        for round in 0..3 {
            for (word, term) in [
                ("runs", Some("run")),
                ("r", Some("r")),
                ("rrrr", Some("q")),
                ("rrrrr", Some("rr")),
                ("footbridges", Some("footbridg")),
                ("the", None),
                ("É", Some("é")),
                (long, Some(long)),
            ] {
                let (mut computed, mut got) = (false, None);
                let compute = || {
                    computed = true;
                    term
                };
                memo.term(word, compute, |term| got = Some(term.to_owned()));
                assert_eq!(got.as_deref(), term, "{word}");
                assert_eq!(computed, round == 0 || word == long, "{word}");
            }
        }
        memo.put_back();
        TermMemo::take().term("runs", || unreachable!("a word in the memo"), |term| assert_eq!(term, "run"));
    }
}
