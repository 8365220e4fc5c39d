//! Calibration errors over bins of confidences, and the Brier score.

use crate::error::Error;

/// The predictions whose confidences fall into one interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bin {
    /// Number of predictions in the bin.
    pub count: usize,
    /// Their mean confidence; 0 for an empty bin.
    pub confidence: f64,
    /// The fraction of them that is right; 0 for an empty bin.
    pub accuracy: f64,
}

/// Predictions grouped by confidence: bin i of N covers [i/N, (i + 1)/N), and the last bin includes 1 (Guo et al., 2017, §2).
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    bins: Vec<Bin>,
    count: usize,
}

impl Bins {
    /// Puts predictions into `bins` bins.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for no bins, no predictions, `confidences` and `correct` of different lengths, or a confidence outside
    /// [0, 1].
    pub fn new(confidences: &[f64], correct: &[bool], bins: usize) -> Result<Self, Error> {
        if bins == 0 {
            return Err(Error::argument("bins", "at least 1", bins));
        }
        if confidences.is_empty() || confidences.len() != correct.len() {
            let expected = format!("{} confidences, one for each prediction, and at least 1", correct.len());
            return Err(Error::argument("confidences", expected, confidences.len()));
        }
        if let Some(confidence) = confidences.iter().find(|confidence| !(0.0..=1.0).contains(*confidence)) {
            return Err(Error::argument("confidence", "a number from 0 to 1", confidence));
        }
        let mut all = Self { bins: vec![Bin::default(); bins], count: correct.len() };
        for (&confidence, &correct) in confidences.iter().zip(correct) {
            let place = all.place(confidence);
            let bin = &mut all.bins[place];
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

    /// All bins, lowest confidences first.
    #[must_use]
    pub fn bins(&self) -> &[Bin] {
        &self.bins
    }

    /// The position of the bin that a confidence falls into.
    #[must_use]
    pub fn place(&self, confidence: f64) -> usize {
        ((confidence * self.bins.len() as f64) as usize).min(self.bins.len() - 1)
    }

    /// The squared calibration error, Σ |B|/K · (conf(B) − acc(B))²: the differentiable form of Yang et al. (2023, §3.2).
    #[must_use]
    pub fn squared_error(&self) -> f64 {
        self.weighted(|gap| gap * gap)
    }

    /// The expected calibration error, Σ |B|/K · |conf(B) − acc(B)| (Guo et al., 2017, equation 3).
    #[must_use]
    pub fn absolute_error(&self) -> f64 {
        self.weighted(f64::abs)
    }

    /// The maximum calibration error: the largest |conf(B) − acc(B)| of any bin with predictions (Guo et al., 2017, equation 4).
    #[must_use]
    pub fn greatest_error(&self) -> f64 {
        let filled = self.bins.iter().filter(|bin| bin.count > 0);
        filled.map(|bin| (bin.confidence - bin.accuracy).abs()).fold(0.0, f64::max)
    }

    fn weighted(&self, of: impl Fn(f64) -> f64) -> f64 {
        let part = |bin: &Bin| bin.count as f64 / self.count as f64 * of(bin.confidence - bin.accuracy);
        self.bins.iter().map(part).sum()
    }
}

/// The mean of (confidence − correct)², where correct is 0 or 1 (Brier, 1950).
///
/// # Errors
///
/// As [`Bins::new`].
pub fn brier_score(confidences: &[f64], correct: &[bool]) -> Result<f64, Error> {
    Bins::new(confidences, correct, 1)?;
    let squares = confidences.iter().zip(correct);
    let squares = squares.map(|(confidence, &correct)| (confidence - f64::from(u8::from(correct))).powi(2));
    Ok(squares.sum::<f64>() / correct.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_agree_with_values_worked_out_by_hand() {
        // Four bins: [0, .25) has .1 (wrong); [.25, .5) is empty; [.5, .75) has .5 (right) and .7 (wrong); [.75, 1] has .75 and 1
        // (both right).
        let (confidences, correct) = ([0.1, 0.5, 0.7, 0.75, 1.0], [false, true, false, true, true]);
        let bins = Bins::new(&confidences, &correct, 4).expect("sound");
        assert_eq!(bins.bins().iter().map(|bin| bin.count).collect::<Vec<_>>(), [1, 0, 2, 2]);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} and {b}");
        // The gaps are .1, .6 − .5 = .1 and 1 − .875 = .125, with weights 1/5, 2/5 and 2/5.
        near(bins.absolute_error(), 0.1 / 5.0 + 0.1 * 0.4 + 0.125 * 0.4);
        near(bins.squared_error(), 0.01 / 5.0 + 0.01 * 0.4 + 0.015_625 * 0.4);
        near(bins.greatest_error(), 0.125);
        // (.01 + .25 + .49 + .0625 + 0) / 5.
        near(brier_score(&confidences, &correct).expect("sound"), 0.8125 / 5.0);
    }

    #[test]
    fn invalid_arguments_are_refused() {
        let message = |confidences: &[f64], correct: &[bool], bins| {
            Bins::new(confidences, correct, bins).expect_err("refused").to_string()
        };
        assert_eq!(message(&[0.5], &[true], 0), "bins: expected at least 1, got 0");
        assert_eq!(message(&[1.5], &[true], 4), "confidence: expected a number from 0 to 1, got 1.5");
        assert_eq!(message(&[f64::NAN], &[true], 4), "confidence: expected a number from 0 to 1, got NaN");
        let expected = "confidences: expected 1 confidences, one for each prediction, and at least 1, got 2";
        assert_eq!(message(&[0.5, 0.5], &[true], 4), expected);
    }
}
