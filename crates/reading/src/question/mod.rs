//! Stores the readings of all passages that were retrieved for a question, so that its best answer can be computed, and
//! compared with the accepted answers, for any scoring and any number of passages.
//!
//! A [`QuestionBuilder`] collects the stored readings of a question's passages into [`QuestionReadings`], which store
//! each distinct span text once. [`best_answers`] and [`exact_matches`] evaluate many questions on all threads.

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
