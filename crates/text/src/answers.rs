//! Compares accepted answers with passages and predicted answers, as the reference scripts of question answering do:
//!
//! - [`AnswerMatcher`] tells whether a passage contains an answer, as in DPR and Pyserini.
//! - [`find_answers`] returns the places where answers occur in a passage.
//! - [`PredictionMatcher`] tells whether a predicted answer matches an accepted one, as in DrQA.
//! - [`normalize_answer`] returns the normal form of an answer, as in SQuAD's evaluation script.

mod matcher;
mod normalize;
mod occurrences;
mod prediction_matcher;
mod prepared_text;

pub use matcher::AnswerMatcher;
pub use normalize::normalize_answer;
pub use occurrences::find_answers;
pub use prediction_matcher::PredictionMatcher;
pub use prepared_text::PreparedText;
