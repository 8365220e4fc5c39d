//! Chooses the most confident of several models for one question (Yang et al., 2023, §3.2).

use crate::error::{Error, check_positive};
use crate::{confidence, log_odds_against};

/// The scores of one model for a question, and the model's temperature.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The model's best scores, from which its confidence is computed; empty if the model found nothing.
    pub scores: &'a [f32],
    /// The temperature with which the model's confidence is computed.
    pub temperature: f64,
}

/// The chosen model, and the confidences of all models.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// Index of the most confident model.
    pub model: usize,
    /// The confidence of each model.
    pub confidences: Vec<f64>,
}

/// Chooses the most confident of several models. Yang et al. (2023, §3.2) call this MUF (model uncertainty fusion).
///
/// If several models are equally confident, the first of them is chosen. A model without scores has a confidence of 0.
/// Models are compared by [`log_odds_against`]: the lower, the more confident. This gives the same order as comparing
/// confidences, and distinguishes even two confidences that both round to 1.
///
/// # Errors
///
/// [`Error::Argument`] if there are no models, if a temperature is not finite and above 0, or if a score is not finite.
pub fn choose(models: &[Candidate<'_>]) -> Result<Choice, Error> {
    if models.is_empty() {
        return Err(Error::argument("models", "at least one", 0));
    }
    for &Candidate { scores, temperature } in models {
        check_positive("temperature", temperature)?;
        if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
            return Err(Error::argument("scores", "finite numbers", score));
        }
    }
    let model = most_confident(models.iter().map(|model| (model.scores, model.temperature)));
    let confidences = models.iter().map(|model| confidence(model.scores, model.temperature)).collect();
    Ok(Choice { model, confidences })
}

/// Returns the index of the most confident model, given the scores and the temperature of each model. If several are
/// equally confident, returns the first of them; if none has scores, returns 0.
pub(crate) fn most_confident<'s>(models: impl Iterator<Item = (&'s [f32], f64)>) -> usize {
    let (mut best, mut min_log_odds) = (0, f64::INFINITY);
    for (model, (scores, temperature)) in models.enumerate() {
        let log_odds = log_odds_against(scores, temperature);
        if log_odds < min_log_odds {
            (best, min_log_odds) = (model, log_odds);
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
    fn the_most_confident_model_is_chosen_or_the_first_of_equally_confident_ones() {
        let (confident, uncertain) = ([3.0, 1.0], [9.0, 8.0]);
        let chosen = |models: &[Candidate<'_>]| choose(models).expect("valid").model;
        assert_eq!(chosen(&[candidate(&uncertain, 1.0), candidate(&confident, 1.0)]), 1);
        assert_eq!(chosen(&[candidate(&confident, 1.0), candidate(&confident, 1.0)]), 0);
        // A gap of 2 at temperature 4 gives a lower confidence than a gap of 1 at temperature 1.
        assert_eq!(chosen(&[candidate(&confident, 4.0), candidate(&uncertain, 1.0)]), 1);
        // Both confidences round to 1.
        assert_eq!(chosen(&[candidate(&uncertain, 1e-3), candidate(&confident, 1e-3)]), 1);
        assert_eq!(chosen(&[candidate(&[], 1.0), candidate(&uncertain, 1.0)]), 1);
        let without_scores = choose(&[candidate(&[], 1.0), candidate(&[], 1.0)]).expect("valid");
        assert_eq!(without_scores, Choice { model: 0, confidences: vec![0.0, 0.0] });
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
        fn the_chosen_model_has_the_highest_confidence(
            lists in prop::collection::vec((prop::collection::vec(-9f32..9.0, 0..12), 0.5f64..9.0), 1..6),
        ) {
            let models: Vec<_> =
                lists.iter().map(|(scores, temperature)| candidate(scores, *temperature)).collect();
            let Choice { model, confidences } = choose(&models).expect("valid");
            let max = confidences.iter().copied().fold(0.0, f64::max);
            prop_assert!(confidences[model] >= max - 1e-12, "{} of {:?}", model, confidences);
        }
    }
}
