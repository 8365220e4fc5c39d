//! The values that a grid search tries: in coarse steps over a whole range, or in finer steps around a value. Grid
//! values are multiples of 0.01.

use crate::Error;

/// A range of values to try. Both ends are included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridRange {
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

/// A grid value in hundredths: 0.07 is 7. Integers are exact, so coarse and fine steps that lead to the same value give
/// equal numbers.
pub(super) type Hundredths = i64;

/// Maximum absolute value of the ends of a range. It bounds the number of grid values.
const MAX_ABS_END: f64 = 1e6;
/// Tolerance for rounding errors in an end of a range, in hundredths: 0.07 · 100 is a little more than 7.
const ROUNDING_TOLERANCE: f64 = 1e-6;

/// Converts a grid value to the nearest floating-point number.
pub(super) fn from_hundredths(hundredths: Hundredths) -> f64 {
    hundredths as f64 / 100.0
}

impl GridRange {
    /// Fails if an end is not finite or too far from 0, or if `min` is above `max`. `what` is the name of the
    /// parameter.
    pub(super) fn check(self, what: &'static str) -> Result<(), Error> {
        let is_range = self.min.is_finite() && self.max.is_finite() && self.min <= self.max;
        if is_range && self.min.abs().max(self.max.abs()) <= MAX_ABS_END {
            return Ok(());
        }
        let expected = "a range with min <= max, both between -1000000 and 1000000";
        Err(Error::Argument { what, expected, got: format!("{} to {}", self.min, self.max) })
    }

    /// Returns the multiples of `step` within the range, in ascending order.
    pub(super) fn coarse(self, step: Hundredths) -> Vec<Hundredths> {
        let (min, max) = self.hundredths();
        // `min` / `step`, rounded up.
        let first = min.div_euclid(step) + i64::from(min.rem_euclid(step) > 0);
        (first..=max.div_euclid(step)).map(|multiple| multiple * step).collect()
    }

    /// Returns the values within the range whose distance from `center` is a multiple of `step` and less than
    /// `coarser_step`, which is the step of the previous pass.
    pub(super) fn fine(
        self,
        center: Hundredths,
        step: Hundredths,
        coarser_step: Hundredths,
    ) -> Vec<Hundredths> {
        let (min, max) = self.hundredths();
        let steps = (coarser_step - 1) / step;
        let values = (-steps..=steps).map(|multiple| center + multiple * step);
        values.filter(|value| (min..=max).contains(value)).collect()
    }

    /// Returns the first and the last grid value within the range.
    fn hundredths(self) -> (Hundredths, Hundredths) {
        (
            (self.min * 100.0 - ROUNDING_TOLERANCE).ceil() as i64,
            (self.max * 100.0 + ROUNDING_TOLERANCE).floor() as i64,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_values_are_the_multiples_of_the_step_within_the_range() {
        assert_eq!(GridRange { min: 0.0, max: 0.21 }.coarse(5), [0, 5, 10, 15, 20]);
        assert_eq!(GridRange { min: -0.07, max: 0.07 }.coarse(5), [-5, 0, 5]);
        assert_eq!(GridRange { min: 0.07, max: 0.07 }.coarse(1), [7]);
        assert_eq!(GridRange { min: 0.01, max: 0.04 }.coarse(5), [0; 0]);
    }

    #[test]
    fn fine_values_lie_between_the_center_and_its_coarse_neighbors() {
        // Ma et al. (2021) use ±0.04 in steps of 0.01, after steps of 0.05.
        let range = GridRange { min: 0.0, max: 2.0 };
        assert_eq!(range.fine(50, 1, 5), [46, 47, 48, 49, 50, 51, 52, 53, 54]);
        assert_eq!(range.fine(200, 1, 5), [196, 197, 198, 199, 200]);
        assert_eq!(range.fine(60, 5, 20), [45, 50, 55, 60, 65, 70, 75]);
    }
}
