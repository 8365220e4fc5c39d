//! Texts prepared for matching the answers of many questions.
//!
//! ```
//! use text::{AnswerMatcher, PreparedText};
//!
//! let passage = PreparedText::new("The Panthers lost to the Denver Broncos.");
//! for (answer, expected) in [("Denver Broncos", true), ("Carolina Panthers", false)] {
//!     assert_eq!(AnswerMatcher::tokens([answer]).matches_prepared(&passage), expected);
//! }
//! ```

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

use crate::nfd::decompose;

/// The character before and after every joined token. It is a control character, so no token contains it.
pub(crate) const SEPARATOR: char = '\n';

/// A text in canonical decomposition (NFD) and its tokens. The answers of many questions can be searched for in one
/// prepared text.
///
/// The tokens are computed when a matcher made by [`AnswerMatcher::tokens`](crate::AnswerMatcher::tokens) first needs
/// them. A text that is already in NFD, such as ASCII, is not copied.
#[derive(Debug, Clone)]
pub struct PreparedText<'t> {
    decomposed: Cow<'t, str>,
    tokens: OnceLock<Box<str>>,
}

impl<'t> PreparedText<'t> {
    /// Decomposes a text. Pass a `String` to get a `PreparedText<'static>`.
    #[must_use]
    pub fn new(text: impl Into<Cow<'t, str>>) -> Self {
        Self { decomposed: decompose(text.into()), tokens: OnceLock::new() }
    }

    /// The text in NFD.
    pub(crate) fn decomposed(&self) -> &str {
        &self.decomposed
    }

    /// The lowercased tokens that are words: those with letters, numbers or marks.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        let tokens = self.tokens().split(SEPARATOR);
        tokens.filter(|token| token.chars().next().is_some_and(|first| class_of(first) == Class::Word))
    }

    /// The lowercased tokens, with a separator on both sides of each.
    pub(crate) fn tokens(&self) -> &str {
        self.tokens.get_or_init(|| joined_tokens(&self.decomposed).into())
    }
}

/// Joins the lowercased tokens of DPR's `SimpleTokenizer`, with a separator on both sides of each token; returns a
/// single separator if there are no tokens. A text contains the tokens of an answer in sequence if the joined tokens of
/// the answer are a substring of the joined tokens of the text.
///
/// A token is `[\p{L}\p{N}\p{M}]+`, or any other single character outside `[\p{Z}\p{C}]`.
pub(crate) fn joined_tokens(decomposed: &str) -> String {
    let mut joined = String::with_capacity(decomposed.len() + decomposed.len() / 4 + 2);
    joined.push(SEPARATOR);
    for_each_token(decomposed, |range| push_token(&decomposed[range], &mut joined));
    joined
}

/// Returns the byte ranges of the tokens.
pub(crate) fn token_ranges(decomposed: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    for_each_token(decomposed, |range| ranges.push(range));
    ranges
}

/// Calls `visit` with the byte range of each token.
fn for_each_token(decomposed: &str, mut visit: impl FnMut(Range<usize>)) {
    let mut word_start = None;
    for (at, c) in decomposed.char_indices() {
        let class = class_of(c);
        if class == Class::Word {
            word_start.get_or_insert(at);
            continue;
        }
        if let Some(start) = word_start.take() {
            visit(start..at);
        }
        if class == Class::Single {
            visit(at..at + c.len_utf8());
        }
    }
    if let Some(start) = word_start {
        visit(start..decomposed.len());
    }
}

/// How the tokenizer treats a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// `[\p{L}\p{N}\p{M}]`: adjacent characters of this class form one token.
    Word,
    /// A token by itself.
    Single,
    /// `[\p{Z}\p{C}]`, such as white space and control characters: not part of a token.
    Separator,
}

fn class_of(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            '0'..='9' | 'A'..='Z' | 'a'..='z' => Class::Word,
            '!'..='~' => Class::Single,
            _ => Class::Separator,
        };
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number | GeneralCategoryGroup::Mark => {
            Class::Word
        }
        GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other => Class::Separator,
        GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Symbol => Class::Single,
    }
}

/// Appends the lowercased token and a separator.
fn push_token(token: &str, joined: &mut String) {
    if token.is_ascii() {
        joined.extend(token.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
    } else {
        joined.push_str(&token.to_lowercase());
    }
    joined.push(SEPARATOR);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    fn tokens(text: &str) -> Vec<String> {
        let prepared = PreparedText::new(text);
        let inner = prepared.tokens().trim_matches(SEPARATOR);
        if inner.is_empty() { Vec::new() } else { inner.split(SEPARATOR).map(str::to_owned).collect() }
    }

    #[test]
    fn words_are_tokens_and_so_is_every_other_visible_character() {
        assert_eq!(
            tokens("It cost $1,000.50 (US)."),
            ["it", "cost", "$", "1", ",", "000", ".", "50", "(", "us", ")", "."]
        );
        assert_eq!(tokens("a_b 10 m²"), ["a", "_", "b", "10", "m²"]);
        assert_eq!(tokens("A\tB\nC\u{200b}D\u{feff}"), ["a", "b", "c", "d"]);
        assert_eq!(tokens("Zürich"), ["zu\u{308}rich"]);
        assert_eq!(tokens("🚁helicopter"), ["🚁", "helicopter"]);
        assert!(tokens(" \u{3000}\n").is_empty());
    }

    #[test]
    fn a_text_in_nfd_is_not_copied() {
        assert!(matches!(PreparedText::new("plain").decomposed, Cow::Borrowed(_)));
        assert!(matches!(PreparedText::new("Zu\u{308}rich").decomposed, Cow::Borrowed(_)));
        assert!(matches!(PreparedText::new("Zürich").decomposed, Cow::Owned(_)));
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_regular_expression(text in r"(\PC|[a-zA-Z0-9 ,.\u{300}-\u{310}Σσ]|\s|\p{L}|\p{Cf}){0,40}") {
            let definition = regex::Regex::new(r"[\p{L}\p{N}\p{M}]+|[^\p{Z}\p{C}]").expect("it is valid");
            let decomposed: String = text.nfd().collect();
            let expected: Vec<String> =
                definition.find_iter(&decomposed).map(|token| token.as_str().to_lowercase()).collect();
            prop_assert_eq!(tokens(&text), expected);
        }
    }
}
