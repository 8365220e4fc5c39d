//! The passage file of each segment, which maps positions to ids.

pub(crate) mod file;
pub(crate) mod plugin;
