//! From text to terms: tokenizers, stop words, stemmers, and the analyzers made of them.

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
pub(crate) mod word_cache;
pub(crate) mod word_pieces;
