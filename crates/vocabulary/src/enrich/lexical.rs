use rayon::prelude::*;

use crate::Error;

/// A vector and a weight for every token, and how they make the lexical vector of a text (Ram et al., 2023, equation 5).
#[derive(Debug, Clone, PartialEq)]
pub struct Lexicon {
    dim: usize,
    vectors: Vec<f32>,
    weights: Option<Vec<f32>>,
    unit: bool,
}

impl Lexicon {
    /// `vectors` is `[vocabulary, dim]`; `weights`, such as inverse document frequencies, is `[vocabulary]`, all 1 where there
    /// are none. With `unit`, lexical vectors have length 1.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`]
    pub fn new(dim: usize, vectors: Vec<f32>, weights: Option<Vec<f32>>, unit: bool) -> Result<Self, Error> {
        let got = vectors.len();
        if dim == 0 || !got.is_multiple_of(dim) || got == 0 {
            return Err(Error::argument(
                "token vectors",
                format!("rows of dimension {dim}"),
                format!("{got} values"),
            ));
        }
        if let Some(weights) = &weights {
            let (expected, got) = (vectors.len() / dim, weights.len());
            if expected != got {
                return Err(Error::argument(
                    "weights",
                    format!("one for each of {expected} tokens"),
                    got.to_string(),
                ));
            }
            if let Some(weight) = weights.iter().find(|weight| !weight.is_finite() || **weight < 0.0) {
                return Err(Error::argument("weights", "numbers of at least 0", weight.to_string()));
            }
        }
        Ok(Self { dim, vectors, weights, unit })
    }

    /// Numbers of a vector.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// (1/n) Σ w(x_i) s(x_i) over the tokens of a text, repeated ones as often as they occur; scaled to length 1 if so made. Of
    /// no tokens, or of such as weigh nothing, it is 0.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for a token that is not in the vocabulary.
    pub fn vector(&self, tokens: &[u32]) -> Result<Vec<f64>, Error> {
        let count = self.vectors.len() / self.dim;
        let mut sum = vec![0.0; self.dim];
        for &token in tokens {
            let at = token as usize;
            if at >= count {
                return Err(Error::argument("token", format!("one of {count}"), at.to_string()));
            }
            let weight = self.weights.as_ref().map_or(1.0, |weights| f64::from(weights[at]));
            let vector = &self.vectors[at * self.dim..][..self.dim];
            sum.iter_mut().zip(vector).for_each(|(sum, &value)| *sum += weight * f64::from(value));
        }
        let scale = if self.unit {
            sum.iter().map(|value| value * value).sum::<f64>().sqrt()
        } else {
            tokens.len() as f64
        };
        if scale > 0.0 {
            sum.iter_mut().for_each(|value| *value /= scale);
        }
        Ok(sum)
    }

    /// Adds λ times the lexical vector of each text's tokens to its row of `vectors`, `[texts, dim]`.
    ///
    /// # Errors
    ///
    /// As [`vector`](Self::vector).
    ///
    /// # Panics
    ///
    /// If there are not as many rows as texts.
    pub fn add(&self, texts: &[Vec<u32>], lambda: f64, vectors: &mut [f32]) -> Result<(), Error> {
        assert!(vectors.len() == texts.len() * self.dim, "lexicon: expected one row for each text");
        let rows = vectors.par_chunks_exact_mut(self.dim).zip(texts);
        rows.try_for_each(|(row, tokens)| {
            let lexical = self.vector(tokens)?;
            for (value, lexical) in row.iter_mut().zip(lexical) {
                *value = (f64::from(*value) + lambda * lexical) as f32;
            }
            Ok(())
        })
    }
}

/// The inverse document frequency of a token that `with` of `passages` passages have, as BM25 weighs it: ln(1 + (n − df + 0.5) /
/// (df + 0.5)) (Robertson and Zaragoza, 2009, as in Lucene). At least 0, and defined for tokens that none has.
#[must_use]
pub fn inverse_document_frequency(passages: u64, with: u64) -> f32 {
    let (passages, with) = (passages as f64, with as f64);
    libm::log1p((passages - with + 0.5) / (with + 0.5)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const VECTORS: [f32; 6] = [1.0, 0.0, 0.0, 2.0, -3.0, 4.0];

    #[test]
    fn a_lexical_vector_is_the_weighted_mean_and_repeated_tokens_count() {
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), Some(vec![1.0, 0.5, 2.0]), false).expect("found");
        // (1·(1,0) + 1·(1,0) + 0.5·(0,2) + 2·(−3,4)) / 4
        assert_eq!(lexicon.vector(&[0, 0, 1, 2]).expect("found"), [-1.0, 2.25]);
        let unweighted = Lexicon::new(2, VECTORS.to_vec(), None, false).expect("found");
        assert_eq!(unweighted.vector(&[0, 2]).expect("found"), [-1.0, 2.0]);
        assert_eq!(unweighted.vector(&[]).expect("found"), [0.0, 0.0]);
    }

    #[test]
    fn unit_vectors_are_added_by_lambda() {
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), Some(vec![1.0, 0.0, 7.0]), true).expect("found");
        let mut vectors = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        lexicon.add(&[vec![2], vec![], vec![1]], 10.0, &mut vectors).expect("found");
        // (−3, 4) / 5; no token, and one that weighs nothing, leave what was there.
        assert_eq!(vectors, [-5.0, 9.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |dim, weights: Option<Vec<f32>>| {
            Lexicon::new(dim, VECTORS.to_vec(), weights, true).expect_err("refused").to_string()
        };
        assert_eq!(refused(4, None), "token vectors: expected rows of dimension 4, got 6 values");
        assert_eq!(refused(2, Some(vec![1.0])), "weights: expected one for each of 3 tokens, got 1");
        assert_eq!(refused(2, Some(vec![1.0, -1.0, 0.0])), "weights: expected numbers of at least 0, got -1");
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), None, true).expect("found");
        assert_eq!(lexicon.vector(&[3]).expect_err("refused").to_string(), "token: expected one of 3, got 3");
    }
}
