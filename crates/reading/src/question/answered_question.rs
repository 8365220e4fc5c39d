//! A question with everything that exact matches need.

use super::accepted::AcceptedAnswers;
use super::readings::QuestionReadings;

/// The readings of a question, with its accepted answers.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredQuestion<'a> {
    /// If nothing was read, there is no answer, which counts as wrong.
    pub readings: Option<&'a QuestionReadings>,
    /// The accepted answers.
    pub accepted: AcceptedAnswers<'a>,
}
