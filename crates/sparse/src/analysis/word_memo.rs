//! A cache ("memo") of values of short words. Most words of a text have occurred before, and a lookup is faster than
//! lowercasing a word, comparing it with stop words and stemming it.

use crate::analysis::standard_tokenizer::range_in;

/// Maximum number of bytes of a word in the memo.
const MAX_BYTES: usize = 14;

/// Maps words to the values that a function returned for them. All calls must use the same function. Each slot holds
/// one word; a new word replaces the one in its slot. There are `1 << BITS` slots.
pub(crate) struct WordMemo<V, const BITS: u32> {
    slots: Box<[Slot<V>]>,
}

/// A word and its value.
#[derive(Clone, Copy, Default)]
struct Slot<V> {
    word: Key,
    value: V,
}

/// A word of up to [`MAX_BYTES`] bytes: its bytes, followed by zeros, and in the last byte its length. Different words
/// have different keys.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Key([u64; 2]);

impl<V: Copy + Default, const BITS: u32> WordMemo<V, BITS> {
    pub fn new() -> Self {
        Self { slots: vec![Slot::default(); 1 << BITS].into_boxed_slice() }
    }

    /// Returns the value of a word, which must be a slice of `text`. If the word is not in the memo, calls `compute`,
    /// and stores the value if the word is short enough. What `compute` returns as `Err` is not stored.
    #[inline]
    pub fn get<E>(&mut self, text: &str, word: &str, compute: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        if word.is_empty() || word.len() > MAX_BYTES {
            return compute();
        }
        let key = Key::of(text, word);
        let slot = &mut self.slots[key.hash(BITS)];
        if slot.word != key {
            *slot = Slot { word: key, value: compute()? };
        }
        Ok(slot.value)
    }

    /// Number of bytes of memory that the memo takes.
    pub fn memory_bytes(&self) -> usize {
        size_of_val(&*self.slots)
    }
}

impl Key {
    #[inline]
    fn of(text: &str, word: &str) -> Self {
        let following = &text.as_bytes()[range_in(text, word).start..];
        // Usually, at least 16 bytes follow in the text, so that the word can be read at once, whatever its length.
        let bytes = following.first_chunk().copied().unwrap_or_else(|| {
            let mut bytes = [0; 16];
            bytes[..following.len()].copy_from_slice(following);
            bytes
        });
        let unused_bits = 8 * (16 - word.len());
        let word_bytes = u128::from_le_bytes(bytes) << unused_bits >> unused_bits;
        let [low, high] = [word_bytes as u64, (word_bytes >> 64) as u64];
        Self([low, high | (word.len() as u64) << 56])
    }

    /// Returns a hash of this number of bits.
    #[inline]
    fn hash(self, bits: u32) -> usize {
        let Self([low, high]) = self;
        // Fibonacci hashing: the factor is 2^64 divided by the golden ratio. Only the highest bits of the product
        // depend on all bits of the key.
        let mixed = (low ^ high.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (u64::BITS - bits)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_short_word_is_computed_once_and_that_of_a_long_word_each_time() {
        let mut memo = WordMemo::<_, 12>::new();
        let words = [
            "",
            "r",
            "rr",
            "rrrr",
            "rrrrr",
            "É",
            "éÉ",
            "footbridges",
            "abcdefghijklmn",
            "a-word-of-more-than-14-bytes",
        ];
        for round in 0..4 {
            for (word, value) in words.iter().zip(1..) {
                let mut is_computed = false;
                // Text may follow the word, or end with it.
                let text = format!("{word}{}", &"s and other words"[..8 * (round % 3)]);
                let got = memo.get(&text, &text[..word.len()], || {
                    is_computed = true;
                    Ok::<_, ()>(value)
                });
                let is_stored = (1..=MAX_BYTES).contains(&word.len());
                assert_eq!((got, is_computed), (Ok(value), round == 0 || !is_stored), "{word}");
            }
        }
        assert_eq!(memo.get("new", "new", || Err("no value")), Err("no value"));
        assert_eq!(memo.get("new", "new", || Ok::<_, ()>(7)), Ok(7));
    }

    #[test]
    fn words_that_share_a_slot_replace_each_other() {
        let words: Vec<String> = (0..40).map(|number| format!("provide{number}")).collect();
        let mut memo = WordMemo::<_, 1>::new();
        for (word, value) in words.iter().zip(0..).cycle().take(500) {
            assert_eq!(memo.get(word, word, || Ok::<_, ()>(value)), Ok(value), "{word}");
        }
    }

    fn hash_of(word: &str) -> usize {
        Key::of(word, word).hash(13)
    }

    #[test]
    fn every_byte_of_a_word_matters_for_its_slot() {
        // Neighboring letters rarely have the same slot, wherever in the word they are.
        for place in 0..MAX_BYTES {
            let word =
                |letter: char| format!("{}{letter}{}", "a".repeat(place), "a".repeat(MAX_BYTES - place - 1));
            let slots: std::collections::HashSet<usize> =
                ('a'..='z').map(|letter| hash_of(&word(letter))).collect();
            assert!(slots.len() > 20, "{place}: {}", slots.len());
        }
    }
}
