//! Counts the values of a field, and sorts passages by them.
//!
//! Both read tantivy's columns, its fast fields ([`field_columns`]). These have the value of each passage of a segment;
//! texts are ordinals in a sorted dictionary of the segment. [`value_counts`] and [`sorting`] work with ordinals, and
//! look up texts in the dictionary only at the end.

pub(crate) mod field_columns;
pub(crate) mod sorting;
pub(crate) mod value_counts;
