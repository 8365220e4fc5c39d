use crate::error::Error;
use crate::{Bins, confidence, confidence_gradient};

/// What a model said of questions: for each its best scores, and whether its best passage was right.
#[derive(Debug, Clone, Copy)]
pub struct Outcomes<'a> {
    scores: &'a [f32],
    k: usize,
    correct: &'a [bool],
}

impl<'a> Outcomes<'a> {
    /// `scores` is `[questions, k]`, the best in any place; each finite, or −∞ where the model found fewer than `k`. Where it
    /// found nothing its confidence is 0.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a `k` of 0, no questions, shapes that do not agree, or a score that is NaN or ∞.
    pub fn new(scores: &'a [f32], k: usize, correct: &'a [bool]) -> Result<Self, Error> {
        if k == 0 {
            return Err(Error::argument("k", "at least 1", k));
        }
        if correct.is_empty() {
            return Err(Error::argument("correct", "at least one question", 0));
        }
        if correct.len().checked_mul(k) != Some(scores.len()) {
            let expected = format!("{} of {k} scores each", correct.len());
            return Err(Error::argument("scores", expected, format!("{} scores", scores.len())));
        }
        match scores.iter().find(|score| !(score.is_finite() || **score == f32::NEG_INFINITY)) {
            Some(score) => Err(Error::argument("scores", "finite numbers, or -Infinity for none", score)),
            None => Ok(Self { scores, k, correct }),
        }
    }

    /// Whether the model was right, question by question.
    #[must_use]
    pub fn correct(&self) -> &'a [bool] {
        self.correct
    }

    /// The model's confidence at a temperature, question by question.
    #[must_use]
    pub fn confidences(&self, temperature: f64) -> Vec<f64> {
        self.each().map(|scores| confidence(scores, temperature)).collect()
    }

    /// The squared calibration error at a temperature, and its derivative by the temperature (Yang et al., 2023, §3.2):
    /// 2 · Σ |B|/K · (conf(B) − acc(B)) · mean of the confidences' derivatives in B. Where a confidence passes from one bin
    /// into the next the error jumps, and has none.
    ///
    /// # Errors
    ///
    /// As [`Bins::new`].
    pub fn squared_error(&self, temperature: f64, bins: usize) -> Result<(f64, f64), Error> {
        let (confidences, slopes): (Vec<f64>, Vec<f64>) =
            self.each().map(|scores| confidence_gradient(scores, temperature)).unzip();
        let bins = Bins::new(&confidences, self.correct, bins)?;
        let mut slopes_of = vec![0.0; bins.bins().len()];
        for (confidence, slope) in confidences.iter().zip(slopes) {
            slopes_of[bins.place(*confidence)] += slope;
        }
        let parts = bins.bins().iter().zip(slopes_of).filter(|(bin, _)| bin.count > 0);
        let slope = parts.map(|(bin, slope)| 2.0 * (bin.confidence - bin.accuracy) * slope).sum::<f64>();
        Ok((bins.squared_error(), slope / self.correct.len() as f64))
    }

    /// The scores of each question.
    pub(crate) fn each(&self) -> impl ExactSizeIterator<Item = &'a [f32]> {
        self.scores.chunks_exact(self.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_gradient_is_the_numerical_one_where_no_confidence_changes_its_bin(
            questions in prop::collection::vec((prop::collection::vec(-8f32..8.0, 5), any::<bool>()), 1..40),
            temperature in 0.5f64..20.0,
            bins in 1usize..15,
        ) {
            let scores: Vec<f32> = questions.iter().flat_map(|(scores, _)| scores.clone()).collect();
            let correct: Vec<bool> = questions.iter().map(|&(_, correct)| correct).collect();
            let outcomes = Outcomes::new(&scores, 5, &correct).expect("they agree");
            let step = temperature * 1e-6;
            let places = |at: f64| -> Vec<usize> {
                let confidences = outcomes.confidences(at);
                let bins = Bins::new(&confidences, &correct, bins).expect("sound");
                confidences.iter().map(|&confidence| bins.place(confidence)).collect()
            };
            prop_assume!(places(temperature - step) == places(temperature + step));
            let error = |at: f64| outcomes.squared_error(at, bins).expect("sound").0;
            let (_, slope) = outcomes.squared_error(temperature, bins).expect("sound");
            let numerical = (error(temperature + step) - error(temperature - step)) / (2.0 * step);
            prop_assert!((slope - numerical).abs() <= 1e-7 + 1e-5 * slope.abs(), "{} and {}", slope, numerical);
        }
    }

    #[test]
    fn a_question_without_scores_has_no_confidence() {
        let none = f32::NEG_INFINITY;
        let scores = [2.0, 1.0, 3.0, none, none, none];
        let outcomes = Outcomes::new(&scores, 2, &[true, true, false]).expect("sound");
        let expected = [1.0 / (1.0 + (-1f64).exp()), 1.0, 0.0];
        assert_eq!(outcomes.confidences(1.0), expected);
        // Of ten bins the first has one that is wrong with a confidence of 0, which costs nothing.
        let (error, slope) = outcomes.squared_error(1.0, 10).expect("sound");
        assert!((error - (1.0 - expected[0]).powi(2) / 3.0).abs() < 1e-12);
        assert!(slope.is_finite());
    }

    #[test]
    fn shapes_that_do_not_agree_are_refused() {
        let message = |scores: &[f32], k, correct: &[bool]| {
            Outcomes::new(scores, k, correct).expect_err("refused").to_string()
        };
        let not_finite = |got| format!("scores: expected finite numbers, or -Infinity for none, got {got}");
        assert_eq!(message(&[1.0], 0, &[true]), "k: expected at least 1, got 0");
        assert_eq!(message(&[], 1, &[]), "correct: expected at least one question, got 0");
        assert_eq!(message(&[1.0; 3], 2, &[true; 2]), "scores: expected 2 of 2 scores each, got 3 scores");
        assert_eq!(message(&[f32::NAN], 1, &[true]), not_finite("NaN"));
        assert_eq!(message(&[f32::INFINITY], 1, &[true]), not_finite("inf"));
    }
}
