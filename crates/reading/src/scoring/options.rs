//! The user's options: the formula that scores spans, and the rule that decides which spans are the same answer.
//! `lib.rs` has the titles of the papers.

/// How the score of a span is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpanScoring {
    /// A span is ranked by the relevance of its passage, and within a passage by start logit + end logit (Ma et al.,
    /// 2021, §2.2). The best answer is the best span of the most relevant passage.
    Original,
    /// The score of a span is the product of a softmax over passages and a softmax over the spans of its passage (Ma et
    /// al., 2021, §2.2). The scores of spans with the same answer are added.
    #[default]
    Normalized,
    /// The score of a span is P_start · P_end · P_selected, the probabilities of its first token, its last token and
    /// its passage (Karpukhin et al., 2020, §6.1). An answer has the probability of its best span.
    Probability,
    /// Like [`Probability`](Self::Probability), but the probabilities of spans with the same answer are added.
    /// Karpukhin et al. (2020) do not add them.
    SummedProbability,
}

impl SpanScoring {
    /// Whether the scores of spans with the same answer are added. Otherwise an answer has the score of its best span.
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
