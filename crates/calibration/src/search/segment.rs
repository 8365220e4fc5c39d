//! The squared calibration error between two breakpoints, where all predictions stay in their bins.

/// Relative tolerance: parts of a segment that cannot be lower than the best by more than this are not searched.
const TOLERANCE: f64 = 1e-4;
/// Absolute tolerance, for errors near 0.
const FLOOR: f64 = 1e-13;
/// Parts that are not wider than this, in s, are not split.
const MIN_WIDTH: f64 = 1e-8;

/// Coefficients of a polynomial in s from 0 to 1, lowest degree first.
pub(super) type Cubic = [f64; 4];

/// The cubic with these values and derivatives at s = 0 and s = 1 (Hermite).
pub(super) fn cubic((value, slope): (f64, f64), (end, end_slope): (f64, f64)) -> Cubic {
    let rise = end - value;
    [value, slope, 3.0 * rise - 2.0 * slope - end_slope, slope + end_slope - 2.0 * rise]
}

/// A bin: its number of predictions, and its gap as a function of s, which is the sum of their confidences minus the number of
/// right ones.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    count: usize,
    gap: Cubic,
}

impl Bin {
    fn gap_at(&self, s: f64) -> f64 {
        let [a, b, c, d] = self.gap;
        a + s * (b + s * (c + s * d))
    }
}

/// All predictions of a segment, grouped into bins.
#[derive(Debug)]
pub(super) struct Segment {
    bins: Vec<Bin>,
    questions: f64,
    /// Parts that are not searched yet. The buffer is reused.
    open: Vec<(f64, f64)>,
}

impl Segment {
    pub fn new(bins: usize, questions: usize) -> Self {
        Self { bins: vec![Bin::default(); bins], questions: questions as f64, open: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.bins.fill(Bin::default());
    }

    pub fn add(&mut self, bin: usize, confidence: Cubic, correct: bool) {
        self.change(bin, confidence, correct, 1.0);
        self.bins[bin].count += 1;
    }

    pub fn remove(&mut self, bin: usize, confidence: Cubic, correct: bool) {
        self.change(bin, confidence, correct, -1.0);
        self.bins[bin].count -= 1;
    }

    fn change(&mut self, bin: usize, confidence: Cubic, correct: bool, sign: f64) {
        let gap = &mut self.bins[bin].gap;
        gap.iter_mut().zip(confidence).for_each(|(sum, part)| *sum += sign * part);
        gap[0] -= sign * f64::from(u8::from(correct));
    }

    /// The squared calibration error, Σ |B|/K · (conf(B) − acc(B))². A bin contributes gap² / (|B| · K).
    pub fn error(&self, s: f64) -> f64 {
        let parts = self.bins.iter().filter(|bin| bin.count > 0);
        parts.map(|bin| bin.gap_at(s).powi(2) / bin.count as f64).sum::<f64>() / self.questions
    }

    /// A lower bound on the error between two values of s. Confidences fall as the temperature rises, and so do the gaps. If a
    /// gap has the same sign at both ends, the smaller absolute value is its minimum; otherwise its minimum is 0.
    fn bound(&self, low: f64, high: f64) -> f64 {
        let part = |bin: &Bin| {
            let (first, last) = (bin.gap_at(low), bin.gap_at(high));
            let min = if first * last <= 0.0 { 0.0 } else { first.abs().min(last.abs()) };
            min * min / bin.count as f64
        };
        self.bins.iter().filter(|bin| bin.count > 0).map(part).sum::<f64>() / self.questions
    }

    /// Finds the smallest error between two values of s by branch and bound, and returns it with its s, or `None` if it is not
    /// below `best`. Parts whose bound is not below the best error by more than the tolerance are skipped; others are halved.
    pub fn minimum(&mut self, low: f64, high: f64, best: f64) -> Option<(f64, f64)> {
        let mut open = std::mem::take(&mut self.open);
        open.push((low, high));
        let (mut best, mut found) = (best, None);
        while let Some((low, high)) = open.pop() {
            if self.bound(low, high) >= best * (1.0 - TOLERANCE) - FLOOR {
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
                open.push((middle, high));
                open.push((low, middle));
            }
        }
        self.open = open;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_has_its_values_and_derivatives() {
        // s³ − 2s + 1
        let found = cubic((1.0, -2.0), (0.0, 1.0));
        for (coefficient, expected) in found.iter().zip([1.0, -2.0, 0.0, 1.0]) {
            assert!((coefficient - expected).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn the_minimum_is_no_higher_than_on_a_fine_grid() {
        let mut segment = Segment::new(3, 4);
        segment.add(0, cubic((0.3, -0.2), (0.1, -0.1)), false);
        segment.add(1, cubic((0.6, -0.1), (0.4, -0.3)), true);
        segment.add(1, cubic((0.5, -0.1), (0.35, -0.2)), false);
        segment.add(2, cubic((0.9, -0.1), (0.7, -0.3)), true);
        segment.add(2, cubic((0.99, 0.0), (0.8, -0.3)), true);
        segment.remove(2, cubic((0.99, 0.0), (0.8, -0.3)), true);
        let (error, s) = segment.minimum(0.0, 1.0, f64::INFINITY).expect("some minimum");
        let grid = (0..=10_000).map(|step| segment.error(f64::from(step) / 1e4));
        let min = grid.fold(f64::INFINITY, f64::min);
        assert!(error <= min * (1.0 + TOLERANCE) && error == segment.error(s), "{error} and {min}");
        assert_eq!(segment.minimum(0.0, 1.0, error / 2.0), None);
    }
}
