//! SQuAD's answer normalisation.
//!
//! ```
//! use text::normalise_answer;
//!
//! assert_eq!(normalise_answer("  The U.S.A.,  a country "), "usa country");
//! ```

use crate::python_chars::{is_space, is_word};

const ARTICLES: [&str; 3] = ["a", "an", "the"];

/// The answer in lower case without ASCII punctuation and the words `a`, `an` and `the`, its words
/// separated by single spaces.
///
/// Exactly `normalize_answer` of SQuAD's `evaluate-v1.1.py` (Rajpurkar et al., 2016), in that order:
/// punctuation goes before the articles do, so `"a.m."` becomes `"am"`. Words and white space are
/// Python's, so a punctuation mark outside ASCII stays but ends a word: `"the–end"` becomes `"–end"`.
#[must_use]
pub fn normalise_answer(answer: &str) -> String {
    let mut kept = answer.to_lowercase();
    kept.retain(|c| !c.is_ascii_punctuation());

    let mut normalised = String::with_capacity(kept.len());
    let mut gap = false;
    let mut rest = kept.as_str();
    while let Some(first) = rest.chars().next() {
        let end =
            if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (part, tail) = rest.split_at(end);
        rest = tail;
        if is_space(first) || ARTICLES.contains(&part) {
            gap = true;
            continue;
        }
        if gap && !normalised.is_empty() {
            normalised.push(' ');
        }
        gap = false;
        normalised.push_str(part);
    }
    normalised
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lower_case_punctuation_articles_and_white_space_go() {
        assert_eq!(normalise_answer("The Cat, an old \t one; sat ON a mat."), "cat old one sat on mat");
        assert_eq!(normalise_answer("Levi's Stadium"), "levis stadium");
        assert_eq!(normalise_answer("a.m."), "am");
        assert_eq!(normalise_answer("$1,000.50"), "100050");
        assert_eq!(normalise_answer("an_a"), "ana");
    }

    #[test]
    fn what_holds_nothing_else_becomes_empty() {
        for empty in ["", "   ", "The", "a an the", "?!", "\u{1c}\u{a0}\u{3000}"] {
            assert_eq!(normalise_answer(empty), "", "{empty:?}");
        }
    }

    #[test]
    fn articles_inside_words_stay() {
        assert_eq!(normalise_answer("theatre Anna banana the"), "theatre anna banana");
    }

    // The expected values are what Python 3.11 prints for evaluate-v1.1's function.
    #[test]
    fn beyond_ascii_it_does_as_python_does() {
        assert_eq!(normalise_answer("the–end"), "–end");
        assert_eq!(normalise_answer("x–the–end"), "x– –end");
        assert_eq!(normalise_answer("a\u{301}"), "\u{301}"); // a mark is no word character in Python
        assert_eq!(normalise_answer("á la the carte"), "á la carte");
        assert_eq!(normalise_answer("ΟΔΟΣ ΣΑΣ"), "οδος σας"); // final sigma
        assert_eq!(normalise_answer("İzmir"), "i\u{307}zmir");
        assert_eq!(normalise_answer("“The” a²"), "“ ” a²");
        assert_eq!(normalise_answer("東京　a　都"), "東京 都");
    }

    proptest! {
        #[test]
        fn no_space_stands_at_an_end_or_beside_another(answer in r"(?s)([a-zA-Z ]|the|\PC|\s){0,20}") {
            let normalised = normalise_answer(&answer);
            prop_assert_eq!(normalised.split(is_space).collect::<Vec<_>>().join(" "), normalised.clone());
            prop_assert!(!normalised.starts_with(' ') && !normalised.ends_with(' ') && !normalised.contains("  "));
        }

        #[test]
        fn normalising_plain_words_twice_changes_nothing_more(answer in "[ a-zA-Z,.'-]{0,40}") {
            let once = normalise_answer(&answer);
            prop_assert_eq!(normalise_answer(&once), once);
        }
    }
}
