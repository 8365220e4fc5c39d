//! Analyzes the texts of an index, and numbers their terms in the order of their first occurrences.
//!
//! For English, a memo maps short words to the numbers of their terms, so that a word that has occurred before costs
//! one lookup, without lowercasing, stop words, stemming, and a hash table of terms.

use ranking::Interner;

use crate::Analyzer;
use crate::analysis::english::NumberMemo;

/// The terms of the texts so far.
pub(crate) struct TermNumbers {
    analyzer: Analyzer,
    terms: Interner,
    /// The memo of an English analyzer, after its first text.
    memo: Option<NumberMemo>,
}

impl TermNumbers {
    pub fn new(analyzer: Analyzer) -> Self {
        Self { analyzer, terms: Interner::default(), memo: None }
    }

    /// Calls `visit` with the number of each term of a text, in order. A new term gets the next number.
    pub fn for_each(&mut self, text: &str, visit: impl FnMut(u32)) {
        let Self { analyzer, terms, memo } = self;
        analyzer.for_each_number(text, memo, |term| terms.intern(term), visit);
    }

    /// Returns the terms, by their numbers.
    pub fn terms(&self) -> &Interner {
        &self.terms
    }

    /// Number of bytes of memory that the terms and the memo take.
    pub fn memory_bytes(&self) -> usize {
        self.terms.memory_bytes() + self.memo.as_ref().map_or(0, NumberMemo::memory_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_have_the_numbers_of_their_first_occurrences_with_every_analyzer() {
        let texts =
            ["The bridge’s arches, the BRIDGES", "", "Arch bridges: a footbridge-over-the-river's", "été É"];
        let german = Analyzer::snowball("german".parse().expect("a language"));
        let without_arches = Analyzer::ENGLISH.with_stop_words(["arches"]).expect("a stop word");
        for analyzer in [Analyzer::ENGLISH, without_arches, Analyzer::SIMPLE, Analyzer::WHITESPACE, german] {
            let mut numbers = TermNumbers::new(analyzer.clone());
            for text in texts.repeat(2) {
                let mut found = Vec::new();
                numbers.for_each(text, |number| found.push(number));
                let found: Vec<&str> = found.iter().map(|&number| numbers.terms().get(number)).collect();
                assert_eq!(found, analyzer.tokens(text), "{analyzer}: {text}");
            }
        }
    }
}
