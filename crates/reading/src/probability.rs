use crate::answer::{Candidate, PassageReading, Scored, by_score};
use crate::softmax::softmax;

/// P_start · P_end · P_selected, the first two over the passage's tokens, the third over the passages (Karpukhin
/// et al., 2020, equations 3–5). Best first.
pub(crate) fn score(
    passages: &[PassageReading<'_>],
    candidates: &[Candidate],
    relevance: &[f64],
) -> Vec<Scored> {
    let selected = softmax(relevance);
    let over_tokens =
        |logits: &[f32]| softmax(&logits.iter().map(|&logit| f64::from(logit)).collect::<Vec<_>>());
    let mut scored = Vec::with_capacity(candidates.len());
    for spans in candidates.chunk_by(|a, b| a.passage == b.passage) {
        let passage = &passages[spans[0].passage];
        let (start, end) = (over_tokens(passage.start), over_tokens(passage.end));
        for candidate in spans {
            let tokens = &candidate.span.tokens;
            let score = start[tokens.start] * end[tokens.end - 1] * selected[candidate.passage];
            scored.push(Scored { candidate: scored.len(), score });
        }
    }
    scored.sort_by(by_score);
    scored
}
