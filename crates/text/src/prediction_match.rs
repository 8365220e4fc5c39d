//! Whether a predicted answer matches an accepted one that is a regular expression.
//!
//! ```
//! use text::PredictionMatcher;
//!
//! let matcher = PredictionMatcher::patterns_lossy([r"(18|19)69", r"Neil\s+A"]).0;
//! assert!(matcher.matches("1969"));
//! assert!(matcher.matches("neil armstrong"), "what follows the match may be anything");
//! assert!(!matcher.matches("in 1969"), "a match begins where the prediction begins");
//! ```

use std::borrow::Cow;

use crate::error::Error;
use crate::pattern::Pattern;
use crate::prepared::decompose;

/// The accepted answers of one question as regular expressions, ready to be compared with many predictions.
#[derive(Debug, Clone)]
pub struct PredictionMatcher {
    patterns: Vec<Pattern>,
}

impl PredictionMatcher {
    /// Compiles Python regular expressions, such as the answers of CuratedTREC.
    ///
    /// They are matched as `regex_match_score` of DrQA (Chen et al., 2017) matches them, by `re.match` with
    /// `IGNORECASE`, `UNICODE` and `MULTILINE` on decomposed text (NFD on both sides): the match begins where the
    /// prediction begins and may end before the prediction ends. An answer that Python would refuse matches nothing.
    ///
    /// Also returns why each of those was refused, in order.
    #[must_use]
    pub fn patterns_lossy<A: AsRef<str>>(answers: impl IntoIterator<Item = A>) -> (Self, Vec<Error>) {
        let mut patterns = Vec::new();
        let mut refused = Vec::new();
        for answer in answers {
            match Pattern::at_start(answer.as_ref()) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => refused.push(error),
            }
        }
        (Self { patterns }, refused)
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

    fn matches(prediction: &str, answer: &str) -> bool {
        PredictionMatcher::patterns_lossy([answer]).0.matches(prediction)
    }

    // The expected values are what Python 3.11 prints for DrQA's function after `unicodedata.normalize('NFD', …)`.
    #[test]
    fn predictions_match_as_in_python() {
        for (prediction, answer, expected) in PYTHON {
            assert_eq!(matches(prediction, answer), expected, "{prediction:?} against {answer:?}");
        }
    }

    #[test]
    fn an_answer_that_python_refuses_matches_nothing_and_is_reported() {
        // Put between other parentheses, the second one would be valid.
        let (matcher, refused) = PredictionMatcher::patterns_lossy(["(", "a)(b", "*x", "ok"]);
        assert_eq!(refused.len(), 3);
        assert!(matcher.matches("OK then"));
        assert!(!matcher.matches("ab") && !matcher.matches("("));
    }

    #[test]
    fn no_answer_matches_nothing() {
        assert!(!PredictionMatcher::patterns_lossy([""; 0]).0.matches(""));
    }

    const PYTHON: [(&str, &str, bool); 20] = [
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
