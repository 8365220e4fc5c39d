//! The accepted answers of a question.

/// The accepted answers of a question. If there are none, no answer is correct.
#[derive(Debug, Clone, Copy)]
pub enum AcceptedAnswers<'a> {
    /// Texts. An answer is correct if it equals one of them after SQuAD's normalization (Rajpurkar et al., 2016).
    Texts(&'a [String]),
    /// Python regular expressions, as in `CuratedTREC`. An answer is correct if it matches one of them; see
    /// [`text::PredictionMatcher::patterns_lossy`].
    Patterns(&'a [String]),
}
