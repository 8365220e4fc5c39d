//! Spans of passages, scored and merged into answers (Karpukhin et al., 2020, §6; Ma et al., 2021, §2.2–2.3).
//!
//! ```
//! use reading::{Evidence, PassageReading, ReadOptions, SpanScoring, answers};
//!
//! let text = "It opened in 1869.";
//! let offsets = [0..2, 3..9, 10..12, 13..17, 17..18];
//! let (start, end) = ([0.0, 0.0, 0.0, 5.0, 0.0], [0.0, 0.0, 0.0, 5.0, 0.0]);
//! let passage = PassageReading {
//!     text, relevance: 2.0, retrieval: 11.0, start: &start, end: &end, offsets: &offsets, words: &[0, 1, 2, 3, 4],
//! };
//! let options = ReadOptions { scoring: SpanScoring::Original, ..ReadOptions::default() };
//! let best = &answers(&[passage], &options)?[0];
//! assert_eq!((best.text.as_str(), best.score), ("1869", 10.0));
//! # Ok::<(), reading::Error>(())
//! ```

mod answer;
mod error;
mod evidence;
mod softmax;
mod spans;

mod normalized;
mod original;
mod probability;

pub use answer::{Answer, Merge, PassageReading, ReadOptions, SpanScoring, answers};
pub use error::Error;
pub use evidence::Evidence;
pub use spans::{Span, SpanLimits, best_spans};
