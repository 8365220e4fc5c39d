//! Arrays of numbers that are read in place from a mapped file.
//!
//! A [`Column`](column::Column) can grow: appended numbers are kept in memory, and the mapped part stays in the file. A
//! [`CowArray`](copy_on_write::CowArray) is always one slice, so it is copied to memory when it first changes.

pub(crate) mod column;
pub(crate) mod copy_on_write;
pub(crate) mod reserve;
