//! Calibration errors, which are computed over bins of predictions with similar confidences, and the Brier score. A
//! prediction is a model's best passage for a question; its confidence is the estimated probability that it is correct.

use crate::error::Error;

/// The predictions whose confidences fall into one interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bin {
    /// Number of predictions in the bin.
    pub count: usize,
    /// Mean confidence of the predictions; 0 for an empty bin.
    pub confidence: f64,
    /// Fraction of the predictions that are correct; 0 for an empty bin.
    pub accuracy: f64,
}

/// Predictions, grouped into N bins by their confidence: bin i has the confidences from i/N up to, but not including,
/// (i + 1)/N, and the last bin includes 1 (Guo et al., 2017, §2).
///
/// In the formulas of the calibration errors below, |B| is the number of predictions in bin B, conf(B) is their mean
/// confidence, acc(B) is their accuracy, and K is the number of predictions in all bins.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    bins: Vec<Bin>,
    /// Number of predictions in all bins.
    count: usize,
}

impl Bins {
    /// Groups predictions into `bins` bins, given the confidence of each prediction and whether it is correct.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if there are no bins or no predictions, if `confidences` and `correct` have different
    /// lengths, or if a confidence is not from 0 to 1.
    pub fn new(confidences: &[f64], correct: &[bool], bins: usize) -> Result<Self, Error> {
        if bins == 0 {
            return Err(Error::argument("bins", "at least 1", bins));
        }
        if confidences.is_empty() || confidences.len() != correct.len() {
            let expected = format!("one per prediction ({}), and at least 1", correct.len());
            return Err(Error::argument("confidences", expected, confidences.len()));
        }
        if let Some(confidence) = confidences.iter().find(|confidence| !(0.0..=1.0).contains(*confidence)) {
            return Err(Error::argument("confidence", "a number from 0 to 1", confidence));
        }
        let mut all = Self { bins: vec![Bin::default(); bins], count: correct.len() };
        // At first, the fields of each bin are sums.
        for (&confidence, &correct) in confidences.iter().zip(correct) {
            let index = all.index_of(confidence);
            let bin = &mut all.bins[index];
            bin.count += 1;
            bin.confidence += confidence;
            bin.accuracy += f64::from(u8::from(correct));
        }
        for bin in all.bins.iter_mut().filter(|bin| bin.count > 0) {
            bin.confidence /= bin.count as f64;
            bin.accuracy /= bin.count as f64;
        }
        Ok(all)
    }

    /// Returns all bins, lowest confidences first.
    #[must_use]
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// Returns the index of the bin that a confidence falls into.
    #[must_use]
    pub fn index_of(&self, confidence: f64) -> usize {
        ((confidence * self.bins.len() as f64) as usize).min(self.bins.len() - 1)
    }

    /// Returns the squared calibration error Σ |B|/K · (conf(B) − acc(B))², the differentiable form of Yang et al.
    /// (2023, §3.2).
    #[must_use]
    pub fn squared_error(&self) -> f64 {
        self.mean_of(|gap| gap * gap)
    }

    /// Returns the expected calibration error Σ |B|/K · |conf(B) − acc(B)| (Guo et al., 2017, equation 3).
    #[must_use]
    pub fn absolute_error(&self) -> f64 {
        self.mean_of(f64::abs)
    }

    /// Returns the maximum calibration error: the largest |conf(B) − acc(B)| of a bin with predictions (Guo et al.,
    /// 2017, equation 4).
    #[must_use]
    pub fn max_error(&self) -> f64 {
        let nonempty = self.bins.iter().filter(|bin| bin.count > 0);
        nonempty.map(|bin| (bin.confidence - bin.accuracy).abs()).fold(0.0, f64::max)
    }

    /// Returns the mean, over all predictions, of a function of the gap conf(B) − acc(B) of their bin.
    fn mean_of(&self, function: impl Fn(f64) -> f64) -> f64 {
        let term = |bin: &Bin| bin.count as f64 / self.count as f64 * function(bin.confidence - bin.accuracy);
        self.bins.iter().map(term).sum()
    }
}

/// Returns the Brier score (Brier, 1950): the mean of (confidence − correct)², where `correct` counts as 0 or 1.
///
/// # Errors
///
/// The errors of [`Bins::new`].
pub fn brier_score(confidences: &[f64], correct: &[bool]) -> Result<f64, Error> {
    Bins::new(confidences, correct, 1)?;
    let predictions = confidences.iter().zip(correct);
    let squares =
        predictions.map(|(confidence, &correct)| (confidence - f64::from(u8::from(correct))).powi(2));
    Ok(squares.sum::<f64>() / correct.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_agree_with_a_calculation_by_hand() {
        // Bin 0 has 0.1 (wrong); bin 1 is empty; bin 2 has 0.5 (correct) and 0.7 (wrong); bin 3 has 0.75 and 1 (both
        // correct).
        let (confidences, correct) = ([0.1, 0.5, 0.7, 0.75, 1.0], [false, true, false, true, true]);
        let bins = Bins::new(&confidences, &correct, 4).expect("valid");
        assert_eq!(bins.bins().iter().map(|bin| bin.count).collect::<Vec<_>>(), [1, 0, 2, 2]);
        let assert_near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
        // The gaps are 0.1, 0.6 − 0.5 = 0.1 and 1 − 0.875 = 0.125, and the weights 1/5, 2/5 and 2/5.
        assert_near(bins.absolute_error(), 0.1 / 5.0 + 0.1 * 0.4 + 0.125 * 0.4);
        assert_near(bins.squared_error(), 0.01 / 5.0 + 0.01 * 0.4 + 0.015_625 * 0.4);
        assert_near(bins.max_error(), 0.125);
        // (0.01 + 0.25 + 0.49 + 0.0625 + 0) / 5.
        assert_near(brier_score(&confidences, &correct).expect("valid"), 0.8125 / 5.0);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let message = |confidences: &[f64], correct: &[bool], bins| {
            Bins::new(confidences, correct, bins).expect_err("refused").to_string()
        };
        assert_eq!(message(&[0.5], &[true], 0), "bins: expected at least 1, got 0");
        assert_eq!(message(&[1.5], &[true], 4), "confidence: expected a number from 0 to 1, got 1.5");
        assert_eq!(message(&[f64::NAN], &[true], 4), "confidence: expected a number from 0 to 1, got NaN");
        let expected = "confidences: expected one per prediction (1), and at least 1, got 2";
        assert_eq!(message(&[0.5, 0.5], &[true], 4), expected);
    }
}
