//! A list of stop words: words that do not become terms.

use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::Error;

/// Stop words in the form in which they are compared with the words of a text, sorted and without duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StopWords(Arc<[String]>);

impl StopWords {
    /// Creates a list from words in the form in which they are compared.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for an empty stop word.
    pub fn new(words: impl IntoIterator<Item = String>) -> Result<Self, Error> {
        let mut words: Vec<String> = words.into_iter().collect();
        if let Some(at) = words.iter().position(String::is_empty) {
            let got = format!("an empty word at position {at}");
            return Err(Error::Argument { what: "stop words", expected: "non-empty words", got });
        }
        words.sort_unstable();
        words.dedup();
        Ok(Self(words.into()))
    }

    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Returns true if a word, in UTF-8, is in the list.
    pub fn contains(&self, word: &[u8]) -> bool {
        self.0.binary_search_by(|stop| stop.as_bytes().cmp(word)).is_ok()
    }

    /// Returns a description such as `without stop words` or `with 2 stop words (an, the; 1f2e3d4c)`. The hexadecimal
    /// digits are the start of a SHA-256 of all words, so that different lists have different descriptions.
    pub fn describe(&self) -> String {
        const MAX_SHOWN: usize = 3;
        let count = self.0.len();
        if count == 0 {
            return "without stop words".to_owned();
        }
        let mut digest = Sha256::new();
        self.0.iter().for_each(|word| digest.update(format!("{word}\n")));
        let digest = hex(&digest.finalize()[..4]);
        let shown = self.0[..count.min(MAX_SHOWN)].join(", ");
        let (word, rest) =
            (if count == 1 { "word" } else { "words" }, if count > MAX_SHOWN { ", …" } else { "" });
        format!("with {count} stop {word} ({shown}{rest}; {digest})")
    }
}

/// Returns bytes in hexadecimal, two digits each.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop_words(words: &[&str]) -> StopWords {
        StopWords::new(words.iter().map(ToString::to_string)).expect("words")
    }

    #[test]
    fn order_and_repetition_make_no_difference() {
        let words = stop_words(&["über", "the", "an", "the"]);
        assert_eq!(words, stop_words(&["an", "the", "über"]));
        assert_eq!(words.as_slice(), ["an", "the", "über"]);
        assert!(words.contains("über".as_bytes()) && !words.contains(b"a") && !words.contains(b""));
    }

    #[test]
    fn different_lists_have_different_descriptions() {
        assert_eq!(stop_words(&[]).describe(), "without stop words");
        let [one, other] =
            [["a", "b", "c", "d"], ["a", "b", "c", "e"]].map(|words| stop_words(&words).describe());
        assert!(one.starts_with("with 4 stop words (a, b, c, …; "), "{one}");
        assert_ne!(one, other);
    }

    #[test]
    fn an_empty_word_is_rejected() {
        let error = StopWords::new(["a".to_owned(), String::new()]).expect_err("an empty word").to_string();
        assert_eq!(error, "stop words: expected non-empty words, got an empty word at position 1");
    }
}
