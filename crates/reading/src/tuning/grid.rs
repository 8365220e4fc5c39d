//! The values on a grid, in a coarse step over a whole range or in a finer step around a value.

use crate::Error;

/// The range of the values to try, both ends included. The values are multiples of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridRange {
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

/// A value on the grid, in hundredths: 0.07 is 7. Integers make equal values equal whichever steps led to them.
pub(super) type Hundredths = i64;

/// Maximum absolute value of a range's ends, which bounds the number of values on the grid.
const MAX_END: f64 = 1e6;
/// How far an end may be from a whole number of hundredths: 0.07 · 100 is a little more than 7.
const ROUNDING: f64 = 1e-6;

/// The floating-point number nearest to a value on the grid.
pub(super) fn from_hundredths(hundredths: Hundredths) -> f64 {
    hundredths as f64 / 100.0
}

impl GridRange {
    pub(super) fn check(self, what: &'static str) -> Result<(), Error> {
        let is_range = self.min.is_finite() && self.max.is_finite() && self.min <= self.max;
        if is_range && self.min.abs().max(self.max.abs()) <= MAX_END {
            return Ok(());
        }
        let expected = "a range from a number to one not below it, within a million of 0";
        Err(Error::Argument { what, expected, got: format!("{} to {}", self.min, self.max) })
    }

    /// The multiples of `step` within the range.
    pub(super) fn coarse(self, step: Hundredths) -> Vec<Hundredths> {
        let (min, max) = self.hundredths();
        let first = min.div_euclid(step) + i64::from(min.rem_euclid(step) > 0);
        (first..=max.div_euclid(step)).map(|multiple| multiple * step).collect()
    }

    /// The values within the range that are a multiple of `step`, and less than `coarser_step`, away from `center`.
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

    /// The first and the last value within the range.
    fn hundredths(self) -> (Hundredths, Hundredths) {
        ((self.min * 100.0 - ROUNDING).ceil() as i64, (self.max * 100.0 + ROUNDING).floor() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_from_zero_and_end_within_the_range() {
        assert_eq!(GridRange { min: 0.0, max: 0.21 }.coarse(5), [0, 5, 10, 15, 20]);
        assert_eq!(GridRange { min: -0.07, max: 0.07 }.coarse(5), [-5, 0, 5]);
        assert_eq!(GridRange { min: 0.07, max: 0.07 }.coarse(1), [7]);
        assert_eq!(GridRange { min: 0.01, max: 0.04 }.coarse(5), [0; 0]);
    }

    #[test]
    fn finer_steps_fill_the_gaps_around_the_best() {
        // As in Ma et al. (2021): ±0.04 in steps of 0.01, after steps of 0.05.
        let range = GridRange { min: 0.0, max: 2.0 };
        assert_eq!(range.fine(50, 1, 5), [46, 47, 48, 49, 50, 51, 52, 53, 54]);
        assert_eq!(range.fine(200, 1, 5), [196, 197, 198, 199, 200]);
        assert_eq!(range.fine(60, 5, 20), [45, 50, 55, 60, 65, 70, 75]);
    }
}
