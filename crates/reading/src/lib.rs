//! Computes answers from the logits of a reader: scores spans and fuses evidence. A reader is a model that takes a
//! question and passages; evidence fusion adds the retrieval score of a passage to the relevance that the reader gives
//! it.
//!
//! The sources are Karpukhin et al., 2020, "Dense Passage Retrieval for Open-Domain Question Answering" (DPR), §6, and
//! Ma et al., 2021, "A Replication Study of Dense Passage Retriever", §2.2–2.3.
//!
//! A reader gives every passage a relevance logit, and every token of the passage a start logit and an end logit.
//! [`answers`] scores the spans of a question's passages and merges equal spans into answers.
//!
//! Alternatively, a [`StoredReading`] keeps the part of a passage's logits that all scorings need, in a few hundred
//! bytes. Stored readings are kept in memory ([`QuestionReadings`]) or in a file ([`ReadingCache`]). From them, and
//! without running the reader again, [`best_answers`] finds the best answers to many questions, [`exact_matches`] tells
//! which of these are correct, and [`tune_evidence`] searches for the weights of evidence fusion that give the most
//! correct answers.
//!
//! ```
//! use reading::{PassageReading, ReadOptions, Relevance, SpanScoring, Window, answers};
//!
//! let text = "It opened in 1869.";
//! let offsets = [0..2, 3..9, 10..12, 13..17, 17..18];
//! let (start, end) = ([0.0, 0.0, 0.0, 5.0, 0.0], [0.0, 0.0, 0.0, 5.0, 0.0]);
//! let relevance = Relevance::Logit(2.0);
//! let window = Window { relevance, start: &start, end: &end, offsets: &offsets, words: &[0, 1, 2, 3, 4] };
//! let passage = PassageReading { text, retrieval_score: 11.0, windows: vec![window] };
//! let options = ReadOptions { scoring: SpanScoring::Original, ..ReadOptions::default() };
//! let best = &answers(&[passage], &options)?[0];
//! // The start logit and the end logit of "1869" are 5.
//! assert_eq!((best.text.as_str(), best.score), ("1869", 10.0));
//! # Ok::<(), reading::Error>(())
//! ```

mod answer;
mod cache;
mod error;
mod evidence;
mod question;
mod reader_output;
mod scoring;
#[cfg(test)]
mod testing;
mod tuning;

pub use answer::{Answer, PassageReading, ReadOptions, answers};
pub use cache::{CacheLookup, ReadingCache, ReadingKey, files_sha256, read_through};
pub use error::Error;
pub use evidence::Evidence;
pub use question::{
    AcceptedAnswers, AnsweredQuestion, BestAnswer, QuestionBuilder, QuestionReadings, Scoring, best_answers,
    exact_matches,
};
pub use reader_output::{
    LogitSum, Relevance, Span, SpanLimits, StoredReading, StoredSpan, Window, best_spans,
};
pub use scoring::{Merge, SpanScoring};
pub use tuning::{EvidenceSearch, EvidenceTrial, GridRange, TunedEvidence, tune_evidence};
