//! The ranks of gold passages among all passages, as a measure of an encoder during training.

use control::{Canceled, Control};
use rayon::prelude::*;

/// Returns the rank of each question's gold passage, from 1, among all passages by the inner product of their vectors
/// (or by the negative Euclidean distance). Passages with the same score as the gold passage, or with a score that is
/// not a number, count as better, so a model that gives all texts the same vector does not look good. Runs on the
/// threads of the rayon pool in which it is called.
///
/// `questions` is `[questions, dim]` and `passages` is `[passages, dim]`. `gold` has the passage of each question, and
/// `ignored` the passages that are not counted for it, such as its other gold passages.
///
/// # Errors
///
/// [`Canceled`]
///
/// # Panics
///
/// If a passage is not one of the passages.
pub fn gold_ranks(
    questions: &[f32],
    passages: &[f32],
    dim: usize,
    euclidean: bool,
    gold: &[u32],
    ignored: &[Vec<u32>],
    control: &Control,
) -> Result<Vec<u32>, Canceled> {
    let kernels = kernels::Kernels::detect();
    // ‖q − p‖² = ‖q‖² + ‖p‖² − 2 q · p, where ‖q‖² is the same for all passages.
    let offset = |passage: &[f32]| if euclidean { kernels.dot(passage, passage) / 2.0 } else { 0.0 };
    let offsets: Vec<f32> = passages.chunks_exact(dim).map(offset).collect();
    let rank = |(question, vector): (usize, &[f32])| {
        control.check()?;
        let mut scores = vec![0.0; offsets.len()];
        kernels.score_rows(vector, passages, &mut scores);
        scores.iter_mut().zip(&offsets).for_each(|(score, offset)| *score -= offset);
        let gold = gold[question] as usize;
        let gold_score = scores[gold];
        for &passage in &ignored[question] {
            scores[passage as usize] = f32::NEG_INFINITY;
        }
        let is_better = |score: f32| score >= gold_score || score.is_nan() || gold_score.is_nan();
        let better = scores.iter().enumerate().filter(|&(at, &score)| at != gold && is_better(score));
        Ok(better.count() as u32 + 1)
    };
    questions.par_chunks_exact(dim).enumerate().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_passages_that_are_at_least_as_similar() {
        let passages = [1.0, 0.0, 0.0, 2.0, 3.0, 0.0, 1.0, 0.0];
        let questions = [1.0, 0.0, 0.0, 1.0];
        let none = [vec![], vec![]];
        let ranks = |questions: &[f32], euclidean, gold: &[u32], ignored: &[Vec<u32>]| {
            gold_ranks(questions, &passages, 2, euclidean, gold, ignored, &Control::new())
                .expect("not canceled")
        };
        // The inner products are 1, 0, 3, 1 and 0, 2, 0, 0.
        assert_eq!(ranks(&questions, false, &[0, 1], &none), [3, 1]);
        assert_eq!(ranks(&questions, false, &[0, 0], &[vec![2], vec![]]), [2, 4]);
        let unknown = [f32::NAN, 0.0, 0.0, 1.0];
        assert_eq!(ranks(&unknown, false, &[0, 1], &none), [4, 1]);
        // The squared distances are 0, 5, 4, 0 and 2, 1, 10, 2.
        assert_eq!(ranks(&questions, true, &[2, 2], &none), [3, 4]);
    }
}
