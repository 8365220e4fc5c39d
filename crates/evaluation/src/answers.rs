//! Exact match and F1 of a predicted answer, as SQuAD's `evaluate-v1.1.py` (Rajpurkar et al., 2016) computes them, and
//! matches of answers that are regular expressions.
//!
//! ```
//! use evaluation::{exact_match, f1};
//!
//! let answers = ["Denver Broncos", "the Broncos of Denver"];
//! assert!(exact_match("The Denver Broncos!", &answers));
//! assert!(!exact_match("Broncos", &answers));
//! assert_eq!(f1("Broncos", &answers), 2.0 / 3.0); // precision 1, recall 1/2
//! ```

use std::collections::HashMap;

use text::{PredictionMatcher, normalize_answer};

/// Returns whether the prediction equals one of the answers after both are normalized. Returns `false` without answers.
#[must_use]
pub fn exact_match<A: AsRef<str>>(prediction: &str, answers: &[A]) -> bool {
    let prediction = normalize_answer(prediction);
    answers.iter().any(|answer| normalize_answer(answer.as_ref()) == prediction)
}

/// Returns whether the prediction matches one of the answers, which are regular expressions, as in the data set
/// CuratedTREC. DrQA (Chen et al., 2017) computes exact match in this way, in its function `regex_match_score`; see
/// [`PredictionMatcher::patterns_lossy`]. An answer that is not a valid regular expression matches nothing. Returns
/// `false` without answers.
#[must_use]
pub fn pattern_match<A: AsRef<str>>(prediction: &str, answers: &[A]) -> bool {
    PredictionMatcher::patterns_lossy(answers).0.matches(prediction)
}

/// Returns the highest F1 of the prediction and any of the answers, from 0 to 1.
///
/// F1 is the harmonic mean of precision and recall over words, after both texts are normalized. A repeated word counts
/// as often as it occurs in both texts. F1 is 0 if there are no answers or no common words, so it is also 0 if both
/// texts are empty after normalization.
#[must_use]
pub fn f1<A: AsRef<str>>(prediction: &str, answers: &[A]) -> f64 {
    let prediction = normalize_answer(prediction);
    let f1s = answers.iter().map(|answer| f1_of(&prediction, &normalize_answer(answer.as_ref())));
    f1s.fold(0.0, f64::max)
}

/// Returns the F1 of two normalized texts.
fn f1_of(prediction: &str, answer: &str) -> f64 {
    // How often each word of the answer can still be matched. An empty text is split into one empty word, which matches
    // nothing.
    let mut unmatched: HashMap<&str, usize> = HashMap::new();
    let mut answer_words = 0;
    for word in answer.split(' ') {
        *unmatched.entry(word).or_default() += 1;
        answer_words += 1;
    }
    let mut common = 0;
    let mut prediction_words = 0;
    for word in prediction.split(' ') {
        prediction_words += 1;
        if let Some(count) = unmatched.get_mut(word).filter(|count| **count > 0 && !word.is_empty()) {
            *count -= 1;
            common += 1;
        }
    }
    if common == 0 {
        return 0.0;
    }
    let precision = f64::from(common) / f64::from(prediction_words);
    let recall = f64::from(common) / f64::from(answer_words);
    (2.0 * precision * recall) / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_count_as_often_as_they_occur() {
        // "b b" is in both texts: 2 of the 3 predicted words, and 2 of the 4 words of the answer.
        assert_eq!(f1("b b c", &["b b b d"]), 2.0 * (2.0 / 3.0) * 0.5 / (2.0 / 3.0 + 0.5));
        assert_eq!(f1("x", &["y"]), 0.0);
    }

    #[test]
    fn the_best_answer_counts() {
        assert_eq!(f1("new york", &["york", "New York!", "paris"]), 1.0);
        assert!(exact_match("new york", &["york", "New York!"]));
    }

    #[test]
    fn empty_texts_match_exactly_but_have_an_f1_of_0() {
        // Normalization removes articles.
        assert!(exact_match("the", &["", "x"]));
        assert_eq!(f1("the", &["a"]), 0.0);
        assert_eq!(f1("", &["x"]), 0.0);
        assert!(!exact_match("", &[""; 0]));
        assert_eq!(f1("x", &[""; 0]), 0.0);
    }

    proptest! {
        #[test]
        fn f1_is_symmetric_and_1_for_equal_words(a in "[a-e ]{0,12}", b in "[a-e ]{0,12}") {
            prop_assert_eq!(f1(&a, &[&b]), f1(&b, &[&a]));
            let is_empty = normalize_answer(&a).is_empty();
            prop_assert_eq!(f1(&a, &[&a]), if is_empty { 0.0 } else { 1.0 });
            if exact_match(&a, &[&b]) && !is_empty {
                prop_assert_eq!(f1(&a, &[&b]), 1.0);
            }
        }
    }
}
