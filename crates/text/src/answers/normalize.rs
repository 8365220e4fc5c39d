//! Normalizes answers as SQuAD's evaluation script does.
//!
//! ```
//! use text::normalize_answer;
//!
//! assert_eq!(normalize_answer("  The U.S.A.,  a country "), "usa country");
//! ```

use crate::python::characters::{is_space, is_word};

const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// Lowercases an answer, removes ASCII punctuation, then the words `a`, `an` and `the`, and collapses white space.
///
/// Returns exactly what `normalize_answer` of SQuAD's `evaluate-v1.1.py` (Rajpurkar et al., 2016) returns. The order of
/// the steps matters: punctuation is removed before the articles, so `"a.m."` becomes `"am"`. Words and white space are
/// defined as in Python's regular expressions. Non-ASCII punctuation stays but ends a word: `"the–end"` becomes
/// `"–end"`.
#[must_use]
pub fn normalize_answer(answer: &str) -> String {
    let mut kept = answer.to_lowercase();
    kept.retain(|c| !c.is_ascii_punctuation());

    let mut normalized = String::with_capacity(kept.len());
    // Whether white space or an article precedes the next part.
    let mut has_gap = false;
    let mut rest = kept.as_str();
    while let Some(first) = rest.chars().next() {
        let end =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (part, tail) = rest.split_at(end);
        rest = tail;
        if is_space(first) || ARTICLES.contains(&part) {
            has_gap = true;
            continue;
        }
        if has_gap && !normalized.is_empty() {
            normalized.push(' ');
        }
        has_gap = false;
        normalized.push_str(part);
    }
    normalized
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn text_is_lowercased_and_punctuation_articles_and_extra_spaces_are_removed() {
        assert_eq!(normalize_answer("The Cat, an old \t one; sat ON a mat."), "cat old one sat on mat");
        assert_eq!(normalize_answer("Levi's Stadium"), "levis stadium");
        assert_eq!(normalize_answer("a.m."), "am");
        assert_eq!(normalize_answer("$1,000.50"), "100050");
        assert_eq!(normalize_answer("an_a"), "ana");
    }

    #[test]
    fn an_answer_of_only_articles_punctuation_and_spaces_becomes_empty() {
        for empty in ["", "   ", "The", "a an the", "?!", "\u{1c}\u{a0}\u{3000}"] {
            assert_eq!(normalize_answer(empty), "", "{empty:?}");
        }
    }

    #[test]
    fn articles_inside_words_stay() {
        assert_eq!(normalize_answer("theatre Anna banana the"), "theatre anna banana");
    }

    // The expected values are the output of Python 3.11 for the function of evaluate-v1.1.py.
    #[test]
    fn answers_beyond_ascii_are_normalized_as_in_python() {
        assert_eq!(normalize_answer("the–end"), "–end");
        assert_eq!(normalize_answer("x–the–end"), "x– –end");
        assert_eq!(normalize_answer("a\u{301}"), "\u{301}"); // a mark is not a word character in Python
        assert_eq!(normalize_answer("á la the carte"), "á la carte");
        assert_eq!(normalize_answer("ΟΔΟΣ ΣΑΣ"), "οδος σας"); // final sigma
        assert_eq!(normalize_answer("İzmir"), "i\u{307}zmir");
        assert_eq!(normalize_answer("“The” a²"), "“ ” a²");
        assert_eq!(normalize_answer("東京　a　都"), "東京 都");
    }

    proptest! {
        #[test]
        fn there_are_only_single_spaces_between_words(answer in r"(?s)([a-zA-Z ]|the|\PC|\s){0,20}") {
            let normalized = normalize_answer(&answer);
            prop_assert_eq!(normalized.split(is_space).collect::<Vec<_>>().join(" "), normalized.clone());
            prop_assert!(!normalized.starts_with(' ') && !normalized.ends_with(' ') && !normalized.contains("  "));
        }

        #[test]
        fn normalizing_plain_words_again_changes_nothing(answer in "[ a-zA-Z,.'-]{0,40}") {
            let once = normalize_answer(&answer);
            prop_assert_eq!(normalize_answer(&once), once);
        }
    }
}
