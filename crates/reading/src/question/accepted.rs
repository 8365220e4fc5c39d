//! The answers that count as correct for a question.

/// The accepted answers of a question. If there are none, every answer is wrong.
#[derive(Debug, Clone, Copy)]
pub enum AcceptedAnswers<'a> {
    /// Texts. An answer is correct if it equals one of them after both are normalized as in SQuAD (Rajpurkar et al.,
    /// 2016).
    Texts(&'a [String]),
    /// Python regular expressions, as in the data set `CuratedTREC`. An answer is correct if one of them matches at the
    /// start of the answer; see [`text::PredictionMatcher::patterns_lossy`].
    Patterns(&'a [String]),
}
