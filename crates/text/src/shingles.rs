//! Measures how much of a text another text repeats.
//!
//! ```
//! use text::{PreparedText, Shingles};
//!
//! let shingles = |text| Shingles::new(&PreparedText::new(text));
//! let gold = shingles("The tower is 330 meters tall.");
//! let split_differently = shingles("It was built in 1889. The tower is 330 meters tall, and");
//! assert_eq!(gold.overlap(&split_differently), 1.0);
//! assert_eq!(gold.overlap(&shingles("The tower is closed.")), 2.0 / 3.0);
//! ```

use super::answers::PreparedText;

/// The shingles of a text: its distinct pairs of adjacent words (Broder, 1997, "On the resemblance and containment of
/// documents", with w = 2).
///
/// Words are the tokens of DPR's tokenizer that have letters, digits or marks, in lower case and in canonical
/// decomposition (NFD); punctuation is ignored, because preprocessing often changes it. The shingle of a text with a
/// single word is that word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shingles {
    /// Hashes of the shingles, in ascending order and without duplicates.
    hashes: Vec<u64>,
}

impl Shingles {
    /// Computes the shingles of a text.
    #[must_use]
    pub fn new(text: &PreparedText<'_>) -> Self {
        let words: Vec<u64> = text.words().map(hash_word).collect();
        let mut hashes: Vec<u64> = match words[..] {
            [word] => vec![word],
            _ => words.windows(2).map(|pair| pair[0].rotate_left(23).wrapping_mul(PRIME) ^ pair[1]).collect(),
        };
        hashes.sort_unstable();
        hashes.dedup();
        Self { hashes }
    }

    /// Number of distinct shingles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether the text has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Number of shingles that both texts have.
    #[must_use]
    pub fn shared(&self, other: &Self) -> usize {
        let (mut shared, mut rest) = (0, &other.hashes[..]);
        for hash in &self.hashes {
            rest = &rest[rest.partition_point(|other| other < hash)..];
            shared += usize::from(rest.first() == Some(hash));
        }
        shared
    }

    /// The containment of the shorter text in the longer one (Broder, 1997): the number of shared shingles, divided by
    /// the number of shingles of the text that has fewer. Returns 0 if a text has no words.
    #[must_use]
    pub fn overlap(&self, other: &Self) -> f32 {
        match self.len().min(other.len()) {
            0 => 0.0,
            shorter => self.shared(other) as f32 / shorter as f32,
        }
    }
}

/// The prime of the 64-bit FNV hash.
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Hashes a word with FNV-1a, whose values are the same on every platform.
fn hash_word(word: &str) -> u64 {
    word.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn shingles(text: &str) -> Shingles {
        Shingles::new(&PreparedText::new(text))
    }

    #[test]
    fn case_punctuation_and_unicode_forms_do_not_matter_but_the_order_of_words_does() {
        assert_eq!(shingles("The well-known Zürich."), shingles("the WELL known zu\u{308}rich"));
        assert_eq!(shingles("a b c").shared(&shingles("c b a")), 0);
        assert_eq!(shingles("a b a b").len(), 2); // a b, b a
    }

    #[test]
    fn the_overlap_is_the_share_of_the_shorter_text() {
        // The shorter text has the shingles "a b", "b c" and "c d"; the longer one has the first two of them.
        let (short, long) = (shingles("a b c d"), shingles("x a b c y z"));
        assert_eq!(short.overlap(&long), 2.0 / 3.0);
        assert_eq!(long.overlap(&short), 2.0 / 3.0);
        assert_eq!(shingles("a b c").overlap(&long), 1.0);
    }

    #[test]
    fn a_single_word_is_a_shingle_and_a_text_without_words_overlaps_with_nothing() {
        assert_eq!(shingles("Bern").overlap(&shingles("bern!")), 1.0);
        assert_eq!(shingles("Bern").overlap(&shingles("Bern is")), 0.0);
        assert!(shingles(" ?! ").is_empty());
        assert_eq!(shingles("").overlap(&shingles("")), 0.0);
    }

    proptest! {
        #[test]
        fn shared_shingles_are_those_of_both_sets_of_pairs(a in "([abc] ){2,12}", b in "([abc] ){2,12}") {
            let pairs = |text: &str| -> HashSet<(String, String)> {
                let words: Vec<&str> = text.split_whitespace().collect();
                words.windows(2).map(|pair| (pair[0].to_owned(), pair[1].to_owned())).collect()
            };
            let expected = pairs(&a).intersection(&pairs(&b)).count();
            prop_assert_eq!(shingles(&a).shared(&shingles(&b)), expected);
        }
    }
}
