//! Converts the output of a reader model to the input of span extraction. A window is a part of a passage that the
//! model reads at once.

use inference::PassageLogits;
use reading::{Relevance, Window};

/// Converts a window from the type of the crate `inference` to that of the crate `reading`, without copying the logits.
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
