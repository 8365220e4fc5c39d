//! The BM25 formula, rounded at the same points as Lucene 10's `BM25Similarity`, so that scores are equal bit for bit.
//!
//! A term with document frequency df contributes to a passage of length dl, in which it occurs tf times:
//!
//! ```text
//! weight · tf / (tf + norm) = weight − weight / (1 + tf / norm)
//! weight = boost · ln(1 + (N − df + 0.5) / (df + 0.5))       boost: the term's weight in the query
//! norm   = k1 · ((1 − b) + b · dl / avgdl)                   dl: as quantized in the fieldnorm
//! ```

use tantivy::fieldnorm::FieldNormReader;

use crate::Error;

/// Parameters of BM25. They apply when searching, so they can be tuned without building the index again.
///
/// S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, eq. 3.15, with
/// idf = ln(1 + (N − df + 0.5) / (df + 0.5)) for N passages and document frequency df, as in Lucene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Saturation of the term frequency: finite, at least 0. With 0, every frequency counts as 1.
    pub k1: f32,
    /// Strength of the length normalization, from 0 (none) to 1.
    pub b: f32,
}

impl Default for Bm25 {
    /// k1 = 0.9, b = 0.4, as in Anserini.
    fn default() -> Self {
        Self { k1: 0.9, b: 0.4 }
    }
}

impl Bm25 {
    /// Checks that the parameters are in their ranges.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for the first parameter that is out of its range.
    pub fn check(self) -> Result<(), Error> {
        if !(self.k1.is_finite() && self.k1 >= 0.0) {
            let expected = "a finite number of at least 0";
            return Err(Error::Argument { what: "k1", expected, got: self.k1.to_string() });
        }
        if !(0.0..=1.0).contains(&self.b) {
            return Err(Error::Argument {
                what: "b",
                expected: "a number from 0 to 1",
                got: self.b.to_string(),
            });
        }
        Ok(())
    }

    /// Returns 1 / (k1 · ((1 − b) + b · length / average)) for each fieldnorm, the byte to which a length is quantized.
    /// All are infinite if k1 is 0.
    pub(crate) fn inverse_norms(self, average_length: f32) -> [f32; 256] {
        std::array::from_fn(|fieldnorm| {
            let length = FieldNormReader::id_to_fieldnorm(fieldnorm as u8) as f32;
            1.0 / (self.k1 * ((1.0 - self.b) + self.b * length / average_length))
        })
    }
}

/// Returns the inverse document frequency of a term that `doc_freq` of `passages` passages have.
pub(crate) fn idf(passages: u64, doc_freq: u64) -> f32 {
    let (n, df) = (passages as f64, doc_freq as f64);
    (1.0 + (n - df + 0.5) / (df + 0.5)).ln() as f32
}

/// Returns a term's contribution to a passage's score, from 0 to `weight`. A score is the sum of contributions in f64,
/// rounded to f32.
#[inline]
pub(crate) fn contribution(weight: f32, frequency: u32, inverse_norm: f32) -> f32 {
    saturated(weight, frequency as f32 * inverse_norm)
}

/// Returns the same as [`contribution`], given the normalized frequency, which is frequency / norm.
#[inline]
pub(crate) fn saturated(weight: f32, normalized_frequency: f32) -> f32 {
    weight - weight / (1.0 + normalized_frequency)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contributions_agree_with_the_formula_except_for_rounding() {
        // N = 10, df = 2, tf = 3, dl = 20, avgdl = 16:
        // ln(1 + 8.5 / 2.5) · 3 / (3 + 0.9 · (0.6 + 0.4 · 20 / 16)) = ln 4.4 · 3 / 3.99.
        let inverse_norms = Bm25::default().inverse_norms(16.0);
        let got = contribution(idf(10, 2), 3, inverse_norms[20]);
        let expected = 4.4f64.ln() * 3.0 / 3.99;
        // Allows for eight roundings to f32, each by at most 2^-24 of a value below 2.
        assert!((f64::from(got) - expected).abs() < 8.0 * 2.0 * 2f64.powi(-24), "{got} against {expected}");
    }

    #[test]
    fn with_k1_of_zero_every_frequency_counts_as_one() {
        let inverse_norms = Bm25 { k1: 0.0, b: 0.4 }.inverse_norms(16.0);
        assert_eq!(contribution(2.5, 1, inverse_norms[3]), 2.5);
        assert_eq!(contribution(2.5, 9, inverse_norms[200]), 2.5);
    }

    #[test]
    fn errors_name_the_parameter_that_is_out_of_range() {
        let error = |k1, b| Bm25 { k1, b }.check().expect_err("out of range").to_string();
        assert_eq!(error(-0.1, 0.4), "k1: expected a finite number of at least 0, got -0.1");
        assert_eq!(error(f32::NAN, 0.4), "k1: expected a finite number of at least 0, got NaN");
        assert_eq!(error(0.9, 1.5), "b: expected a number from 0 to 1, got 1.5");
        assert!(Bm25 { k1: 0.0, b: 1.0 }.check().is_ok());
    }
}
