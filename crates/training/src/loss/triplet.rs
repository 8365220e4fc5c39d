//! The triplet loss.

use super::Candidates;

/// Returns the mean over all triplets of max(0, margin + sim(q, p⁻) − sim(q, p⁺)), where p⁻ runs through the candidates
/// of question q other than its positive passage p⁺ (Karpukhin et al., 2020, appendix B; Schroff et al., 2015, equation
/// 3). Replaces the similarities, `[questions, passages]`, by their gradients. Without any triplet, the loss is 0.
///
/// # Panics
///
/// If the number of similarities is wrong.
pub fn triplet_loss(candidates: &Candidates, margin: f32, similarities: &mut [f32]) -> f32 {
    candidates.check(similarities);
    let questions = candidates.questions();
    let negatives = |question| candidates.of(question).iter().filter(|is| **is).count() - 1;
    let triplets = (0..questions).map(negatives).sum::<usize>().max(1) as f64;
    let mut loss = 0.0;
    for question in 0..questions {
        let row = &mut similarities[question * candidates.passages()..][..candidates.passages()];
        let positive = candidates.positive(question);
        let of_positive = row[positive];
        let mut violations = 0;
        for ((at, value), is_candidate) in row.iter_mut().enumerate().zip(candidates.of(question)) {
            if at == positive {
                continue;
            }
            let excess = margin + *value - of_positive;
            // NaN is not below 0, so that it reaches the loss.
            let counts = *is_candidate && (excess > 0.0 || excess.is_nan());
            loss += if counts { f64::from(excess) } else { 0.0 };
            violations += usize::from(counts);
            *value = if counts { (1.0 / triplets) as f32 } else { 0.0 };
        }
        row[positive] = (-(violations as f64) / triplets) as f32;
    }
    (loss / triplets) as f32
}
