//! Turns texts into terms, with tokenizers, stop words and stemmers.
//!
//! ```text
//! text ─→ words                                          ─→ terms
//!         `standard_tokenizer`, with `characters`            `english` (stems by `porter`), `snowball`
//!         `char_tokenizer`                                   `simple` and `whitespace`, in `analyzer`
//!         `word_pieces`: the tokens of a WordPiece model
//! ```
//!
//! [`analyzer`] has the public type. [`stop_words`] is a list of words that do not become terms. [`tantivy_tokenizer`]
//! adapts analyzers to tantivy, [`term_memo`] makes English faster, and [`query`] is an analyzed query.

pub(crate) mod analyzer;
pub(crate) mod char_tokenizer;
pub(crate) mod characters;
pub(crate) mod english;
pub(crate) mod porter;
pub(crate) mod query;
pub(crate) mod snowball;
pub(crate) mod standard_tokenizer;
pub(crate) mod stop_words;
pub(crate) mod tantivy_tokenizer;
pub(crate) mod term_memo;
pub(crate) mod word_pieces;
