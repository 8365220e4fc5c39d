//! Restricting searches to passages with certain ids or fields.
//!
//! [`fields`] are the values that a passage carries, [`expression`] is a condition on them. [`known_fields`] rejects
//! conditions that the index cannot meet, [`evaluate`] turns the others into one bit set of passages per segment,
//! and [`cache`] keeps the sets of recently used filters.

pub(crate) mod cache;
pub(crate) mod evaluate;
pub(crate) mod expression;
pub(crate) mod fields;
pub(crate) mod known_fields;
