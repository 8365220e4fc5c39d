//! Restricts searches to passages with certain ids or fields.
//!
//! [`fields`] defines the named values of a passage, and [`expression`] defines filters, the conditions on them.
//! [`known_fields`] rejects filters with a condition that no passage of the index can match. [`evaluate`] turns a
//! filter into one bit set of passages per segment, and [`cache`] keeps the sets of recently used filters.

pub(crate) mod cache;
pub(crate) mod evaluate;
pub(crate) mod expression;
pub(crate) mod fields;
pub(crate) mod known_fields;
