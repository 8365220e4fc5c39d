//! Arrays of numbers that are read in place from a mapped file.
//!
//! When numbers are appended to a [`Column`](column::Column), they are kept in memory, and the mapped part stays in the
//! file. A [`CowArray`](copy_on_write::CowArray) is always one slice, so it is copied to memory when it first changes.

pub(crate) mod column;
pub(crate) mod copy_on_write;
pub(crate) mod reserve;
