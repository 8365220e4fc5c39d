//! Python's character classes and regular expressions, which the reference scripts use.
//!
//! [`translate`] turns a Python pattern into one for the `regex` or `fancy_regex` crate, with the parts of the
//! translator in `class`, `escape` and `group`; [`Pattern`] compiles the result and matches texts. [`characters`] has
//! Python's definitions of word characters and white space.

pub(crate) mod characters;
mod class;
mod escape;
mod group;
mod pattern;
mod translate;

pub(crate) use pattern::Pattern;
