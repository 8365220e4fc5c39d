//! Several models for the same questions, with one temperature for all of them: the fused predictions of Yang et al.
//! (2023, §3.2) and their calibration error. A single model is an ensemble of one.

use crate::choice::most_confident;
use crate::error::Error;
use crate::{Bins, Outcomes, confidence_gradient};

/// The outcomes of several models for the same questions, in the same order.
#[derive(Debug, Clone)]
pub struct Ensemble<'a> {
    models: Vec<Outcomes<'a>>,
}

/// The prediction of the most confident model for a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// The position of the most confident model, M* of Yang et al. If several are equally confident, it is the first.
    pub model: usize,
    /// Its confidence, C.
    pub confidence: f64,
    /// dC/dT, the g_j of Yang et al.
    pub slope: f64,
    /// Whether that model is right.
    pub correct: bool,
}

impl<'a> Ensemble<'a> {
    /// Combines models.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] without models, or if their numbers of questions differ.
    pub fn new(models: Vec<Outcomes<'a>>) -> Result<Self, Error> {
        let Some(first) = models.first() else {
            return Err(Error::argument("models", "at least one", 0));
        };
        let count = first.correct().len();
        match models.iter().find(|model| model.correct().len() != count) {
            Some(other) => {
                let expected = format!("{count} questions for each, as for the first");
                Err(Error::argument("models", expected, other.correct().len()))
            }
            None => Ok(Self { models }),
        }
    }

    /// The models, in their order.
    pub(crate) fn models(&self) -> &[Outcomes<'a>] {
        &self.models
    }

    /// Number of questions; every model has the same number.
    #[must_use]
    pub fn question_count(&self) -> usize {
        self.models[0].correct().len()
    }

    /// The fused prediction for each question, if all models have this temperature.
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

    /// The squared calibration error of the fused predictions, and its derivative with respect to the temperature (Yang et
    /// al., 2023, §3.2): 2 · Σ |B|/K · (conf(B) − acc(B)) · mean of g_j in B, where g_j is dC/dT of the most confident model. The error
    /// jumps where a confidence moves to another bin, and where another model becomes the most confident one.
    ///
    /// # Errors
    ///
    /// As [`Bins::new`].
    pub fn squared_error(&self, temperature: f64, bins: usize) -> Result<(f64, f64), Error> {
        let predictions = self.predictions(temperature);
        let confidences: Vec<f64> = predictions.iter().map(|prediction| prediction.confidence).collect();
        let correct: Vec<bool> = predictions.iter().map(|prediction| prediction.correct).collect();
        let bins = Bins::new(&confidences, &correct, bins)?;
        let mut slopes = vec![0.0; bins.bins().len()];
        for prediction in &predictions {
            slopes[bins.place(prediction.confidence)] += prediction.slope;
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
        // At T = 1 the confidences for the first question are 1 / (1 + 1/e) and 1 / (1 + 1/e²). The second question is a tie.
        let (first, second) = ([1.0, 0.0, 5.0, 4.0], [2.0, 0.0, 1.0, 0.0]);
        let (right, wrong) = ([true, true], [false, false]);
        let outcomes = |scores, correct| Outcomes::new(scores, 2, correct).expect("valid");
        let ensemble =
            Ensemble::new(vec![outcomes(&first, &wrong), outcomes(&second, &right)]).expect("valid");
        let predictions = ensemble.predictions(1.0);
        let confidence = |gap: f64| 1.0 / (1.0 + (-gap).exp());
        assert_eq!((predictions[0].model, predictions[0].correct), (1, true));
        assert!((predictions[0].confidence - confidence(2.0)).abs() < 1e-12);
        assert_eq!((predictions[1].model, predictions[1].correct), (0, false));
        // Each question is alone in its bin: (C − 1)² / 2 for C = .88, which is right, and C² / 2 for C = .73, which is wrong.
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
        assert_eq!(error, "models: expected 1 questions for each, as for the first, got 2");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_gradient_agrees_with_the_numerical_gradient_between_jumps(
            questions in prop::collection::vec(
                (prop::collection::vec(-8f32..8.0, 10), any::<bool>(), any::<bool>()), 1..40
            ),
            temperature in 0.5f64..20.0,
            bins in 1usize..15,
        ) {
            let scores = |of: std::ops::Range<usize>| -> Vec<f32> {
                questions.iter().flat_map(|(scores, ..)| scores[of.clone()].to_vec()).collect()
            };
            let (scores_a, scores_b) = (scores(0..5), scores(5..10));
            let correct_a: Vec<bool> = questions.iter().map(|&(_, correct, _)| correct).collect();
            let correct_b: Vec<bool> = questions.iter().map(|&(_, _, correct)| correct).collect();
            let outcomes = |scores, correct| Outcomes::new(scores, 5, correct).expect("valid");
            let ensemble =
                Ensemble::new(vec![outcomes(&scores_a, &correct_a), outcomes(&scores_b, &correct_b)]).expect("valid");
            let step = temperature * 1e-6;
            let state = |at: f64| -> Vec<(usize, usize)> {
                let place = |confidence: f64| ((confidence * bins as f64) as usize).min(bins - 1);
                ensemble.predictions(at).iter().map(|one| (one.model, place(one.confidence))).collect()
            };
            prop_assume!(state(temperature - step) == state(temperature + step));
            let error = |at: f64| ensemble.squared_error(at, bins).expect("valid").0;
            let (_, slope) = ensemble.squared_error(temperature, bins).expect("valid");
            let numerical = (error(temperature + step) - error(temperature - step)) / (2.0 * step);
            prop_assert!((slope - numerical).abs() <= 1e-7 + 1e-5 * slope.abs(), "{} and {}", slope, numerical);
        }

        #[test]
        fn predictions_agree_with_choose(
            lists in prop::collection::vec(prop::collection::vec(-9f32..9.0, 4), 3..=3), temperature in 0.05f64..9.0
        ) {
            let models: Vec<_> =
                lists.iter().map(|scores| Outcomes::new(scores, 4, &[true]).expect("valid")).collect();
            let [prediction] = Ensemble::new(models).expect("valid").predictions(temperature)[..] else { panic!() };
            let candidates: Vec<_> = lists.iter().map(|scores| Candidate { scores, temperature }).collect();
            let choice = choose(&candidates).expect("valid");
            prop_assert_eq!(prediction.model, choice.model);
            prop_assert_eq!(prediction.confidence, choice.confidences[choice.model]);
        }
    }
}
