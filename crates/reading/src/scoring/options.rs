//! The choices that a user has: the formula of span scores, and which spans are the same answer.

/// How the score of a span is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpanScoring {
    /// The best span of the passage with the highest relevance (Ma et al., 2021, §2.2).
    Original,
    /// Softmax over passages × softmax over the spans of each passage (Ma et al., 2021, §2.2). The scores of equal
    /// answers are added up.
    #[default]
    Normalized,
    /// P_start · P_end · P_selected (Karpukhin et al., 2020, §6.1). An answer has the probability of its best span.
    Probability,
    /// As [`Probability`](Self::Probability), but the probabilities of equal answers are added up, which is not in that
    /// paper.
    SummedProbability,
}

impl SpanScoring {
    /// Whether the scores of equal answers are added up. Otherwise an answer has the score of its best span.
    pub(crate) fn is_summed(self) -> bool {
        match self {
            Self::Original | Self::Probability => false,
            Self::Normalized | Self::SummedProbability => true,
        }
    }
}

/// Which spans are the same answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Merge {
    /// Spans with the same text.
    #[default]
    Text,
    /// Spans whose texts are equal after SQuAD's normalization of case, punctuation, articles and white space
    /// (Rajpurkar et al., 2016).
    Normalized,
}
