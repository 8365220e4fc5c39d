//! Scores of spans, and the merging of equal spans into ranked answers.
//!
//! The spans of all passages of a question enter as [`Candidate`]s. One of three formulas scores them (`original.rs`,
//! `normalized.rs`, `probability.rs`), and [`rank`] merges candidates with the same answer.

mod candidate;
mod normalized;
mod options;
mod original;
mod probability;
mod rank;
mod softmax;

pub(crate) use candidate::Candidate;
pub use options::{Merge, SpanScoring};
pub(crate) use rank::rank;
pub(crate) use softmax::softmax;
