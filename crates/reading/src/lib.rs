//! Spans of passages, scored and merged into answers (Karpukhin et al., 2020, §6; Ma et al., 2021, §2.2–2.3).
//!
//! ```
//! use reading::{PassageReading, ReadOptions, Relevance, SpanScoring, Window, answers};
//!
//! let text = "It opened in 1869.";
//! let offsets = [0..2, 3..9, 10..12, 13..17, 17..18];
//! let (start, end) = ([0.0, 0.0, 0.0, 5.0, 0.0], [0.0, 0.0, 0.0, 5.0, 0.0]);
//! let relevance = Relevance::Logit(2.0);
//! let window = Window { relevance, start: &start, end: &end, offsets: &offsets, words: &[0, 1, 2, 3, 4] };
//! let passage = PassageReading { text, retrieval: 11.0, windows: vec![window] };
//! let options = ReadOptions { scoring: SpanScoring::Original, ..ReadOptions::default() };
//! let best = &answers(&[passage], &options)?[0];
//! assert_eq!((best.text.as_str(), best.score), ("1869", 10.0));
//! # Ok::<(), reading::Error>(())
//! ```

mod answer;
mod cache;
mod candidates;
mod error;
mod evidence;
mod grid;
mod judged;
mod kept;
mod question;
mod record;
mod resync;
mod softmax;
mod spans;
#[cfg(test)]
mod testing;
mod tune;
mod whole_run;

mod normalized;
mod original;
mod probability;

pub use answer::{Answer, Merge, PassageReading, ReadOptions, SpanScoring, answers};
pub use cache::{ReadingCache, ReadingKey, files_sha256};
pub use error::Error;
pub use evidence::Evidence;
pub use grid::GridRange;
pub use kept::{KeptPassage, KeptSpan, Relevance, TokenSum, Window, keep};
pub use question::{BestAnswer, QuestionBuilder, QuestionReadings, Scoring};
pub use spans::{Span, SpanLimits, best_spans};
pub use tune::{EvidenceSearch, EvidenceTrial, TunedEvidence, tune_evidence};
pub use whole_run::{Accepted, AnsweredQuestion, best_answers, exact_matches};
