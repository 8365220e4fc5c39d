use crate::{Error, Session};

/// What kind of reader a model is, told by the names of its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderForm {
    /// DPR's: `start_logits`, `end_logits` and `relevance_logit` (or `relevance_logits`) of
    /// `[CLS] question [SEP] title [SEP] text [SEP]` (Karpukhin et al., 2020, §6.1).
    Dpr {
        /// The name of the third output.
        relevance: &'static str,
    },
    /// The usual export of a question-answering model: `start_logits` and `end_logits` of
    /// `[CLS] question [SEP] context [SEP]` (Devlin et al., 2019, §4.2 and §4.3).
    QuestionAnswering,
}

impl ReaderForm {
    /// The form of a model.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if it has no start and end logits.
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

    /// The outputs that are read, in this order.
    pub(crate) fn outputs(self) -> Vec<&'static str> {
        match self {
            Self::Dpr { relevance } => vec!["start_logits", "end_logits", relevance],
            Self::QuestionAnswering => vec!["start_logits", "end_logits"],
        }
    }

    /// Texts of one input: DPR's title is a text of its own.
    pub(crate) fn texts(self) -> usize {
        match self {
            Self::Dpr { .. } => 3,
            Self::QuestionAnswering => 2,
        }
    }
}

/// What a model says of how much a text answers the question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Relevance {
    /// DPR's relevance logit.
    Logit(f32),
    /// Of a question-answering model: start + end logit of `[CLS]`, the score of no answer. The relevance is what the
    /// text's best span has more (Devlin et al., 2019, §4.3, on SQuAD 2.0: s_ij − s_null).
    NoAnswer(f32),
}
