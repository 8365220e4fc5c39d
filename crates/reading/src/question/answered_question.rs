//! A question with accepted answers, and what the reader read for it: all that is needed to decide whether its best
//! answer is correct.

use super::accepted::AcceptedAnswers;
use super::readings::QuestionReadings;

/// The readings of a question, with its accepted answers.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredQuestion<'a> {
    /// The readings of the question's passages. If `None`, the reader has no answer, which counts as wrong.
    pub readings: Option<&'a QuestionReadings>,
    /// The answers that count as correct.
    pub accepted: AcceptedAnswers<'a>,
}
