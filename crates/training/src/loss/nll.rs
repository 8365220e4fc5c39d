//! The negative log likelihood of positive passages.

use super::Candidates;

/// Returns the mean over all questions of −log(e^sim(q, p⁺) / Σ e^sim(q, p)), where p runs through the candidates of
/// question q (Karpukhin et al., 2020, equation 2). Replaces the similarities, `[questions, passages]`, by their
/// gradients.
///
/// # Panics
///
/// If the number of similarities is wrong.
pub fn nll_loss(candidates: &Candidates, similarities: &mut [f32]) -> f32 {
    candidates.check(similarities);
    let questions = candidates.questions();
    let mut loss = 0.0;
    for question in 0..questions {
        let row = &mut similarities[question * candidates.passages()..][..candidates.passages()];
        let (is_candidate, positive) = (candidates.of(question), candidates.positive(question));
        let of_positive = f64::from(row[positive]);
        let all = row.iter().zip(is_candidate);
        let max =
            all.clone().filter(|(_, is)| **is).map(|(value, _)| f64::from(*value)).fold(f64::MIN, f64::max);
        let sum: f64 = all.filter(|(_, is)| **is).map(|(value, _)| (f64::from(*value) - max).exp()).sum();
        loss += max + sum.ln() - of_positive;
        for ((at, value), is_candidate) in row.iter_mut().enumerate().zip(is_candidate) {
            let probability = if *is_candidate { (f64::from(*value) - max).exp() / sum } else { 0.0 };
            let target = f64::from(u8::from(at == positive));
            *value = ((probability - target) / questions as f64) as f32;
        }
    }
    (loss / questions as f64) as f32
}
