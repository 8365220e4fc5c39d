//! Stored readings of whole questions: their best answers and exact matches under any scoring.
//!
//! A [`QuestionBuilder`] collects the stored readings of a question's passages into [`QuestionReadings`], in which each
//! distinct span text is stored once. From these follow best answers, and exact matches with accepted answers, under any
//! scoring and for any number of passages.

mod accepted;
mod answered_question;
mod batch;
mod builder;
mod exact_match;
mod readings;
mod scoring;
mod texts;

pub use accepted::AcceptedAnswers;
pub use answered_question::AnsweredQuestion;
pub use batch::{best_answers, exact_matches};
pub use builder::QuestionBuilder;
pub(crate) use exact_match::{ExactMatchEvaluator, Scratch, check_passage_counts};
pub use readings::{BestAnswer, QuestionReadings};
pub use scoring::Scoring;
