//! The rows of an index: vectors with their ids, in memory or in a mapped file.
//!
//! Flat and HNSW indexes both keep their rows in [`Rows`](rows::Rows). Rows are appended and never moved; the position
//! of a row is its *ord*. A deleted row keeps its vector and its ord, and gets a tombstone: a bit in a set. A batch of
//! rows can be [staged](staging) in slices, which stay invisible to searches until all are published together.
//!
//! - `rows` has the operations on rows, `staging` and `staged` those on staged rows. `row_file` reads and writes the
//!   sections of files. `checks` has the limits.
//! - `vector_rows` has rows without ids, for growing indexes.
//! - `rows_view` is what a search reads.
//! - `ids` maps rows to ids and back.
//! - `element` and `half` define how numbers are stored: in single or in half precision.
//! - `columns` has arrays that may be in a mapped file.

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
pub(crate) mod vector_rows;
