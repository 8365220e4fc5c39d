//! The marginal negative log likelihood of several positive passages.

/// Returns the mean over all questions of −log(Σ e^sim(q, p⁺) / Σ e^sim(q, p)), where p runs through all passages and p⁺
/// through the positive ones of question q (Lee et al., 2019, “Latent Retrieval for Weakly Supervised Open Domain
/// Question Answering”, §5). With one positive passage per question, this is [`nll_loss`](super::nll_loss). Replaces
/// the similarities, `[questions, passages]`, by their gradients.
///
/// # Panics
///
/// If the number of similarities is wrong, or if a question has no positive passage, or one that is not a passage.
pub fn marginal_nll_loss(passages: usize, positives: &[Vec<u32>], similarities: &mut [f32]) -> f32 {
    let expected = passages * positives.len();
    assert!(similarities.len() == expected, "similarities: expected {expected}, got {}", similarities.len());
    let questions = positives.len() as f64;
    let mut loss = 0.0;
    for (row, positives) in similarities.chunks_exact_mut(passages.max(1)).zip(positives) {
        assert!(!positives.is_empty(), "positives: expected at least one per question");
        let max = row.iter().fold(f32::NEG_INFINITY, |max, value| max.max(*value));
        let exponential = |value: f32| f64::from(value - max).exp();
        let sum: f64 = row.iter().map(|value| exponential(*value)).sum();
        let mut positives = positives.clone();
        positives.sort_unstable();
        positives.dedup();
        let positive_max = positives.iter().map(|at| row[*at as usize]).fold(f32::NEG_INFINITY, f32::max);
        // Relative to the largest positive similarity, so that the sum does not underflow.
        let positive_exponential = |value: f32| f64::from(value - positive_max).exp();
        let positive_sum: f64 = positives.iter().map(|at| positive_exponential(row[*at as usize])).sum();
        loss += f64::from(max) + sum.ln() - f64::from(positive_max) - positive_sum.ln();
        let mut next = positives.iter().peekable();
        for (at, value) in row.iter_mut().enumerate() {
            let is_positive = next.next_if(|positive| **positive as usize == at).is_some();
            let target = if is_positive { positive_exponential(*value) / positive_sum } else { 0.0 };
            *value = ((exponential(*value) / sum - target) / questions) as f32;
        }
    }
    (loss / questions) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::{Candidates, nll_loss};

    #[test]
    fn one_positive_per_question_gives_the_plain_loss() {
        let similarities = [0.5, -1.0, 2.0, 1.5, 0.25, 80.0];
        let (mut plain, mut marginal) = (similarities, similarities);
        let expected = nll_loss(&Candidates::all(3, &[2, 0]), &mut plain);
        let loss = marginal_nll_loss(3, &[vec![2], vec![0]], &mut marginal);
        assert!((loss - expected).abs() < 1e-5, "{loss} {expected}");
        for (a, b) in plain.iter().zip(marginal) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }

    #[test]
    fn the_likelihoods_of_positives_are_added() {
        // e^ln 1, e^ln 2, e^ln 3, e^ln 4: the positive passages have 6 of 10.
        let mut similarities: Vec<f32> = [1f32, 2.0, 3.0, 4.0].iter().map(|value| value.ln()).collect();
        let loss = marginal_nll_loss(4, &[vec![3, 1, 3]], &mut similarities);
        assert!((loss - (10f32 / 6.0).ln()).abs() < 1e-6, "{loss}");
        for (gradient, expected) in similarities.iter().zip([0.1, 0.2 - 2.0 / 6.0, 0.3, 0.4 - 4.0 / 6.0]) {
            assert!((gradient - expected).abs() < 1e-6, "{gradient} {expected}");
        }
    }

    #[test]
    fn positives_far_below_the_best_passage_give_a_finite_loss() {
        let mut similarities = [0.0, 2000.0, -3.0];
        let loss = marginal_nll_loss(3, &[vec![0, 2]], &mut similarities);
        assert!((loss - (2000.0 - (1.0 + (-3f32).exp()).ln())).abs() < 1e-2, "{loss}");
        assert!(similarities.iter().all(|value| value.is_finite()));
    }

    #[test]
    #[should_panic(expected = "positives: expected at least one per question")]
    fn a_question_without_a_positive_is_refused() {
        marginal_nll_loss(2, &[vec![]], &mut [0.0, 1.0]);
    }
}
