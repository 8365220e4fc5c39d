//! The squared calibration error in a segment, a range of temperatures between two neighboring points, each of which is
//! a breakpoint or an end of a grid interval. In a segment, each prediction comes from the same model and stays in its
//! bin. [`Segment::minimum`] finds the smallest error by branch and bound.
//!
//! Temperatures are given by s, which runs from 0 at the start of the grid interval to 1 at its end.

/// A part of a segment is searched only if its error could be below the best error by more than this share of the best
/// error, plus [`ABSOLUTE_TOLERANCE`].
const RELATIVE_TOLERANCE: f64 = 1e-4;
/// See [`RELATIVE_TOLERANCE`].
const ABSOLUTE_TOLERANCE: f64 = 1e-13;
/// Parts of a segment that are at most this wide in s are not split any further.
const MIN_WIDTH: f64 = 1e-8;

/// The coefficients of a polynomial in s, lowest degree first.
pub(super) type Cubic = [f64; 4];

/// Returns the cubic that has the given values and derivatives at s = 0 and s = 1 (Hermite interpolation).
pub(super) fn cubic((value, slope): (f64, f64), (end, end_slope): (f64, f64)) -> Cubic {
    let rise = end - value;
    [value, slope, 3.0 * rise - 2.0 * slope - end_slope, slope + end_slope - 2.0 * rise]
}

/// The predictions in one bin.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    /// Number of predictions.
    count: usize,
    /// The sum of the confidences as a function of s, minus the number of correct predictions.
    gap: Cubic,
}

impl Bin {
    /// Returns the gap at s.
    fn gap_at(&self, s: f64) -> f64 {
        let [a, b, c, d] = self.gap;
        a + s * (b + s * (c + s * d))
    }
}

/// All predictions of a segment, grouped into bins.
#[derive(Debug)]
pub(super) struct Segment {
    bins: Vec<Bin>,
    question_count: f64,
    /// The parts of the segment that are still to be searched, as ranges of s. The buffer is reused.
    unsearched: Vec<(f64, f64)>,
}

impl Segment {
    /// Returns a segment without predictions.
    pub fn new(bin_count: usize, question_count: usize) -> Self {
        let bins = vec![Bin::default(); bin_count];
        Self { bins, question_count: question_count as f64, unsearched: Vec::new() }
    }

    /// Removes all predictions.
    pub fn clear(&mut self) {
        self.bins.fill(Bin::default());
    }

    /// Adds a prediction to a bin.
    pub fn add(&mut self, bin: usize, confidence: Cubic, correct: bool) {
        self.change_gap(bin, confidence, correct, 1.0);
        self.bins[bin].count += 1;
    }

    /// Removes a prediction from a bin.
    pub fn remove(&mut self, bin: usize, confidence: Cubic, correct: bool) {
        self.change_gap(bin, confidence, correct, -1.0);
        self.bins[bin].count -= 1;
    }

    /// Adds a prediction to the gap of a bin if `sign` is 1, or subtracts it if `sign` is −1.
    fn change_gap(&mut self, bin: usize, confidence: Cubic, correct: bool, sign: f64) {
        let gap = &mut self.bins[bin].gap;
        gap.iter_mut().zip(confidence).for_each(|(sum, coefficient)| *sum += sign * coefficient);
        gap[0] -= sign * f64::from(u8::from(correct));
    }

    /// Returns the squared calibration error at s, Σ |B|/K · (conf(B) − acc(B))² (see [`Bins`](crate::Bins)). Bin B
    /// contributes gap² / (|B| · K).
    pub fn error(&self, s: f64) -> f64 {
        let nonempty = self.bins.iter().filter(|bin| bin.count > 0);
        nonempty.map(|bin| bin.gap_at(s).powi(2) / bin.count as f64).sum::<f64>() / self.question_count
    }

    /// Returns a lower bound on the error between two values of s. Confidences fall as the temperature rises, and so do
    /// the gaps. If a gap has the same sign at both ends, its absolute value is smallest at one of the ends; otherwise,
    /// its smallest absolute value is 0.
    fn lower_bound(&self, low: f64, high: f64) -> f64 {
        let bin_bound = |bin: &Bin| {
            let (first, last) = (bin.gap_at(low), bin.gap_at(high));
            let min = if first * last <= 0.0 { 0.0 } else { first.abs().min(last.abs()) };
            min * min / bin.count as f64
        };
        self.bins.iter().filter(|bin| bin.count > 0).map(bin_bound).sum::<f64>() / self.question_count
    }

    /// Finds the smallest error between two values of s by branch and bound. Returns the error and its s, or `None` if
    /// no error below `best` is found. Parts whose lower bound is not below the best error by more than the tolerances
    /// are skipped; others are halved.
    pub fn minimum(&mut self, low: f64, high: f64, best: f64) -> Option<(f64, f64)> {
        let mut unsearched = std::mem::take(&mut self.unsearched);
        unsearched.push((low, high));
        let (mut best, mut found) = (best, None);
        while let Some((low, high)) = unsearched.pop() {
            if self.lower_bound(low, high) >= best * (1.0 - RELATIVE_TOLERANCE) - ABSOLUTE_TOLERANCE {
                continue;
            }
            let middle = (low + high) / 2.0;
            for s in [low, middle, high] {
                let error = self.error(s);
                if error < best {
                    (best, found) = (error, Some((error, s)));
                }
            }
            if high - low > MIN_WIDTH {
                unsearched.push((middle, high));
                unsearched.push((low, middle));
            }
        }
        self.unsearched = unsearched;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_has_the_given_values_and_derivatives() {
        // s³ − 2s + 1.
        let found = cubic((1.0, -2.0), (0.0, 1.0));
        for (coefficient, expected) in found.iter().zip([1.0, -2.0, 0.0, 1.0]) {
            assert!((coefficient - expected).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn the_minimum_is_not_above_that_of_a_fine_grid() {
        let mut segment = Segment::new(3, 4);
        segment.add(0, cubic((0.3, -0.2), (0.1, -0.1)), false);
        segment.add(1, cubic((0.6, -0.1), (0.4, -0.3)), true);
        segment.add(1, cubic((0.5, -0.1), (0.35, -0.2)), false);
        segment.add(2, cubic((0.9, -0.1), (0.7, -0.3)), true);
        segment.add(2, cubic((0.99, 0.0), (0.8, -0.3)), true);
        segment.remove(2, cubic((0.99, 0.0), (0.8, -0.3)), true);
        let (error, s) = segment.minimum(0.0, 1.0, f64::INFINITY).expect("a minimum");
        let grid = (0..=10_000).map(|step| segment.error(f64::from(step) / 1e4));
        let min = grid.fold(f64::INFINITY, f64::min);
        assert!(error <= min * (1.0 + RELATIVE_TOLERANCE) && error == segment.error(s), "{error} and {min}");
        assert_eq!(segment.minimum(0.0, 1.0, error / 2.0), None);
    }
}
