//! Hits, runs and qrels, and the one rule for ties: of equal scores the earlier ord comes first.
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
mod hit;
mod qrels;
mod run;
mod top_k;
mod top_k_buffer;

pub use bit_set::BitSet;
pub use hit::{Hit, by_rank};
pub use qrels::{Grades, Qrels};
pub use run::{Run, ScoredId};
pub use top_k::TopK;
pub use top_k_buffer::TopKBuffer;
