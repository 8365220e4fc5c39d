//! Ranked lists of hits, runs of many queries, and relevance judgments.
//!
//! - [`Hit`] is the position of an item in an index (its *ord*), with a score. Hits are ranked by score, highest first;
//!   ties are broken by ord, lowest first. [`by_rank`] defines this order.
//! - [`TopK`] and [`TopKBuffer`] select the k best hits.
//! - [`BitSet`] is a set of ords.
//! - [`Run`] has the hits of many queries by passage id; [`RetrievedRun`] has them by ord, as a search returns them.
//! - [`PassageIds`] looks up the ids of hits; [`Interner`] assigns numbers to strings.
//! - [`Qrels`] are relevance judgments.
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

mod bit_set;
mod error;
mod hit;
mod ids;
mod qrels;
mod runs;
mod top_k;

pub use bit_set::BitSet;
pub use error::Error;
pub use hit::{Hit, by_rank};
pub use ids::{Interner, PassageIds};
pub use qrels::{Grades, Qrels};
pub use runs::{AlignedRuns, QueryUnion, RetrievedRun, Run, ScoredId};
pub use top_k::{TopK, TopKBuffer};
