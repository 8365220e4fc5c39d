//! From text to terms: tokenizers, stop words and stemmers, and the analyzers made of them.
//!
//! [`analyzer`] is the public type. [`standard_tokenizer`] and [`char_tokenizer`] split a text into words as Lucene does,
//! with the character properties in [`characters`]; [`english`] and [`snowball`] turn words into terms, and
//! [`word_pieces`] splits a text as a WordPiece model does. [`query`] is an analyzed query.

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
