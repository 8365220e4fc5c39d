//! Gradient descent on the calibration error, as in Yang et al. (2023, §3.2). `search` finds the minimum
//! without a start and a step size.

use control::Control;

use crate::Ensemble;
use crate::error::{Error, check_temperature};

/// Parameters of the gradient descent on the squared calibration error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Descent {
    /// The temperature at which the descent starts, T₀.
    pub start: f64,
    /// Step size: the factor of the gradient.
    pub step: f64,
    /// Maximum number of steps.
    pub steps: usize,
    /// Number of bins of confidences.
    pub bins: usize,
}

/// T₀ = 0.1 and a step of 100, as in Yang et al. (2023, §4.2), with 100 steps and 10 bins.
impl Default for Descent {
    fn default() -> Self {
        Self { start: 0.1, step: 100.0, steps: 100, bins: 10 }
    }
}

/// One point on the path of a descent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The temperature.
    pub temperature: f64,
    /// The squared calibration error at this temperature.
    pub error: f64,
}

/// Runs gradient descent on the error of the fused predictions, with one temperature for all models: T ← T − step · dE/dT (Yang et
/// al., 2023, §3.2). Returns every temperature of the path, starting with T₀. It ends when the gradient is 0 or the temperature
/// no longer changes.
///
/// If a step would reach 0 or below, where no confidence is defined, the temperature is halved instead. Progress counts steps.
///
/// # Errors
///
/// [`Error::Argument`] for a start or a step that is not finite and above 0, or no bins; [`Error::Cancelled`].
pub fn descend(ensemble: &Ensemble<'_>, descent: &Descent, control: &Control) -> Result<Vec<Step>, Error> {
    check_temperature("start", descent.start)?;
    check_temperature("step", descent.step)?;
    control.set_total(descent.steps as u64 + 1);
    let mut temperature = descent.start;
    let mut path = Vec::new();
    for left in (0..=descent.steps).rev() {
        control.check()?;
        let (error, slope) = ensemble.squared_error(temperature, descent.bins)?;
        control.advance(1);
        path.push(Step { temperature, error });
        let next = temperature - descent.step * slope;
        let next = if next > 0.0 { next.min(f64::MAX) } else { temperature / 2.0 };
        if left == 0 || next == temperature || next == 0.0 {
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

    /// Ten pairs of scores with a gap of 1, and `right` correct predictions.
    fn pairs(right: usize) -> (Vec<f32>, Vec<bool>) {
        (
            (0..10).flat_map(|at| [at as f32 + 1.0, at as f32]).collect(),
            (0..10).map(|at| at < right).collect(),
        )
    }

    #[test]
    fn it_descends_to_the_temperature_at_which_confidence_equals_accuracy() {
        // 1 / (1 + exp(−1/T)) is 0.8 at T = 1 / ln 4.
        let (scores, correct) = pairs(8);
        let outcomes = Ensemble::from(Outcomes::new(&scores, 2, &correct).expect("sound"));
        let descent = Descent { start: 0.6, step: 0.5, steps: 2000, bins: 1 };
        let path = descend(&outcomes, &descent, &Control::new()).expect("sound");
        let last = path.last().expect("there is a first");
        assert!((last.temperature - 1.0 / 4f64.ln()).abs() < 1e-6, "{last:?}");
        assert!(path.is_sorted_by(|a, b| a.error >= b.error));
    }

    #[test]
    fn temperatures_stay_finite_and_above_0() {
        let (scores, correct) = pairs(10);
        let outcomes = Ensemble::from(Outcomes::new(&scores, 2, &correct).expect("sound"));
        for start in [1e-3, 0.1, 1.0, 1e3] {
            let descent = Descent { start, step: 1e6, ..Descent::default() };
            let path = descend(&outcomes, &descent, &Control::new()).expect("sound");
            assert!(
                path.iter().all(|step| step.temperature > 0.0 && step.temperature.is_finite()),
                "{path:?}"
            );
        }
        let nowhere = Descent { start: 0.0, ..Descent::default() };
        let error = descend(&outcomes, &nowhere, &Control::new()).expect_err("refused");
        assert_eq!(error.to_string(), "start: expected a finite number above 0, got 0");
    }

    #[test]
    fn it_can_be_cancelled() {
        let (scores, correct) = pairs(8);
        let outcomes = Ensemble::from(Outcomes::new(&scores, 2, &correct).expect("sound"));
        let control = Control::new();
        control.cancel();
        assert_eq!(
            descend(&outcomes, &Descent::default(), &control),
            Err(Error::Cancelled(control::Cancelled))
        );
    }
}
