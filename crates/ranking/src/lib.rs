//! Ranked lists of hits, runs of many queries, and relevance judgments.
//!
//! - [`Hit`] is an item of an index, by its position (*ord*), with a score. Hits are ranked by score, highest first; ties are
//!   broken by ord, lowest first. [`by_rank`] defines this order.
//! - [`TopK`] and [`TopKBuffer`] select the k best hits.
//! - [`BitSet`] is a set of ords.
//! - [`Run`] has the hits of many queries by passage id, [`Qrels`] the relevance judgments.
//!
//! ```
//! use ranking::{Hit, TopK};
//!
//! let mut best = TopK::new(2);
//! for (ord, score) in [1.0, 3.0, 2.0, 3.0].into_iter().enumerate() {
//!     best.push(Hit { ord: ord as u32, score });
//! }
//! assert_eq!(best.into_sorted(), [Hit { ord: 1, score: 3.0 }, Hit { ord: 3, score: 3.0 }]);
//! ```

mod aligned_runs;
mod bit_set;
mod error;
mod hit;
mod interner;
mod passage_ids;
mod qrels;
mod retrieved_run;
mod run;
mod selected_lists;
mod top_k;
mod top_k_buffer;

pub use aligned_runs::AlignedRuns;
pub use bit_set::BitSet;
pub use error::Error;
pub use hit::{Hit, by_rank};
pub use interner::IdInterner;
pub use passage_ids::PassageIds;
pub use qrels::{Grades, Qrels};
pub use retrieved_run::RetrievedRun;
pub use run::{Run, ScoredId};
pub use selected_lists::QueryUnion;
pub use top_k::TopK;
pub use top_k_buffer::TopKBuffer;
