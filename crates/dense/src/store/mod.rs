//! The rows of an index: vectors with their ids, some of them deleted or staged, in memory or in a mapped file.
//!
//! Flat and HNSW indexes both keep their rows in [`Rows`](rows::Rows). Rows are appended and never moved; their position is
//! their *ord*. A deleted row keeps its vector and its ord, and gets a tombstone: a bit in a set. Rows can be
//! [staged](staging) in slices and published in one moment.
//!
//! - `rows` has the operations, `row_file` the sections of files, `checks` the limits.
//! - `rows_view` is what a search reads.
//! - `ids` maps rows to ids and back.
//! - `element` says how a number is stored: `f32`, or in `half` precision.
//! - `columns` are arrays that may lie in a mapped file.

pub(crate) mod checks;
pub(crate) mod columns;
pub(crate) mod element;
mod half;
pub(crate) mod ids;
pub(crate) mod row_file;
pub(crate) mod rows;
pub(crate) mod rows_view;
pub(crate) mod staged;
mod staging;
