//! Replaces files atomically.
//!
//! A [`Replacement`] is written to a temporary file next to its target, synced, and renamed to the target, so that
//! readers see either the complete old file or the complete new one. [`exchange()`] swaps two existing paths.

mod exchange;
mod permissions;
mod replacement;
mod temporary;

pub use exchange::exchange;
pub(crate) use replacement::CompleteFile;
pub use replacement::{Replacement, replace};
pub(crate) use temporary::TemporaryFile;
pub use temporary::remove_unfinished;
