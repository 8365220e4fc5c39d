//! A text made ready for answer matching.
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
use std::sync::OnceLock;

use unicode_normalization::{UnicodeNormalization, is_nfd};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// Stands before, between and after tokens; as a control character it is never in one.
pub(crate) const SEPARATOR: char = '\n';

/// A text in canonical decomposition (NFD) and, once a token matcher has asked for them, its tokens:
/// shared by every question whose answers are looked for in it.
///
/// Borrows the text when it is in NFD already, as ASCII is.
#[derive(Debug, Clone)]
pub struct PreparedText<'t> {
    decomposed: Cow<'t, str>,
    tokens: OnceLock<Box<str>>,
}

impl<'t> PreparedText<'t> {
    /// Decomposes the text. A `String` is taken over, so that `PreparedText<'static>` can be kept.
    #[must_use]
    pub fn new(text: impl Into<Cow<'t, str>>) -> Self {
        Self { decomposed: decompose(text.into()), tokens: OnceLock::new() }
    }

    /// The text in NFD.
    pub(crate) fn decomposed(&self) -> &str {
        &self.decomposed
    }

    /// The lower-cased tokens, each with a separator on both sides.
    pub(crate) fn tokens(&self) -> &str {
        self.tokens.get_or_init(|| joined_tokens(&self.decomposed).into())
    }
}

/// The text in NFD.
pub(crate) fn decompose(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.is_ascii() || is_nfd(&text) { text } else { Cow::Owned(text.nfd().collect()) }
}

/// The tokens of DPR's `SimpleTokenizer` in lower case, each with a separator on both sides; without
/// tokens, one separator. A sequence of tokens is in another when its joined form is part of the other's.
///
/// A token is `[\p{L}\p{N}\p{M}]+`, or any other single character outside `[\p{Z}\p{C}]`.
pub(crate) fn joined_tokens(decomposed: &str) -> String {
    let mut joined = String::with_capacity(decomposed.len() + decomposed.len() / 4 + 2);
    joined.push(SEPARATOR);
    let mut word_start = None;
    for (at, c) in decomposed.char_indices() {
        let class = class_of(c);
        if class == Class::Word {
            word_start.get_or_insert(at);
            continue;
        }
        if let Some(start) = word_start.take() {
            push_token(&decomposed[start..at], &mut joined);
        }
        if class == Class::Single {
            push_token(&decomposed[at..at + c.len_utf8()], &mut joined);
        }
    }
    if let Some(start) = word_start {
        push_token(&decomposed[start..], &mut joined);
    }
    joined
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Single,
    Between,
}

fn class_of(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            '0'..='9' | 'A'..='Z' | 'a'..='z' => Class::Word,
            '!'..='~' => Class::Single,
            _ => Class::Between,
        };
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number | GeneralCategoryGroup::Mark => {
            Class::Word
        }
        GeneralCategoryGroup::Separator | GeneralCategoryGroup::Other => Class::Between,
        GeneralCategoryGroup::Punctuation | GeneralCategoryGroup::Symbol => Class::Single,
    }
}

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

    fn tokens(text: &str) -> Vec<String> {
        let prepared = PreparedText::new(text);
        let inner = prepared.tokens().trim_matches(SEPARATOR);
        if inner.is_empty() { Vec::new() } else { inner.split(SEPARATOR).map(str::to_owned).collect() }
    }

    #[test]
    fn words_are_runs_and_other_characters_stand_alone() {
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
