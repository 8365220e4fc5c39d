//! Top-k accuracy: the fraction of questions with an answer in one of their first k passages
//! (Karpukhin et al., 2020, §4).
//!
//! ```
//! use evaluation::{accuracy_at, first_match};
//! use text::AnswerMatcher;
//!
//! let matcher = AnswerMatcher::tokens(["Denver Broncos"]);
//! let first = first_match(&matcher, ["The Panthers lost.", "The Denver Broncos won."]);
//! assert_eq!(first, Some(2));
//!
//! let first_ranks = [first, None];
//! assert_eq!([1, 20].map(|k| accuracy_at(&first_ranks, k)), [0.0, 0.5]);
//! ```

use text::{AnswerMatcher, PreparedText};

/// Returns the rank, from 1, of the first text that has an answer, or `None` if none has one. `texts` are in ranked
/// order. Texts after the first match are not read.
pub fn first_match<T: AsRef<str>>(
    matcher: &AnswerMatcher,
    texts: impl IntoIterator<Item = T>,
) -> Option<usize> {
    rank_of(texts.into_iter().position(|text| matcher.matches(text.as_ref())))
}

/// Does the same as [`first_match`], but with texts that the caller has prepared once for many questions.
pub fn first_match_prepared<'p, 't: 'p>(
    matcher: &AnswerMatcher,
    texts: impl IntoIterator<Item = &'p PreparedText<'t>>,
) -> Option<usize> {
    rank_of(texts.into_iter().position(|text| matcher.matches_prepared(text)))
}

/// Returns the fraction of questions with an answer in one of their first `k` passages, or 0 if there are no questions.
/// `first_ranks` has the result of [`first_match`] for each question.
#[must_use]
pub fn accuracy_at(first_ranks: &[Option<usize>], k: usize) -> f64 {
    if first_ranks.is_empty() {
        return 0.0;
    }
    let answered = first_ranks.iter().flatten().filter(|&&rank| rank <= k).count();
    answered as f64 / first_ranks.len() as f64
}

/// Converts an index (from 0) to a rank (from 1).
fn rank_of(index: Option<usize>) -> Option<usize> {
    index.map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prepared_texts_give_the_same_rank() {
        let texts = ["x", "É", "e\u{301}"];
        let prepared = texts.map(PreparedText::new);
        for (answer, rank) in [("é", Some(2)), ("x", Some(1)), ("e", None)] {
            let matcher = AnswerMatcher::tokens([answer]);
            assert_eq!(first_match(&matcher, texts), rank);
            assert_eq!(first_match_prepared(&matcher, &prepared), rank);
        }
    }

    #[test]
    fn accuracy_grows_with_k() {
        let first_ranks = [Some(1), Some(5), None, Some(100)];
        let accuracies = [0, 1, 5, 20, 100].map(|k| accuracy_at(&first_ranks, k));
        assert_eq!(accuracies, [0.0, 0.25, 0.5, 0.5, 0.75]);
        assert_eq!(accuracy_at(&[], 20), 0.0);
    }
}
