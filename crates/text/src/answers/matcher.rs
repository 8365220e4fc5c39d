//! Tells whether a passage contains an accepted answer of a question, as DPR and Pyserini do.
//!
//! ```
//! use text::AnswerMatcher;
//!
//! let matcher = AnswerMatcher::tokens(["1,000", "Zürich"]);
//! assert!(matcher.matches("It cost $1,000.50."));
//! assert!(matcher.matches("ZÜRICH is in Switzerland."));
//! assert!(!matcher.matches("It cost $11,000."));
//!
//! let matcher = AnswerMatcher::patterns([r"20,?320\s*f(ee|oo)?t"])?;
//! assert!(matcher.matches("Denali is 20,320 Feet high."));
//! # Ok::<(), text::Error>(())
//! ```

use std::borrow::Cow;

use memchr::memmem::Finder;

use super::prepared_text::{PreparedText, joined_tokens};
use crate::error::Error;
use crate::nfd::decompose;
use crate::python::Pattern;

/// The answers of one question, prepared for searching many texts.
#[derive(Debug, Clone)]
pub struct AnswerMatcher {
    answers: Answers,
}

#[derive(Debug, Clone)]
enum Answers {
    /// One substring finder per answer; it looks for the [`joined_tokens`] of the answer.
    Tokens(Vec<Finder<'static>>),
    /// One compiled regular expression per answer.
    Patterns(Vec<Pattern>),
}

impl AnswerMatcher {
    /// Creates a matcher for answers in plain text. It matches a text that contains all tokens of an answer in
    /// sequence, without other tokens between them.
    ///
    /// This is `has_answer` of DPR (Karpukhin et al., 2020) and Pyserini: text and answer are decomposed (NFD), split
    /// into tokens by DPR's `SimpleTokenizer` (`[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]`), and lowercased. As in these
    /// systems, an answer without tokens, such as `""`, matches every text. An empty list of answers matches no text.
    #[must_use]
    pub fn tokens<A: AsRef<str>>(answers: impl IntoIterator<Item = A>) -> Self {
        let finder =
            |answer: A| Finder::new(&joined_tokens(&decompose(Cow::Borrowed(answer.as_ref())))).into_owned();
        Self { answers: Answers::Tokens(answers.into_iter().map(finder).collect()) }
    }

    /// Creates a matcher for answers that are regular expressions, such as those of the data set CuratedTREC. It
    /// matches a text in which at least one of the patterns occurs.
    ///
    /// The patterns have the syntax of Python's module `re`. As in Pyserini, text and pattern are decomposed (NFD), and
    /// the flags are `IGNORECASE`, `UNICODE` and `MULTILINE`; `\w`, `\b` and `\s` match what they match in Python.
    ///
    /// Patterns with look-around, back-references, conditionals, atomic groups, possessive repetition, `\b` or `\B` are
    /// matched by backtracking, and a search that exceeds ten million steps counts as no match. All other patterns are
    /// matched in time linear in the length of the text.
    ///
    /// # Errors
    ///
    /// [`Error::Pattern`] for the first answer that Python would reject, or that uses an unsupported feature: the flags
    /// `a`, `L`, `x` and `-i`, `\N{…}` or repeated look-around. Because a pattern is decomposed before it is compiled,
    /// `\é` becomes `\e` and an accent, which is invalid.
    pub fn patterns<A: AsRef<str>>(answers: impl IntoIterator<Item = A>) -> Result<Self, Error> {
        let patterns = answers.into_iter().map(|answer| Pattern::new(answer.as_ref()));
        Ok(Self { answers: Answers::Patterns(patterns.collect::<Result<_, _>>()?) })
    }

    /// Like [`patterns`](Self::patterns), but an invalid answer matches nothing, as in DPR and Pyserini. The published
    /// figures of both systems for CuratedTREC, which has three invalid answers, were computed in this way.
    ///
    /// Also returns the errors of the invalid answers, in order.
    #[must_use]
    pub fn patterns_lossy<A: AsRef<str>>(answers: impl IntoIterator<Item = A>) -> (Self, Vec<Error>) {
        let mut patterns = Vec::new();
        let mut errors = Vec::new();
        for answer in answers {
            match Pattern::new(answer.as_ref()) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => errors.push(error),
            }
        }
        (Self { answers: Answers::Patterns(patterns) }, errors)
    }

    /// Whether the text contains an answer.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.matches_prepared(&PreparedText::new(text))
    }

    /// Whether the prepared text contains an answer.
    #[must_use]
    pub fn matches_prepared(&self, text: &PreparedText<'_>) -> bool {
        match &self.answers {
            Answers::Tokens(answers) => {
                let tokens = text.tokens().as_bytes();
                answers.iter().any(|answer| answer.find(tokens).is_some())
            }
            Answers::Patterns(patterns) => patterns.iter().any(|pattern| pattern.is_match(text.decomposed())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether a plain-text answer matches the text.
    fn has_tokens(text: &str, answer: &str) -> bool {
        AnswerMatcher::tokens([answer]).matches(text)
    }

    /// Whether an answer that is a regular expression matches the text.
    fn has_pattern(text: &str, answer: &str) -> bool {
        AnswerMatcher::patterns([answer]).expect("the pattern is valid").matches(text)
    }

    #[test]
    fn an_answer_matches_only_whole_tokens_in_sequence() {
        assert!(has_tokens("well-known", "known"));
        assert!(!has_tokens("unknown", "known"));
        assert!(has_tokens("may 18 , 2018", "May 18, 2018"));
        assert!(!has_tokens("state-of-the-art", "state of the art"));
        assert!(has_tokens("aab ab", "ab"));
        assert!(!has_tokens("a c b", "a b"));
    }

    #[test]
    fn composed_and_decomposed_letters_match_but_accents_matter() {
        assert!(has_tokens("Zu\u{308}rich", "zürich"));
        assert!(has_tokens("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"));
        assert!(!has_tokens("café", "cafe"));
        assert!(has_tokens("ΟΔΟΣ", "οδος")); // Σ at the end of a word is lowercased to ς
    }

    #[test]
    fn an_answer_without_tokens_matches_every_text_and_an_empty_list_matches_none() {
        for text in ["", "x"] {
            assert!(has_tokens(text, ""));
            assert!(has_tokens(text, " \u{200b}"));
            assert!(!AnswerMatcher::tokens([""; 0]).matches(text));
            assert!(!AnswerMatcher::patterns([""; 0]).expect("the list is empty").matches(text));
        }
        assert!(!has_tokens("", "a"));
    }

    #[test]
    fn patterns_ignore_case_and_their_anchors_match_at_every_line() {
        assert!(has_pattern("line1\nline2", "^LINE2$"));
        assert!(!has_pattern("line1\nline2", "line1.line2"));
        assert!(has_pattern("Founded In 1492", r"founded\s+in"));
        assert!(!has_pattern("line2 ", "^line2$"));
    }

    #[test]
    fn patterns_are_decomposed_like_the_text() {
        assert!(has_pattern("Zürich", "zürich"));
        // The decomposed class contains z and the caron, so it matches only one of the two characters of ž.
        assert!(!has_pattern("Sněžka", "Sně[zž]ka"));
        assert!(has_pattern("1963–1980", r"1963\–1980")); // decomposition does not change a dash
    }

    #[test]
    fn word_boundaries_are_those_of_python() {
        assert!(has_pattern("it is 12.", r"\b12\b"));
        assert!(!has_pattern("it is 123", r"\b12\b"));
        assert!(has_pattern("café", r"\bcafe\b")); // in NFD, the word ends after the e, before the accent
        assert!(!has_pattern("12²", r"\b12\b")); // ² is a word character
        assert!(has_pattern("a\u{200d}b", r"a\b")); // a zero-width joiner is not a word character
    }

    #[test]
    fn a_pattern_that_python_rejects_is_an_error_or_matches_nothing() {
        let error = AnswerMatcher::patterns([r"Laval|P\étain"]).expect_err("\\e is not an escape");
        assert_eq!(
            error.to_string(),
            r"answer pattern: expected a regular expression, got 'Laval|P\étain' (bad escape \e)"
        );
        let (matcher, errors) = AnswerMatcher::patterns_lossy([r"Laval|P\étain", "Vichy", "("]);
        assert_eq!(errors.len(), 2);
        assert!(matcher.matches("vichy") && !matcher.matches("Laval"));
    }

    #[test]
    fn a_search_that_takes_too_many_steps_finds_no_match() {
        let matcher = AnswerMatcher::patterns([r"(?=(a|aa)+$)(a|aa)+\1\1\1\1b"]).expect("it is valid");
        assert!(!matcher.matches(&format!("{}c", "a".repeat(60))));
    }

    proptest! {
        #[test]
        fn a_text_contains_every_sequence_of_its_words(
            words in prop::collection::vec(r"[a-zA-Z0-9é²,.']{1,6}", 1..12), from in 0usize..12, to in 0usize..12
        ) {
            let (from, to) = (from.min(words.len()), to.min(words.len()));
            let part = words[from.min(to)..from.max(to)].join("  ");
            prop_assert!(has_tokens(&words.join(" ").to_uppercase(), &part.to_uppercase()));
        }
    }
}
