//! The input of a calibration: the scores of one model, and whether its predictions are correct.

use crate::confidence;
use crate::error::Error;

/// The results of one model: its best scores for each question, and whether its best passage is correct.
#[derive(Debug, Clone, Copy)]
pub struct Outcomes<'a> {
    /// `[questions, k]`
    scores: &'a [f32],
    k: usize,
    /// `[questions]`
    correct: &'a [bool],
}

impl<'a> Outcomes<'a> {
    /// Takes `scores` of shape `[questions, k]`, in any order within a row, and one entry of `correct` per question. If
    /// the model found fewer than `k` passages for a question, the row must be padded with −∞. If it found none, its
    /// confidence for this question is 0.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `k` is 0, if there are no questions, if the lengths do not match, or if a score is NaN or
    /// ∞.
    pub fn new(scores: &'a [f32], k: usize, correct: &'a [bool]) -> Result<Self, Error> {
        if k == 0 {
            return Err(Error::argument("k", "at least 1", k));
        }
        if correct.is_empty() {
            return Err(Error::argument("correct", "at least one question", 0));
        }
        if correct.len().checked_mul(k) != Some(scores.len()) {
            let expected = format!("{} rows of {k} scores", correct.len());
            return Err(Error::argument("scores", expected, format!("{} scores", scores.len())));
        }
        match scores.iter().find(|score| !(score.is_finite() || **score == f32::NEG_INFINITY)) {
            Some(score) => {
                Err(Error::argument("scores", "finite numbers, or -Infinity for a missing score", score))
            }
            None => Ok(Self { scores, k, correct }),
        }
    }

    /// Returns for each question whether the model's best passage is correct.
    #[must_use]
    pub fn correct(&self) -> &'a [bool] {
        self.correct
    }

    /// Returns the model's confidence for each question at a temperature.
    #[must_use]
    pub fn confidences(&self, temperature: f64) -> Vec<f64> {
        self.rows().map(|scores| confidence(scores, temperature)).collect()
    }

    /// Returns the scores for one question.
    pub(crate) fn scores_of(&self, question: usize) -> &'a [f32] {
        &self.scores[question * self.k..][..self.k]
    }

    /// Iterates over the scores for each question.
    pub(crate) fn rows(&self) -> impl ExactSizeIterator<Item = &'a [f32]> {
        self.scores.chunks_exact(self.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ensemble;

    #[test]
    fn the_confidence_is_0_for_a_question_without_scores() {
        let none = f32::NEG_INFINITY;
        let scores = [2.0, 1.0, 3.0, none, none, none];
        let outcomes = Outcomes::new(&scores, 2, &[true, true, false]).expect("valid");
        let expected = [1.0 / (1.0 + (-1f64).exp()), 1.0, 0.0];
        assert_eq!(outcomes.confidences(1.0), expected);
        // The third question has a confidence of 0 and a wrong prediction, which adds no error. The second has a
        // confidence of 1 and a correct prediction, which adds none either.
        let (error, slope) = Ensemble::from(outcomes).squared_error(1.0, 10).expect("valid");
        assert!((error - (1.0 - expected[0]).powi(2) / 3.0).abs() < 1e-12);
        assert!(slope.is_finite());
    }

    #[test]
    fn invalid_scores_and_lengths_are_refused() {
        let message = |scores: &[f32], k, correct: &[bool]| {
            Outcomes::new(scores, k, correct).expect_err("refused").to_string()
        };
        let not_finite =
            |got| format!("scores: expected finite numbers, or -Infinity for a missing score, got {got}");
        assert_eq!(message(&[1.0], 0, &[true]), "k: expected at least 1, got 0");
        assert_eq!(message(&[], 1, &[]), "correct: expected at least one question, got 0");
        assert_eq!(message(&[1.0; 3], 2, &[true; 2]), "scores: expected 2 rows of 2 scores, got 3 scores");
        assert_eq!(message(&[f32::NAN], 1, &[true]), not_finite("NaN"));
        assert_eq!(message(&[f32::INFINITY], 1, &[true]), not_finite("inf"));
    }
}
