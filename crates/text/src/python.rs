//! Python's character classes and regular expressions, which the reference scripts use.
//!
//! [`translate`] turns a Python pattern into one for the `regex` or `fancy_regex` crate; [`Pattern`] compiles and matches
//! it.

pub(crate) mod characters;
mod class;
mod escape;
mod group;
mod pattern;
mod translate;

pub(crate) use pattern::Pattern;
