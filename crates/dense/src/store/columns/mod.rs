//! Arrays of numbers that are read in place from a mapped file.
//!
//! A [`Column`](column::Column) grows: what is appended is kept in memory beside the mapped part. A
//! [`CowArray`](copy_on_write::CowArray) is one slice, and is copied to memory when it first changes.

pub(crate) mod column;
pub(crate) mod copy_on_write;
pub(crate) mod reserve;
