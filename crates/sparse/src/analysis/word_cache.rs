//! Remembers the terms of short words: most words of a text were met before.

use std::cell::Cell;

/// Words that are remembered, one in each slot.
const SLOTS: usize = 1 << 13;

/// Bytes of a word, or of a term, that can be remembered.
const LONGEST: usize = 14;

/// A word with its term.
#[derive(Clone, Copy, Default)]
struct Slot {
    word: Key,
    term: [u8; LONGEST],
    /// 0 for a stop word.
    term_length: u8,
}

/// A word of up to [`LONGEST`] bytes: its first and last ones, which overlap, and how many there are.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key {
    first: u64,
    last: u64,
    /// 0 is no word.
    length: u8,
}

thread_local! {
    static MEMORY: Cell<Option<Box<[Slot; SLOTS]>>> = const { Cell::new(None) };
}

/// The terms of words met by this thread, as one function gives them.
pub(crate) struct WordMemory {
    slots: Box<[Slot; SLOTS]>,
}

impl WordMemory {
    /// The thread's memory, or an empty one.
    pub fn take() -> Self {
        Self { slots: MEMORY.take().unwrap_or_else(|| Box::new([Slot::default(); SLOTS])) }
    }

    /// Keeps the memory for the next text.
    pub fn give_back(self) {
        MEMORY.set(Some(self.slots));
    }

    /// Calls `visit` with the term of a word, if it has one: the remembered one, or what `find` gives.
    #[inline]
    pub fn term<'a>(
        &'a mut self,
        word: &str,
        find: impl FnOnce() -> Option<&'a str>,
        mut visit: impl FnMut(&str),
    ) {
        if word.len() > LONGEST || word.is_empty() {
            return find().map_or((), visit);
        }
        let key = Key::of(word.as_bytes());
        let slot = &mut self.slots[key.place()];
        if slot.word != key {
            let term = find().unwrap_or_default();
            if term.len() > LONGEST {
                return visit(term);
            }
            *slot = Slot { word: key, term: [0; LONGEST], term_length: term.len() as u8 };
            slot.term[..term.len()].copy_from_slice(term.as_bytes());
        }
        if slot.term_length > 0 {
            let term = &slot.term[..usize::from(slot.term_length)];
            visit(std::str::from_utf8(term).expect("a term as it came"));
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

    #[inline]
    fn place(self) -> usize {
        let mixed = (self.first ^ self.last.rotate_left(29) ^ u64::from(self.length))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize % SLOTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_the_terms_that_were_found_for_them() {
        let mut memory = WordMemory::take();
        let long = "a-word-of-more-than-fifteen-bytes";
        for round in 0..3 {
            for (word, term) in [
                ("runs", Some("run")),
                ("r", Some("r")),
                ("rrrr", Some("q")),
                ("rrrrr", Some("rr")),
                ("the", None),
                ("É", Some("é")),
                (long, Some(long)),
            ] {
                let (mut asked, mut got) = (false, None);
                let find = || {
                    asked = true;
                    term
                };
                memory.term(word, find, |term| got = Some(term.to_owned()));
                assert_eq!(got.as_deref(), term, "{word}");
                assert_eq!(asked, round == 0 || word == long, "{word}");
            }
        }
        memory.give_back();
        WordMemory::take().term(
            "runs",
            || unreachable!("a word that was met"),
            |term| assert_eq!(term, "run"),
        );
    }
}
