//! Turns texts into terms, with tokenizers, stop words and stemmers.
//!
//! ```text
//! text ─→ words or word pieces                           ─→ terms
//!         `standard_tokenizer`, with `characters`            `english` (stemmed by `porter`), `snowball`
//!         `char_tokenizer`                                   `simple` and `whitespace`, in `analyzer`
//!         `word_pieces`: the tokens of a WordPiece model     the word pieces, unchanged
//! ```
//!
//! [`analyzer`] has the public type, [`Analyzer`](crate::Analyzer). [`stop_words`] is a list of words that do not
//! become terms. [`term_numbers`] analyzes the texts of an index. [`word_memo`] and [`term_memo`] cache what is known
//! about English words, and [`query`] is an analyzed query.

pub(crate) mod analyzer;
pub(crate) mod char_tokenizer;
pub(crate) mod characters;
pub(crate) mod english;
pub(crate) mod porter;
pub(crate) mod query;
pub(crate) mod snowball;
pub(crate) mod standard_tokenizer;
pub(crate) mod stop_words;
pub(crate) mod term_memo;
pub(crate) mod term_numbers;
pub(crate) mod word_memo;
pub(crate) mod word_pieces;

use std::borrow::Cow;

/// Returns the text that the analyzer gets for a passage.
pub(crate) fn contents_of<'a>(title: Option<&str>, text: &'a str) -> Cow<'a, str> {
    title.map_or(Cow::Borrowed(text), |title| Cow::Owned(format!("{title} {text}")))
}
