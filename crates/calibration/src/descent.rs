//! Gradient descent on the squared calibration error (Yang et al., 2023, §3.2). It may stop at a local minimum, and
//! depends on a start and a step size; [`search`](crate::search()) does not.

use control::Control;

use crate::Ensemble;
use crate::error::{Error, check_positive};

/// Options of a gradient descent on the squared calibration error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Descent {
    /// T₀, the temperature at which the descent starts.
    pub start: f64,
    /// The step size, by which the gradient is multiplied.
    pub step: f64,
    /// Maximum number of steps.
    pub steps: usize,
    /// Number of bins of confidences.
    pub bins: usize,
}

/// T₀ = 0.1 and a step size of 100, as in Yang et al. (2023, §4.2), with 100 steps and 10 bins.
impl Default for Descent {
    fn default() -> Self {
        Self { start: 0.1, step: 100.0, steps: 100, bins: 10 }
    }
}

/// A temperature that a descent reaches, with its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The temperature.
    pub temperature: f64,
    /// The squared calibration error at this temperature.
    pub error: f64,
}

/// Runs gradient descent on the squared calibration error E of an ensemble's predictions, with one temperature T for
/// all models: T ← T − step · dE/dT (Yang et al., 2023, §3.2). Returns all temperatures on the path with their errors,
/// starting with T₀.
///
/// If a step would reach a temperature of 0 or below, at which the confidence is not defined, the temperature is halved
/// instead. The descent ends early if a step does not change the temperature, or if half of it rounds to 0. Progress
/// counts the temperatures of the path.
///
/// # Errors
///
/// [`Error::Argument`] if the start or the step size is not a finite number above 0, or if there are no bins;
/// [`Error::Canceled`].
pub fn descend(ensemble: &Ensemble<'_>, descent: &Descent, control: &Control) -> Result<Vec<Step>, Error> {
    check_positive("start", descent.start)?;
    check_positive("step", descent.step)?;
    control.set_total(descent.steps as u64 + 1);
    let mut temperature = descent.start;
    let mut path = Vec::new();
    for remaining_steps in (0..=descent.steps).rev() {
        control.check()?;
        let (error, slope) = ensemble.squared_error(temperature, descent.bins)?;
        control.advance(1);
        path.push(Step { temperature, error });
        let next = temperature - descent.step * slope;
        let next = if next > 0.0 { next.min(f64::MAX) } else { temperature / 2.0 };
        if remaining_steps == 0 || next == temperature || next == 0.0 {
            break;
        }
        temperature = next;
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Outcomes;

    /// Returns two scores that differ by 1 for each of ten questions, and whether the prediction for each question is
    /// correct, which is true for the first `correct_count` questions.
    fn pairs(correct_count: usize) -> (Vec<f32>, Vec<bool>) {
        (
            (0..10).flat_map(|i| [i as f32 + 1.0, i as f32]).collect(),
            (0..10).map(|i| i < correct_count).collect(),
        )
    }

    #[test]
    fn the_descent_reaches_the_temperature_at_which_confidence_equals_accuracy() {
        // 1 / (1 + exp(−1/T)) is 0.8 at T = 1 / ln 4.
        let (scores, correct) = pairs(8);
        let outcomes = Ensemble::from(Outcomes::new(&scores, 2, &correct).expect("valid"));
        let descent = Descent { start: 0.6, step: 0.5, steps: 2000, bins: 1 };
        let path = descend(&outcomes, &descent, &Control::new()).expect("valid");
        let last = path.last().expect("at least the start");
        assert!((last.temperature - 1.0 / 4f64.ln()).abs() < 1e-6, "{last:?}");
        assert!(path.is_sorted_by(|a, b| a.error >= b.error));
    }

    #[test]
    fn temperatures_stay_finite_and_above_0() {
        let (scores, correct) = pairs(10);
        let outcomes = Ensemble::from(Outcomes::new(&scores, 2, &correct).expect("valid"));
        for start in [1e-3, 0.1, 1.0, 1e3] {
            let descent = Descent { start, step: 1e6, ..Descent::default() };
            let path = descend(&outcomes, &descent, &Control::new()).expect("valid");
            assert!(
                path.iter().all(|step| step.temperature > 0.0 && step.temperature.is_finite()),
                "{path:?}"
            );
        }
        let invalid = Descent { start: 0.0, ..Descent::default() };
        let error = descend(&outcomes, &invalid, &Control::new()).expect_err("refused");
        assert_eq!(error.to_string(), "start: expected a finite number above 0, got 0");
    }

    #[test]
    fn a_descent_can_be_canceled() {
        let (scores, correct) = pairs(8);
        let outcomes = Ensemble::from(Outcomes::new(&scores, 2, &correct).expect("valid"));
        let control = Control::new();
        control.cancel();
        assert_eq!(
            descend(&outcomes, &Descent::default(), &control),
            Err(Error::Canceled(control::Canceled))
        );
    }
}
