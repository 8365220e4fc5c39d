/// Numbers of a block that are worked on at once.
pub(super) const LANES: usize = 16;

/// Σ exp(logit) of the logits gathered so far, kept as the sum of exp(logit − greatest), so that none overflows (Milakov
/// and Gimelshein, 2018, "Online normalizer calculation for softmax", algorithm 3).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftmaxSum {
    pub(super) greatest: f32,
    /// Each lane's part, in double precision.
    pub(super) lanes: [f64; LANES],
}

impl SoftmaxSum {
    /// Of no logits.
    #[must_use]
    pub fn new() -> Self {
        Self { greatest: f32::NEG_INFINITY, lanes: [0.0; LANES] }
    }

    /// ln Σ exp(logit); −∞ of no logits, NaN if one of them was.
    #[must_use]
    pub fn logarithm(&self) -> f64 {
        f64::from(self.greatest) + self.total().ln()
    }

    /// Adds the logits of another sum.
    pub fn add(&mut self, other: &Self) {
        if other.greatest > self.greatest {
            self.raise(other.greatest);
        }
        let scale = if other.greatest < self.greatest { apart(other.greatest, self.greatest) } else { 1.0 };
        self.lanes.iter_mut().zip(other.lanes).for_each(|(lane, other)| *lane += other * scale);
    }

    /// Makes a greater logit the greatest.
    pub(super) fn raise(&mut self, greatest: f32) {
        let scale = apart(self.greatest, greatest);
        self.lanes.iter_mut().for_each(|lane| *lane *= scale);
        self.greatest = greatest;
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

/// exp(low − high)
fn apart(low: f32, high: f32) -> f64 {
    (f64::from(low) - f64::from(high)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_of_nothing_adds_nothing() {
        let mut sum = SoftmaxSum { greatest: 1.0, lanes: [0.0625; LANES] };
        let before = sum;
        sum.add(&SoftmaxSum::new());
        assert_eq!(sum, before);
        // Sixteen sixteenths of exp(1 − 1).
        assert_eq!(sum.logarithm(), 1.0);
        let mut sum = SoftmaxSum::new();
        assert_eq!(sum.logarithm(), f64::NEG_INFINITY);
        sum.add(&SoftmaxSum::new());
        sum.add(&before);
        assert_eq!(sum, before);
    }
}
