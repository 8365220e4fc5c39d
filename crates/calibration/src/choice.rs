//! Chooses the most confident of several models for one question.

use crate::error::{Error, check_temperature};
use crate::{confidence, log_odds_against};

/// The scores of one model for a question.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The model's best scores, A_k; empty if it found nothing.
    pub scores: &'a [f32],
    /// The temperature of the model's calibrated confidence.
    pub temperature: f64,
}

/// The chosen model, and the confidences of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The position of the most confident model.
    pub model: usize,
    /// The confidence of each model.
    pub confidences: Vec<f64>,
}

/// Chooses the most confident of several models (model uncertainty fusion: Yang et al., 2023, §3.2). If several are equally
/// confident, the first is chosen; a model without scores has a confidence of 0.
///
/// Models are compared by [`log_odds_against`]. The order is the same as by confidence, but two confidences that both round
/// to 1 are still distinguished.
///
/// # Errors
///
/// [`Error::Argument`] without models, for a temperature that is not finite and above 0, or a score that is not finite.
pub fn choose(models: &[Candidate<'_>]) -> Result<Choice, Error> {
    if models.is_empty() {
        return Err(Error::argument("models", "at least one", 0));
    }
    for &Candidate { scores, temperature } in models {
        check_temperature("temperature", temperature)?;
        if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
            return Err(Error::argument("scores", "finite numbers", score));
        }
    }
    let model = most_confident(models.iter().map(|model| (model.scores, model.temperature)));
    let confidences = models.iter().map(|model| confidence(model.scores, model.temperature)).collect();
    Ok(Choice { model, confidences })
}

/// The position of the most confident model, given each model's scores and temperature; the first of several equally
/// confident ones, and 0 if none has scores.
pub(crate) fn most_confident<'s>(models: impl Iterator<Item = (&'s [f32], f64)>) -> usize {
    let (mut best, mut min) = (0, f64::INFINITY);
    for (model, (scores, temperature)) in models.enumerate() {
        let odds = log_odds_against(scores, temperature);
        if odds < min {
            (best, min) = (model, odds);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidate(scores: &[f32], temperature: f64) -> Candidate<'_> {
        Candidate { scores, temperature }
    }

    #[test]
    fn the_most_confident_model_is_chosen_and_the_first_of_equals() {
        let (sure, unsure) = ([3.0, 1.0], [9.0, 8.0]);
        let of = |models: &[Candidate<'_>]| choose(models).expect("sound").model;
        assert_eq!(of(&[candidate(&unsure, 1.0), candidate(&sure, 1.0)]), 1);
        assert_eq!(of(&[candidate(&sure, 1.0), candidate(&sure, 1.0)]), 0);
        // A gap of 2 at temperature 4 gives a lower confidence than a gap of 1 at temperature 1.
        assert_eq!(of(&[candidate(&sure, 4.0), candidate(&unsure, 1.0)]), 1);
        // Both confidences round to 1.
        assert_eq!(of(&[candidate(&unsure, 1e-3), candidate(&sure, 1e-3)]), 1);
        assert_eq!(of(&[candidate(&[], 1.0), candidate(&unsure, 1.0)]), 1);
        let nothing = choose(&[candidate(&[], 1.0), candidate(&[], 1.0)]).expect("sound");
        assert_eq!(nothing, Choice { model: 0, confidences: vec![0.0, 0.0] });
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let message = |models: &[Candidate<'_>]| choose(models).expect_err("refused").to_string();
        assert_eq!(message(&[]), "models: expected at least one, got 0");
        let temperature = "temperature: expected a finite number above 0, got -1";
        assert_eq!(message(&[candidate(&[1.0], -1.0)]), temperature);
        assert_eq!(message(&[candidate(&[f32::NAN], 1.0)]), "scores: expected finite numbers, got NaN");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_chosen_model_has_the_largest_confidence(
            lists in prop::collection::vec((prop::collection::vec(-9f32..9.0, 0..12), 0.5f64..9.0), 1..6)
        ) {
            let models: Vec<_> =
                lists.iter().map(|(scores, temperature)| candidate(scores, *temperature)).collect();
            let Choice { model, confidences } = choose(&models).expect("sound");
            let largest = confidences.iter().copied().fold(0.0, f64::max);
            prop_assert!(confidences[model] >= largest - 1e-12, "{} of {:?}", model, confidences);
        }
    }
}
