//! Python's character classes and regular expressions, which the reference scripts of DPR, Pyserini, DrQA and SQuAD
//! use.
//!
//! [`translate`] turns a Python pattern into one for the crate `regex` or `fancy_regex`; the translator's methods for
//! character classes, escapes and groups are in `class`, `escape` and `group`. [`Pattern`] compiles the result and
//! matches texts. [`characters`] has Python's definitions of word characters and white space.

pub(crate) mod characters;
mod class;
mod escape;
mod group;
mod pattern;
mod translate;

pub(crate) use pattern::Pattern;
