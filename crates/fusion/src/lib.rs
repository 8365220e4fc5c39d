//! Fuses several ranked lists into one: the hybrids of Ma et al., 2021, "A Replication Study of Dense Passage
//! Retriever", interpolation, and reciprocal rank fusion.
//!
//! A query has one list of hits from each searcher. [`fuse`] combines these lists with a [`Method`], and [`fuse_many`]
//! does so for many queries; [`fuse_runs`] fuses whole runs. To tune the weights of a method, [`first_ranks`] computes
//! the rank of the first relevant passage under many methods at once, without sorting any list; [`JudgedRuns`] does so
//! for whole runs.
//!
//! ```
//! use fusion::{Method, fuse};
//! use ranking::Hit;
//!
//! let dense = [Hit { ord: 7, score: 80.0 }, Hit { ord: 3, score: 79.0 }];
//! let sparse = [Hit { ord: 3, score: 12.0 }];
//! let fused = fuse(&[&dense, &sparse], &Method::hybrid(0.5), 10)?;
//! assert_eq!(fused, [Hit { ord: 3, score: 85.0 }, Hit { ord: 7, score: 80.0 }]); // 79 + 0.5 · 12
//! # Ok::<(), fusion::Error>(())
//! ```

mod error;
mod first_ranks;
mod fuse;
mod hybrid;
mod interpolate;
mod judged_runs;
mod linear;
mod method;
mod normalization;
mod reciprocal_rank;
mod union;

pub use error::Error;
pub use first_ranks::{JudgedQuestion, first_ranks};
pub use fuse::{fuse, fuse_many, fuse_runs};
pub use judged_runs::JudgedRuns;
pub use linear::{Linear, Missing};
pub use method::Method;
pub use normalization::Normalization;
pub use reciprocal_rank::ReciprocalRank;
