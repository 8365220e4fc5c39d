//! [`SoftmaxSum`]: the denominator of a softmax.

/// Number of logits that are processed at once, which is also the number of partial sums of a [`SoftmaxSum`].
pub(super) const LANES: usize = 16;

/// The sum Σ exp(logit) over the logits accumulated so far.
///
/// It is stored as the largest logit and Σ exp(logit − largest logit), so that no exponential overflows. When a larger
/// logit is added, the sum is rescaled (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018,
/// algorithm 3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftmaxSum {
    /// The largest logit; −∞ without logits.
    pub(super) max: f32,
    /// Partial sums of exp(logit − max).
    pub(super) lanes: [f64; LANES],
}

impl SoftmaxSum {
    /// Makes an empty sum.
    #[must_use]
    pub fn new() -> Self {
        Self { max: f32::NEG_INFINITY, lanes: [0.0; LANES] }
    }

    /// Returns ln Σ exp(logit): −∞ without logits, NaN if any logit was NaN.
    #[must_use]
    pub fn logarithm(&self) -> f64 {
        f64::from(self.max) + self.total().ln()
    }

    /// Adds another sum, as if its logits were added to this sum.
    pub fn add(&mut self, other: &Self) {
        if other.max > self.max {
            self.raise_max(other.max);
        }
        let scale = if other.max < self.max { exp_difference(other.max, self.max) } else { 1.0 };
        self.lanes.iter_mut().zip(other.lanes).for_each(|(lane, other)| *lane += other * scale);
    }

    /// Rescales the sum to a larger maximum.
    pub(super) fn raise_max(&mut self, max: f32) {
        let scale = exp_difference(self.max, max);
        self.lanes.iter_mut().for_each(|lane| *lane *= scale);
        self.max = max;
    }

    fn total(&self) -> f64 {
        self.lanes.iter().sum()
    }
}

impl Default for SoftmaxSum {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns exp(low − high).
fn exp_difference(low: f32, high: f32) -> f64 {
    (f64::from(low) - f64::from(high)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adding_an_empty_sum_changes_nothing() {
        let mut sum = SoftmaxSum { max: 1.0, lanes: [0.0625; LANES] };
        let before = sum;
        sum.add(&SoftmaxSum::new());
        assert_eq!(sum, before);
        // The lanes add up to 16 · 0.0625 = 1, so the logarithm is max + ln 1 = 1.
        assert_eq!(sum.logarithm(), 1.0);
        let mut sum = SoftmaxSum::new();
        assert_eq!(sum.logarithm(), f64::NEG_INFINITY);
        sum.add(&SoftmaxSum::new());
        sum.add(&before);
        assert_eq!(sum, before);
    }
}
