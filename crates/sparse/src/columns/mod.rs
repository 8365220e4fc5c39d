//! Counts the values of a field, and sorts passages by them.
//!
//! Both read tantivy's columns ([`field_columns`]): per segment, the value of each passage, where texts are ordinals in a
//! sorted dictionary of the segment. [`value_counts`] and [`sorting`] work with ordinals as long as they can, and read
//! the texts of the few that matter at the end.

pub(crate) mod field_columns;
pub(crate) mod sorting;
pub(crate) mod value_counts;
