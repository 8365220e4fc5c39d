//! Lexical vectors: weighted means of token vectors.

use rayon::prelude::*;

use crate::Error;

/// A vector and a weight for every token, from which it computes the lexical vector of a text (Ram et al., 2023, equation 5).
#[derive(Debug, Clone, PartialEq)]
pub struct Lexicon {
    dim: usize,
    vectors: Vec<f32>,
    weights: Option<Vec<f32>>,
    unit: bool,
}

impl Lexicon {
    /// Makes a lexicon. `vectors` is `[vocabulary, dim]`; `weights`, such as inverse document frequencies, is `[vocabulary]`, and
    /// `None` means that all are 1. With `unit`, lexical vectors are normalized to length 1.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for vectors that are not rows of dimension `dim`, a number of weights that is not the number of tokens,
    /// or a weight that is negative or not finite.
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

    /// Dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The lexical vector of a text: (1/n) Σ w(x_i) s(x_i) over its n tokens x_i, where repeated tokens count as often as they occur.
    /// If `unit` was set, it is normalized to length 1. Without tokens, or if all have weight 0, it is the zero vector.
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

    /// Enriches the vector of each text: calls [`add_lexical`] with the [`vector`](Self::vector) of its tokens, in single precision.
    /// `vectors` is `[texts, dim]`.
    ///
    /// # Errors
    ///
    /// As [`vector`](Self::vector).
    ///
    /// # Panics
    ///
    /// If the number of vectors is not the number of texts.
    pub fn add(
        &self,
        texts: &[Vec<u32>],
        lambda: f64,
        renormalize: bool,
        vectors: &mut [f32],
    ) -> Result<(), Error> {
        assert!(vectors.len() == texts.len() * self.dim, "lexicon: expected one row for each text");
        let rows = vectors.par_chunks_exact_mut(self.dim).zip(texts);
        rows.try_for_each(|(row, tokens)| {
            let lexical: Vec<f32> = self.vector(tokens)?.into_iter().map(|value| value as f32).collect();
            add_row(row, &lexical, lambda, renormalize);
            Ok(())
        })
    }
}

/// Replaces every vector e by e′ = e + λ · lex, or with `renormalize` by e′ / |e′|, for retrieval by cosine similarity. `vectors`
/// and `lexical` are `[rows, dim]`. If e′ is 0, it stays 0.
///
/// # Panics
///
/// If the lengths differ or are not a multiple of `dim`.
pub fn add_lexical(vectors: &mut [f32], lexical: &[f32], dim: usize, lambda: f64, renormalize: bool) {
    assert!(vectors.len() == lexical.len(), "lexical vectors: expected one for each vector");
    assert!(dim > 0 && vectors.len().is_multiple_of(dim), "vectors: expected rows of dimension {dim}");
    let rows = vectors.par_chunks_exact_mut(dim).zip(lexical.par_chunks_exact(dim));
    rows.for_each(|(row, lexical)| add_row(row, lexical, lambda, renormalize));
}

fn add_row(row: &mut [f32], lexical: &[f32], lambda: f64, renormalize: bool) {
    let sums = || row.iter().zip(lexical).map(|(&e, &lex)| f64::from(e) + lambda * f64::from(lex));
    let length = if renormalize { sums().map(|value| value * value).sum::<f64>().sqrt() } else { 1.0 };
    let scale = if length > 0.0 { 1.0 / length } else { 1.0 };
    for (value, &lexical) in row.iter_mut().zip(lexical) {
        *value = ((f64::from(*value) + lambda * f64::from(lexical)) * scale) as f32;
    }
}

/// The inverse document frequency of BM25 for a token that occurs in `with` of `passages` passages: ln(1 + (n − df + 0.5) /
/// (df + 0.5)) (Robertson and Zaragoza, 2009, as in Lucene). It is at least 0, and defined for a token that occurs in no passage.
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
        lexicon.add(&[vec![2], vec![], vec![1]], 10.0, false, &mut vectors).expect("found");
        // (−3, 4) / 5. A text without tokens, and a token of weight 0, change nothing.
        assert_eq!(vectors, [-5.0, 9.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn renormalized_vectors_have_length_1_and_the_direction_of_the_sum() {
        let mut vectors = [0.6, 0.8, 0.0, 0.0, 1.0, 0.0];
        // (0.6, 0.8) + 2 · (1.2, 0.8) = (3, 2.4) has length √14.76; the zero vector stays 0; (1, 0) + 2 · (0, 1) has length √5.
        add_lexical(&mut vectors, &[1.2, 0.8, 0.0, 0.0, 0.0, 1.0], 2, 2.0, true);
        let [long, short] = [14.76f32.sqrt(), 5f32.sqrt()];
        let expected = [3.0 / long, 2.4 / long, 0.0, 0.0, 1.0 / short, 2.0 / short];
        for (value, expected) in vectors.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-6, "{value} for {expected}");
        }
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), None, true).expect("found");
        let mut added = [0.6, 0.8];
        lexicon.add(&[vec![2]], 10.0, true, &mut added).expect("found");
        // (0.6, 0.8) + 10 · (−0.6, 0.8) = (−5.4, 8.8)
        let length = (5.4f32 * 5.4 + 8.8 * 8.8).sqrt();
        assert!((added[0] + 5.4 / length).abs() < 1e-6 && (added[1] - 8.8 / length).abs() < 1e-6);
    }

    #[test]
    fn add_and_add_lexical_give_the_same_bits() {
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), Some(vec![0.3, 0.7, 1.9]), true).expect("found");
        let texts = [vec![0, 1], vec![1, 2, 2], vec![0, 2]];
        let vectors = [0.1, 0.7, -0.3, 0.2, 0.9, 0.9];
        let mut lexical = [0.0; 6];
        lexicon.add(&texts, 1.0, false, &mut lexical).expect("found");
        for renormalize in [false, true] {
            let (mut by_texts, mut by_vectors) = (vectors, vectors);
            lexicon.add(&texts, 0.37, renormalize, &mut by_texts).expect("found");
            add_lexical(&mut by_vectors, &lexical, 2, 0.37, renormalize);
            assert_eq!(by_texts, by_vectors);
        }
    }

    #[test]
    fn invalid_arguments_are_refused() {
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
