use crate::candidates::{Candidate, Scored, by_score};
use crate::kept::TokenSum;
use crate::softmax::softmax;

/// P_start · P_end · P_selected, the first two over the passage's tokens, the third over the passages (Karpukhin
/// et al., 2020, equations 3–5). Best first.
pub(crate) fn score(
    candidates: &[Candidate],
    relevance: &[f64],
    tokens: impl Fn(usize) -> (TokenSum, TokenSum),
) -> Vec<Scored> {
    let selected = softmax(relevance);
    let mut scored: Vec<Scored> = candidates
        .iter()
        .enumerate()
        .map(|(candidate, span)| {
            let (starts, ends) = tokens(span.passage);
            let score = starts.share(span.start) * ends.share(span.end) * selected[span.passage];
            Scored { candidate, score }
        })
        .collect();
    scored.sort_by(by_score);
    scored
}
