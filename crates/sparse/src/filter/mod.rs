//! Restricting a search to passages with given ids or fields.

pub(crate) mod cache;
pub(crate) mod evaluate;
pub(crate) mod expression;
pub(crate) mod fields;
pub(crate) mod known_fields;
