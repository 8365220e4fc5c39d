//! Counts the values of a field, and sorts passages by them.
//!
//! Both read columns, which are tantivy's fast fields ([`field_columns`]). A column has the values that the passages of
//! a segment have for one field. Texts are stored as ordinals in a sorted dictionary of the segment. [`value_counts`]
//! and [`sorting`] work with these ordinals, and look up the texts in the dictionary only at the end.

pub(crate) mod field_columns;
pub(crate) mod sorting;
pub(crate) mod value_counts;
