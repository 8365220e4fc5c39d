//! Converts the output of a reader model to the input of span extraction.

use inference::PassageLogits;
use reading::{Relevance, Window};

/// Converts the crate `inference`'s type for one window to the crate `reading`'s, without copying the logits.
pub(crate) fn to_window(logits: &PassageLogits) -> Window<'_> {
    Window {
        relevance: match logits.relevance {
            inference::Relevance::Logit(logit) => Relevance::Logit(logit),
            inference::Relevance::NoAnswer(score) => Relevance::NoAnswer(score),
        },
        start: &logits.start,
        end: &logits.end,
        offsets: &logits.offsets,
        words: &logits.words,
    }
}
