//! Compares predicted answers with accepted answers that are regular expressions, as DrQA does.
//!
//! ```
//! use text::PredictionMatcher;
//!
//! let matcher = PredictionMatcher::patterns_lossy([r"(18|19)69", r"Neil\s+A"]).0;
//! assert!(matcher.matches("1969"));
//! assert!(matcher.matches("neil armstrong"), "any text may follow the match");
//! assert!(!matcher.matches("in 1969"), "a match begins at the start of the prediction");
//! ```

use std::borrow::Cow;

use crate::error::Error;
use crate::nfd::decompose;
use crate::python::Pattern;

/// The accepted answers of one question, compiled as regular expressions.
#[derive(Debug, Clone)]
pub struct PredictionMatcher {
    patterns: Vec<Pattern>,
}

impl PredictionMatcher {
    /// Compiles Python regular expressions, such as the answers of the data set CuratedTREC.
    ///
    /// The matcher works like `regex_match_score` of DrQA (Chen et al., 2017): like `re.match` with the flags
    /// `IGNORECASE`, `UNICODE` and `MULTILINE`, after answer and prediction have been decomposed (NFD). A match begins
    /// at the start of the prediction and may end before its end. An answer that
    /// [`AnswerMatcher::patterns`](crate::AnswerMatcher::patterns) would reject matches nothing.
    ///
    /// Also returns the errors of the rejected answers, in order.
    #[must_use]
    pub fn patterns_lossy<A: AsRef<str>>(answers: impl IntoIterator<Item = A>) -> (Self, Vec<Error>) {
        let mut patterns = Vec::new();
        let mut errors = Vec::new();
        for answer in answers {
            match Pattern::at_start(answer.as_ref()) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => errors.push(error),
            }
        }
        (Self { patterns }, errors)
    }

    /// Whether the prediction matches an answer.
    #[must_use]
    pub fn matches(&self, prediction: &str) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let decomposed = decompose(Cow::Borrowed(prediction));
        self.patterns.iter().any(|pattern| pattern.is_match(&decomposed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the prediction matches a single accepted answer.
    fn matches(prediction: &str, answer: &str) -> bool {
        PredictionMatcher::patterns_lossy([answer]).0.matches(prediction)
    }

    #[test]
    fn predictions_match_as_in_python() {
        for (prediction, answer, expected) in PYTHON_RESULTS {
            assert_eq!(matches(prediction, answer), expected, "{prediction:?} against {answer:?}");
        }
    }

    #[test]
    fn an_answer_that_python_rejects_matches_nothing_and_is_reported() {
        // The pattern `a)(b` must be rejected although it would be valid inside another pair of parentheses.
        let (matcher, errors) = PredictionMatcher::patterns_lossy(["(", "a)(b", "*x", "ok"]);
        assert_eq!(errors.len(), 3);
        assert!(matcher.matches("OK then"));
        assert!(!matcher.matches("ab") && !matcher.matches("("));
    }

    #[test]
    fn an_empty_list_of_answers_matches_nothing() {
        assert!(!PredictionMatcher::patterns_lossy([""; 0]).0.matches(""));
    }

    /// Per row: a prediction, an accepted answer, and whether they match in Python 3.11, by DrQA's `regex_match_score`
    /// after `unicodedata.normalize('NFD', …)`.
    const PYTHON_RESULTS: [(&str, &str, bool); 20] = [
        ("1969", "(18|19)69", true),
        ("in 1969", "(18|19)69", false),
        ("1969, in July", "(18|19)69", true),
        ("Neil Armstrong", "armstrong", false),
        ("ARMSTRONG", "armstrong", true),
        ("two\nlines", "^lines", false),
        ("two\nlines", "two$", true),
        ("two\nlines", "(?s)two.lines", true),
        ("twofold", "two\\b", false),
        ("two fold", "two\\b", true),
        ("Zürich", "zu\u{308}rich", true),
        ("Zu\u{308}rich", "Zürich", true),
        ("anything", "", true),
        ("", "", true),
        ("ab", "b|a", true),
        ("aab", "(a)\\1b", true),
        ("ba", "(?<=b)a", false),
        ("20,320 ft", "20,?320\\s*f(ee|oo)?t", true),
        ("cat", "a|cat|d", true),
        (" cat", "cat", false),
    ];
}
