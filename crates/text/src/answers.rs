//! Compares answers with texts and with other answers, exactly as the reference scripts do: whether a passage contains
//! an answer ([`AnswerMatcher`], DPR and Pyserini), whether a prediction matches one ([`PredictionMatcher`], DrQA), and
//! the normal form of an answer ([`normalize_answer`], SQuAD).

mod matcher;
mod normalize;
mod prediction_matcher;
mod prepared_text;

pub use matcher::AnswerMatcher;
pub use normalize::normalize_answer;
pub use prediction_matcher::PredictionMatcher;
pub use prepared_text::PreparedText;
