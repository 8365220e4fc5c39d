//! Scores spans and merges spans with the same answer.
//!
//! The input is the spans of all passages of a question, as [`Candidate`]s. [`rank`] scores the candidates by one of
//! three formulas (`original.rs`, `normalized.rs`, `probability.rs`), merges those with the same answer, and returns
//! the answers, best first.

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
