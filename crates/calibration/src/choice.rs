use crate::error::{Error, check_temperature};
use crate::{confidence, doubt};

/// What a model says of a question.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its best scores, A_k; none where it found nothing.
    pub scores: &'a [f32],
    /// At which it is calibrated.
    pub temperature: f64,
}

/// Whose answer is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The place of the most confident model.
    pub model: usize,
    /// The confidence of each.
    pub confidences: Vec<f64>,
}

/// The most confident of several models (model uncertainty fusion: Yang et al., 2023, §3.2). Of equally confident ones the
/// earlier is taken; one without scores has a confidence of 0.
///
/// Models are compared by their [`doubt`], which is the same as by their confidence, but that no two are equal because both
/// were rounded to 1.
///
/// # Errors
///
/// [`Error::Argument`] without models, for a temperature that is not finite and above 0, or a score that is not finite.
pub fn choose(models: &[Candidate<'_>]) -> Result<Choice, Error> {
    if models.is_empty() {
        return Err(Error::argument("models", "at least one", 0));
    }
    let (mut model, mut least) = (0, f64::INFINITY);
    let mut confidences = Vec::with_capacity(models.len());
    for (at, &Candidate { scores, temperature }) in models.iter().enumerate() {
        check_temperature("temperature", temperature)?;
        if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
            return Err(Error::argument("scores", "finite numbers", score));
        }
        let doubt = doubt(scores, temperature);
        if doubt < least {
            (model, least) = (at, doubt);
        }
        confidences.push(confidence(scores, temperature));
    }
    Ok(Choice { model, confidences })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidate(scores: &[f32], temperature: f64) -> Candidate<'_> {
        Candidate { scores, temperature }
    }

    #[test]
    fn the_most_confident_is_taken_and_of_equals_the_first() {
        let (sure, unsure) = ([3.0, 1.0], [9.0, 8.0]);
        let of = |models: &[Candidate<'_>]| choose(models).expect("sound").model;
        assert_eq!(of(&[candidate(&unsure, 1.0), candidate(&sure, 1.0)]), 1);
        assert_eq!(of(&[candidate(&sure, 1.0), candidate(&sure, 1.0)]), 0);
        // A gap of 2 at a temperature of 4 says less than one of 1 at 1.
        assert_eq!(of(&[candidate(&sure, 4.0), candidate(&unsure, 1.0)]), 1);
        // Both confidences are 1.
        assert_eq!(of(&[candidate(&unsure, 1e-3), candidate(&sure, 1e-3)]), 1);
        assert_eq!(of(&[candidate(&[], 1.0), candidate(&unsure, 1.0)]), 1);
        let nothing = choose(&[candidate(&[], 1.0), candidate(&[], 1.0)]).expect("sound");
        assert_eq!(nothing, Choice { model: 0, confidences: vec![0.0, 0.0] });
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let message = |models: &[Candidate<'_>]| choose(models).expect_err("refused").to_string();
        assert_eq!(message(&[]), "models: expected at least one, got 0");
        let temperature = "temperature: expected a finite number above 0, got -1";
        assert_eq!(message(&[candidate(&[1.0], -1.0)]), temperature);
        assert_eq!(message(&[candidate(&[f32::NAN], 1.0)]), "scores: expected finite numbers, got NaN");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_is_the_greatest_confidence(
            lists in prop::collection::vec((prop::collection::vec(-9f32..9.0, 0..12), 0.5f64..9.0), 1..6)
        ) {
            let models: Vec<_> =
                lists.iter().map(|(scores, temperature)| candidate(scores, *temperature)).collect();
            let Choice { model, confidences } = choose(&models).expect("sound");
            let greatest = confidences.iter().copied().fold(0.0, f64::max);
            prop_assert!(confidences[model] >= greatest - 1e-12, "{} of {:?}", model, confidences);
        }
    }
}
