//! Several models for the same questions, with one temperature for all models. For each question, the fused prediction
//! is the best passage of the most confident model (Yang et al., 2023, §3.2). The calibration error of the fused
//! predictions is a function of the temperature. A single model is an ensemble of one.

use crate::choice::most_confident;
use crate::error::Error;
use crate::{Bins, Outcomes, confidence_gradient};

/// The outcomes of several models, all for the same questions in the same order.
#[derive(Debug, Clone)]
pub struct Ensemble<'a> {
    models: Vec<Outcomes<'a>>,
}

/// The fused prediction for a question, which is that of the most confident model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// Index of the most confident model, M* in Yang et al. If several are equally confident, it is the first of them.
    pub model: usize,
    /// C, the confidence of this model.
    pub confidence: f64,
    /// dC/dT, the derivative of this confidence with respect to the temperature; g_j in Yang et al.
    pub slope: f64,
    /// Whether the best passage of this model is correct.
    pub correct: bool,
}

impl<'a> Ensemble<'a> {
    /// Combines models.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if there are no models, or if not all of them have the same number of questions.
    pub fn new(models: Vec<Outcomes<'a>>) -> Result<Self, Error> {
        let Some(first) = models.first() else {
            return Err(Error::argument("models", "at least one", 0));
        };
        let count = first.correct().len();
        match models.iter().find(|model| model.correct().len() != count) {
            Some(other) => {
                let expected = format!("as many questions for each as for the first ({count})");
                Err(Error::argument("models", expected, other.correct().len()))
            }
            None => Ok(Self { models }),
        }
    }

    /// Returns the models, in their order.
    pub(crate) fn models(&self) -> &[Outcomes<'a>] {
        &self.models
    }

    /// Returns the number of questions, which is the same for all models.
    #[must_use]
    pub fn question_count(&self) -> usize {
        self.models[0].correct().len()
    }

    /// Returns the fused prediction for each question, with this temperature for all models.
    #[must_use]
    pub fn predictions(&self, temperature: f64) -> Vec<Prediction> {
        let predict = |question: usize| {
            let lists = self.models.iter().map(|model| (model.scores_of(question), temperature));
            let model = most_confident(lists);
            let chosen = &self.models[model];
            let (confidence, slope) = confidence_gradient(chosen.scores_of(question), temperature);
            Prediction { model, confidence, slope, correct: chosen.correct()[question] }
        };
        (0..self.question_count()).map(predict).collect()
    }

    /// Returns the squared calibration error of the fused predictions, and its derivative with respect to the
    /// temperature (Yang et al., 2023, §3.2). The derivative is 2 · Σ |B|/K · (conf(B) − acc(B)) · slope(B), where
    /// slope(B) is the mean slope of the predictions in bin B. The other symbols are defined at [`Bins`].
    ///
    /// The error jumps where a confidence moves to another bin, and where another model becomes the most confident one.
    ///
    /// # Errors
    ///
    /// The errors of [`Bins::new`].
    pub fn squared_error(&self, temperature: f64, bins: usize) -> Result<(f64, f64), Error> {
        let predictions = self.predictions(temperature);
        let confidences: Vec<f64> = predictions.iter().map(|prediction| prediction.confidence).collect();
        let correct: Vec<bool> = predictions.iter().map(|prediction| prediction.correct).collect();
        let bins = Bins::new(&confidences, &correct, bins)?;
        let mut slopes = vec![0.0; bins.bins().len()];
        for prediction in &predictions {
            slopes[bins.index_of(prediction.confidence)] += prediction.slope;
        }
        let parts = bins.bins().iter().zip(slopes).filter(|(bin, _)| bin.count > 0);
        let slope = parts.map(|(bin, slope)| 2.0 * (bin.confidence - bin.accuracy) * slope).sum::<f64>();
        Ok((bins.squared_error(), slope / predictions.len() as f64))
    }
}

impl<'a> From<Outcomes<'a>> for Ensemble<'a> {
    fn from(model: Outcomes<'a>) -> Self {
        Self { models: vec![model] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use crate::{Candidate, choose};

    #[test]
    fn the_most_confident_model_predicts() {
        // At T = 1, the models' confidences are 1 / (1 + 1/e) and 1 / (1 + 1/e²) for the first question, and equal for
        // the second.
        let (first, second) = ([1.0, 0.0, 5.0, 4.0], [2.0, 0.0, 1.0, 0.0]);
        let (all_correct, all_wrong) = ([true, true], [false, false]);
        let outcomes = |scores, correct| Outcomes::new(scores, 2, correct).expect("valid");
        let ensemble = Ensemble::new(vec![outcomes(&first, &all_wrong), outcomes(&second, &all_correct)])
            .expect("valid");
        let predictions = ensemble.predictions(1.0);
        let confidence = |gap: f64| 1.0 / (1.0 + (-gap).exp());
        assert_eq!((predictions[0].model, predictions[0].correct), (1, true));
        assert!((predictions[0].confidence - confidence(2.0)).abs() < 1e-12);
        assert_eq!((predictions[1].model, predictions[1].correct), (0, false));
        // Each prediction is alone in its bin. The correct one, with C = 0.88, contributes (C − 1)² / 2, and the wrong
        // one, with C = 0.73, contributes C² / 2.
        let expected = (confidence(2.0) - 1.0).powi(2) / 2.0 + confidence(1.0).powi(2) / 2.0;
        assert!((ensemble.squared_error(1.0, 10).expect("valid").0 - expected).abs() < 1e-12);
    }

    #[test]
    fn invalid_ensembles_are_refused() {
        let error = Ensemble::new(Vec::new()).expect_err("refused").to_string();
        assert_eq!(error, "models: expected at least one, got 0");
        let one = Outcomes::new(&[1.0], 1, &[true]).expect("valid");
        let two = Outcomes::new(&[1.0, 2.0], 1, &[true, false]).expect("valid");
        let error = Ensemble::new(vec![one, two]).expect_err("refused").to_string();
        assert_eq!(error, "models: expected as many questions for each as for the first (1), got 2");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_gradient_agrees_with_the_numerical_gradient_between_jumps(
            questions in prop::collection::vec(
                (prop::collection::vec(-8f32..8.0, 10), any::<bool>(), any::<bool>()),
                1..40,
            ),
            temperature in 0.5f64..20.0,
            bins in 1usize..15,
        ) {
            let scores = |range: std::ops::Range<usize>| -> Vec<f32> {
                questions.iter().flat_map(|(scores, ..)| scores[range.clone()].to_vec()).collect()
            };
            let (scores_a, scores_b) = (scores(0..5), scores(5..10));
            let correct_a: Vec<bool> = questions.iter().map(|&(_, correct, _)| correct).collect();
            let correct_b: Vec<bool> = questions.iter().map(|&(_, _, correct)| correct).collect();
            let outcomes = |scores, correct| Outcomes::new(scores, 5, correct).expect("valid");
            let models = vec![outcomes(&scores_a, &correct_a), outcomes(&scores_b, &correct_b)];
            let ensemble = Ensemble::new(models).expect("valid");
            let step = temperature * 1e-6;
            let (low, high) = (temperature - step, temperature + step);
            let models_and_bins = |temperature: f64| -> Vec<(usize, usize)> {
                let bin = |confidence: f64| ((confidence * bins as f64) as usize).min(bins - 1);
                let predictions = ensemble.predictions(temperature);
                predictions.iter().map(|one| (one.model, bin(one.confidence))).collect()
            };
            prop_assume!(models_and_bins(low) == models_and_bins(high));
            let error = |temperature: f64| ensemble.squared_error(temperature, bins).expect("valid").0;
            let (_, slope) = ensemble.squared_error(temperature, bins).expect("valid");
            let numerical = (error(high) - error(low)) / (2.0 * step);
            let tolerance = 1e-7 + 1e-5 * slope.abs();
            prop_assert!((slope - numerical).abs() <= tolerance, "{} and {}", slope, numerical);
        }

        #[test]
        fn predictions_agree_with_choose(
            lists in prop::collection::vec(prop::collection::vec(-9f32..9.0, 4), 3..=3),
            temperature in 0.05f64..9.0,
        ) {
            let models: Vec<_> =
                lists.iter().map(|scores| Outcomes::new(scores, 4, &[true]).expect("valid")).collect();
            let prediction = Ensemble::new(models).expect("valid").predictions(temperature)[0];
            let candidates: Vec<_> = lists.iter().map(|scores| Candidate { scores, temperature }).collect();
            let choice = choose(&candidates).expect("valid");
            prop_assert_eq!(prediction.model, choice.model);
            prop_assert_eq!(prediction.confidence, choice.confidences[choice.model]);
        }
    }
}
