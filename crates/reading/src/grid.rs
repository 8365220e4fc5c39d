//! Values to try: from a coarse step to finer ones around the best so far.

use crate::Error;

/// Where values are tried, ends included. They are multiples of the step, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridRange {
    /// The least.
    pub from: f64,
    /// The greatest.
    pub to: f64,
}

/// A value in hundredths: 0.07 is 7, whichever steps led to it.
pub(crate) type Hundredths = i64;

/// The value that is nearest to so many hundredths.
pub(crate) fn value(hundredths: Hundredths) -> f64 {
    hundredths as f64 / 100.0
}

impl GridRange {
    pub(crate) fn check(self, what: &'static str) -> Result<(), Error> {
        let sound = self.from.is_finite() && self.to.is_finite() && self.from <= self.to;
        // A grid of more values than this would not end.
        if sound && self.from.abs().max(self.to.abs()) <= 1e6 {
            return Ok(());
        }
        let expected = "a range from a number to one not below it, within a million of 0";
        Err(Error::Argument { what, expected, got: format!("{} to {}", self.from, self.to) })
    }

    /// Multiples of `step` within the range.
    pub(crate) fn coarse(self, step: Hundredths) -> Vec<Hundredths> {
        let (from, to) = self.hundredths();
        let first = from.div_euclid(step) + i64::from(from.rem_euclid(step) > 0);
        (first..=to.div_euclid(step)).map(|at| at * step).collect()
    }

    /// Within the range, multiples of `step` from `around` that are less than `coarser` away from it.
    pub(crate) fn fine(self, around: Hundredths, step: Hundredths, coarser: Hundredths) -> Vec<Hundredths> {
        let (from, to) = self.hundredths();
        let steps = (coarser - 1) / step;
        (-steps..=steps).map(|at| around + at * step).filter(|value| (from..=to).contains(value)).collect()
    }

    fn hundredths(self) -> (Hundredths, Hundredths) {
        // 0.07 · 100 is a little more than 7: a millionth is nothing.
        ((self.from * 100.0 - 1e-6).ceil() as i64, (self.to * 100.0 + 1e-6).floor() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_from_zero_and_end_within_the_range() {
        assert_eq!(GridRange { from: 0.0, to: 0.21 }.coarse(5), [0, 5, 10, 15, 20]);
        assert_eq!(GridRange { from: -0.07, to: 0.07 }.coarse(5), [-5, 0, 5]);
        assert_eq!(GridRange { from: 0.07, to: 0.07 }.coarse(1), [7]);
        assert_eq!(GridRange { from: 0.01, to: 0.04 }.coarse(5), [0; 0]);
    }

    #[test]
    fn finer_steps_fill_the_gaps_around_the_best() {
        // Ma et al. (2021): ±0.04 by 0.01 after steps of 0.05.
        let range = GridRange { from: 0.0, to: 2.0 };
        assert_eq!(range.fine(50, 1, 5), [46, 47, 48, 49, 50, 51, 52, 53, 54]);
        assert_eq!(range.fine(200, 1, 5), [196, 197, 198, 199, 200]);
        assert_eq!(range.fine(60, 5, 20), [45, 50, 55, 60, 65, 70, 75]);
    }
}
