//! Arrays of numbers of which some, or all, may lie in a mapped file.

pub(crate) mod column;
pub(crate) mod copy_on_write;
pub(crate) mod reserve;
