//! Finds the places where answers occur in a text: [`find_answers`].

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;
use unicode_normalization::UnicodeNormalization;

use super::prepared_text::{SEPARATOR, joined_tokens, token_ranges};
use crate::nfd::decompose;

/// Returns the byte ranges of the text where one of the answers occurs, ascending and without duplicates. An answer
/// occurs where [`AnswerMatcher::tokens`](super::AnswerMatcher::tokens) matches: where all its tokens are in sequence,
/// without other tokens between them. A range begins and ends with a token. An answer without tokens occurs nowhere.
///
/// ```
/// use text::find_answers;
///
/// let text = "Zürich: 1,000 of ZÜRICH's 1,000 bakers";
/// let found = find_answers(["zürich", "1,000"], text);
/// let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
/// assert_eq!(found, ["Zürich", "1,000", "ZÜRICH", "1,000"]);
/// ```
#[must_use]
pub fn find_answers<A: AsRef<str>>(answers: impl IntoIterator<Item = A>, text: &str) -> Vec<Range<usize>> {
    let decomposed = decompose(Cow::Borrowed(text));
    let joined = joined_tokens(&decomposed);
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut tokens = None;
    for answer in answers {
        let answer = joined_tokens(&decompose(Cow::Borrowed(answer.as_ref())));
        let length = separators(&answer) - 1;
        if length == 0 {
            continue;
        }
        // Matches may share tokens, and neighbors share a separator, so the search continues one byte further.
        let (finder, mut from, mut first) = (memmem::Finder::new(&answer), 0, 0);
        while let Some(at) = finder.find(&joined.as_bytes()[from..]) {
            // `first` is the number of separators before the match, which is the position of its first token.
            first += separators(&joined[from..from + at]);
            let tokens = tokens.get_or_insert_with(|| original_ranges(text, &decomposed));
            found.push(tokens[first].start..tokens[first + length - 1].end);
            from += at + 1;
            first += 1;
        }
    }
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup();
    found
}

fn separators(joined: &str) -> usize {
    joined.matches(SEPARATOR).count()
}

/// Returns the byte range of each token in the original text.
fn original_ranges(text: &str, decomposed: &str) -> Vec<Range<usize>> {
    let ranges = token_ranges(decomposed);
    if text == decomposed {
        return ranges;
    }
    // Decomposition replaces each character by one or more. It then sorts accents, but only those that follow each
    // other, which always are in one token. So the byte at the start or the end of a token comes from the same
    // character as if they were not sorted.
    let mut origins = Vec::with_capacity(decomposed.len());
    for (start, character) in text.char_indices() {
        let length: usize = std::iter::once(character).nfd().map(char::len_utf8).sum();
        origins.extend(std::iter::repeat_n(start..start + character.len_utf8(), length));
    }
    let origin = |range: Range<usize>| origins[range.start].start..origins[range.end - 1].end;
    ranges.into_iter().map(origin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnswerMatcher;
    use proptest::prelude::*;

    fn found<'t>(text: &'t str, answers: &[&str]) -> Vec<&'t str> {
        find_answers(answers, text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn answers_are_found_with_the_spelling_of_the_text() {
        assert_eq!(
            found("The $1,000.50 of Anna.", &["1,000", "anna", "the $1"]),
            ["The $1", "1,000", "Anna"]
        );
        assert_eq!(found("May 18 , 2018", &["may 18, 2018"]), ["May 18 , 2018"]);
        assert_eq!(found("unknown", &["known"]), [""; 0]);
    }

    #[test]
    fn overlapping_occurrences_are_found_and_equal_ones_once() {
        assert_eq!(find_answers(["ha ha", "Ha HA"], "ha ha ha"), [0..5, 3..8]);
        assert_eq!(find_answers(["b", "a b c"], "a b c"), [0..5, 2..3]);
    }

    #[test]
    fn an_answer_without_tokens_occurs_nowhere() {
        assert_eq!(found("a b", &["", " \u{200b}"]), [""; 0]);
        assert_eq!(found("", &["a"]), [""; 0]);
    }

    #[test]
    fn ranges_are_those_of_the_text_before_decomposition() {
        assert_eq!(found("in Zürich, Zu\u{308}rich", &["ZÜRICH"]), ["Zürich", "Zu\u{308}rich"]);
        assert_eq!(found("ǖ 한국 x", &["한국"]), ["한국"]);
        // U+1FEE is decomposed into a sign and an accent, which are two tokens.
        assert_eq!(found("a\u{1fee}b", &["a", "\u{a8}"]), ["a", "\u{1fee}"]);
        // Decomposition moves the dot below before the dot above.
        assert_eq!(found("q\u{307}\u{323} r", &["q\u{323}\u{307}", "r"]), ["q\u{307}\u{323}", "r"]);
    }

    proptest! {
        #[test]
        fn an_answer_is_found_if_and_only_if_it_matches(
            text in r"([a-cA-C]|é|\u{301}|\u{323}|Ǖ|\u{1fee}|[ ,.]){0,20}", answer in r"([a-c]|é|\u{301}|[ ,]){1,3}"
        ) {
            let ranges = find_answers([&answer], &text);
            let matcher = AnswerMatcher::tokens([&answer]);
            let has_tokens = joined_tokens(&decompose(Cow::Borrowed(&answer))).len() > 1;
            prop_assert_eq!(!ranges.is_empty(), has_tokens && matcher.matches(&text));
            for range in ranges {
                prop_assert!(matcher.matches(&text[range]));
            }
        }
    }
}
