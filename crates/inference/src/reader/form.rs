//! The two kinds of readers, and the relevance that each kind returns.

use crate::{Error, Session};

/// The kind of a reader, which follows from the names of the model's outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderForm {
    /// DPR's reader. It has the outputs `start_logits`, `end_logits` and `relevance_logit` (or `relevance_logits`) for
    /// the input `[CLS] question [SEP] title [SEP] text [SEP]` (Karpukhin et al., 2020, §6.1).
    Dpr {
        /// Name of the output with the relevance.
        relevance: &'static str,
    },
    /// A question-answering model as it is usually exported. It has the outputs `start_logits` and `end_logits` for the
    /// input `[CLS] question [SEP] context [SEP]` (Devlin et al., 2019, §4.2 and §4.3).
    QuestionAnswering,
}

impl ReaderForm {
    /// Determines the kind of a model from the names of its outputs.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if the model has no start and end logits.
    pub(crate) fn of(session: &Session) -> Result<Self, Error> {
        let has = |output: &str| session.outputs().iter().any(|name| name == output);
        if !has("start_logits") || !has("end_logits") {
            let expected = "outputs start_logits and end_logits (a question-answering model), \
                            or these and relevance_logit (DPR's reader)";
            let got = format!("outputs {}", session.outputs().join(", "));
            return Err(Error::model(session.path(), expected, got));
        }
        let relevance = ["relevance_logit", "relevance_logits"].into_iter().find(|&name| has(name));
        Ok(relevance.map_or(Self::QuestionAnswering, |relevance| Self::Dpr { relevance }))
    }

    /// Names of the outputs to request, in this order: start logits, end logits and, for DPR's reader, relevance.
    pub(crate) fn outputs(self) -> Vec<&'static str> {
        match self {
            Self::Dpr { relevance } => vec!["start_logits", "end_logits", relevance],
            Self::QuestionAnswering => vec!["start_logits", "end_logits"],
        }
    }

    /// Number of segments of an input: question, title and text for DPR's reader, and question and text for
    /// question-answering models. Each segment ends with `[SEP]`, except the last one if the reader is `open_ended`.
    pub(crate) fn segment_count(self) -> usize {
        match self {
            Self::Dpr { .. } => 3,
            Self::QuestionAnswering => 2,
        }
    }
}

/// The output of a reader that tells how well a window answers the question. A window is a part of a passage that fits
/// into one input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relevance {
    /// The relevance logit of DPR's reader.
    Logit(f32),
    /// The sum of the start and end logits of `[CLS]`, which is the score that a question-answering model gives to
    /// "there is no answer". The relevance of the window is the score of its best span minus this sum (Devlin et al.,
    /// 2019, §4.3).
    NoAnswer(f32),
}
