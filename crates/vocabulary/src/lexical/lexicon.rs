//! Lexical vectors, and their addition to the vectors of texts. The lexical vector of a text is a weighted sum of the
//! vectors of its tokens, divided by the number of tokens or normalized to length 1.

use rayon::prelude::*;

use super::whitening::{Whitening, whiten};
use crate::Error;

/// Computes the lexical vectors of texts from a vector and a weight for every token (Ram et al., 2023, "What Are You
/// Token About? Dense Retrieval as Distributions Over the Vocabulary", equation 5).
#[derive(Debug, Clone, PartialEq)]
pub struct Lexicon {
    dim: usize,
    /// The vectors of the tokens, `[vocabulary, dim]`.
    vectors: Vec<f32>,
    /// The weights of the tokens, `[vocabulary]`; `None` means that all weights are 1.
    weights: Option<Vec<f32>>,
    /// Whether lexical vectors are normalized to length 1.
    unit: bool,
}

impl Lexicon {
    /// Makes a lexicon. `vectors` is `[vocabulary, dim]`. `weights`, such as inverse document frequencies, is
    /// `[vocabulary]`; `None` means that all weights are 1. With `unit`, lexical vectors are normalized to length 1.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if the vectors are not rows of dimension `dim`, if there is not one weight per token, or if
    /// a weight is negative or not finite.
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

    /// Makes a lexicon from the vectors `[vocabulary, dim]` of a head's tokens, which are whitened first if `whitening`
    /// is given. `weights` has one weight for each of the tokenizer's `piece_count` word pieces, or is `None` as in
    /// [`new`](Self::new). The vocabulary of a head is often padded to a round size with tokens that are not word
    /// pieces. If `weights` is given, these tokens have the weight 0.
    ///
    /// # Errors
    ///
    /// [`Error::Vocabulary`] if there are more word pieces than tokens; [`Error::Argument`] as in [`new`](Self::new).
    pub fn from_head(
        dim: usize,
        vectors: &[f32],
        piece_count: usize,
        weights: Option<Vec<f32>>,
        whitening: Option<Whitening>,
        unit: bool,
    ) -> Result<Self, Error> {
        let tokens = vectors.len() / dim;
        if piece_count > tokens {
            return Err(Error::Vocabulary { tokens, pieces: piece_count });
        }
        let mut vectors = vectors.to_vec();
        if let Some(whitening) = whitening {
            whiten(&mut vectors, dim, whitening);
        }
        let weights = weights.map(|mut weights| {
            weights.resize(tokens, 0.0);
            weights
        });
        Self::new(dim, vectors, weights, unit)
    }

    /// Dimension of the vectors.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Returns the lexical vector of a text: (1/n) Σ w(x_i) s(x_i) over its n tokens x_i, where w(x_i) is the weight
    /// and s(x_i) the vector of a token. A repeated token counts as often as it occurs. If `unit` was set, the vector
    /// is normalized to length 1. A text without tokens, or whose tokens all have the weight 0, has the zero vector.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if a token is not in the vocabulary.
    pub fn vector(&self, tokens: &[u32]) -> Result<Vec<f64>, Error> {
        let count = self.vectors.len() / self.dim;
        let mut sum = vec![0.0; self.dim];
        for &token in tokens {
            let at = token as usize;
            if at >= count {
                return Err(Error::argument("token", format!("an id below {count}"), at.to_string()));
            }
            let weight = self.weights.as_ref().map_or(1.0, |weights| f64::from(weights[at]));
            let vector = &self.vectors[at * self.dim..][..self.dim];
            sum.iter_mut().zip(vector).for_each(|(sum, &value)| *sum += weight * f64::from(value));
        }
        let divisor = if self.unit {
            sum.iter().map(|value| value * value).sum::<f64>().sqrt()
        } else {
            tokens.len() as f64
        };
        if divisor > 0.0 {
            sum.iter_mut().for_each(|value| *value /= divisor);
        }
        Ok(sum)
    }

    /// Adds the lexical [`vector`](Self::vector) of each text, rounded to single precision, to the text's dense vector,
    /// as [`add_lexical`] does. `texts` has the tokens of each text, and `vectors` is `[texts, dim]`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if a token is not in the vocabulary.
    ///
    /// # Panics
    ///
    /// If the number of vectors differs from the number of texts.
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

/// Replaces every vector e by e′ = e + λ · lex, where lex is its lexical vector. With `renormalize`, e′ is scaled to
/// length 1 (unless it is 0), for retrieval by cosine similarity. `vectors` and `lexical` are `[rows, dim]`.
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

/// Does what [`add_lexical`] does, for one vector.
fn add_row(row: &mut [f32], lexical: &[f32], lambda: f64, renormalize: bool) {
    let sums = || row.iter().zip(lexical).map(|(&e, &lex)| f64::from(e) + lambda * f64::from(lex));
    let length = if renormalize { sums().map(|value| value * value).sum::<f64>().sqrt() } else { 1.0 };
    let scale = if length > 0.0 { 1.0 / length } else { 1.0 };
    for (value, &lexical) in row.iter_mut().zip(lexical) {
        *value = ((f64::from(*value) + lambda * f64::from(lexical)) * scale) as f32;
    }
}

/// Returns the inverse document frequency of BM25 for a token that occurs in df = `doc_freq` of n = `passage_count`
/// passages: ln(1 + (n − df + 0.5) / (df + 0.5)) (Robertson and Zaragoza, 2009, in the form that Lucene uses). It is at
/// least 0, and it is defined for a token that occurs in no passage.
#[must_use]
pub fn inverse_document_frequency(passage_count: u64, doc_freq: u64) -> f32 {
    let (passage_count, doc_freq) = (passage_count as f64, doc_freq as f64);
    libm::log1p((passage_count - doc_freq + 0.5) / (doc_freq + 0.5)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of three tokens, `[3, 2]`.
    const VECTORS: [f32; 6] = [1.0, 0.0, 0.0, 2.0, -3.0, 4.0];

    #[test]
    fn a_lexical_vector_is_the_weighted_sum_divided_by_the_number_of_tokens_and_repeated_tokens_count() {
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), Some(vec![1.0, 0.5, 2.0]), false).expect("valid");
        // (1·(1,0) + 1·(1,0) + 0.5·(0,2) + 2·(−3,4)) / 4
        assert_eq!(lexicon.vector(&[0, 0, 1, 2]).expect("valid"), [-1.0, 2.25]);
        let unweighted = Lexicon::new(2, VECTORS.to_vec(), None, false).expect("valid");
        assert_eq!(unweighted.vector(&[0, 2]).expect("valid"), [-1.0, 2.0]);
        assert_eq!(unweighted.vector(&[]).expect("valid"), [0.0, 0.0]);
    }

    #[test]
    fn tokens_that_pad_the_vocabulary_of_a_head_have_the_weight_0() {
        let lexicon =
            Lexicon::from_head(2, &VECTORS, 2, Some(vec![1.0, 0.5]), None, false).expect("two pieces");
        assert_eq!(
            lexicon,
            Lexicon::new(2, VECTORS.to_vec(), Some(vec![1.0, 0.5, 0.0]), false).expect("valid")
        );
        let unweighted = Lexicon::from_head(2, &VECTORS, 2, None, None, false).expect("two pieces");
        assert_eq!(unweighted, Lexicon::new(2, VECTORS.to_vec(), None, false).expect("valid"));
        let refused = Lexicon::from_head(2, &VECTORS, 4, None, None, false).expect_err("four pieces");
        assert_eq!(
            refused.to_string(),
            "projection: expected a tokenizer with at most 3 word pieces, one per token of the head, got 4"
        );
    }

    #[test]
    fn the_vectors_of_a_head_are_whitened() {
        let whitened = |whitening| Lexicon::from_head(2, &VECTORS, 3, None, Some(whitening), false);
        for whitening in [Whitening::Principal, Whitening::Aligned] {
            let mut vectors = VECTORS.to_vec();
            whiten(&mut vectors, 2, whitening);
            let expected = Lexicon::new(2, vectors, None, false).expect("valid");
            assert_eq!(whitened(whitening).expect("three pieces"), expected);
        }
    }

    #[test]
    fn normalized_lexical_vectors_are_multiplied_by_lambda_and_added() {
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), Some(vec![1.0, 0.0, 7.0]), true).expect("valid");
        let mut vectors = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
        lexicon.add(&[vec![2], vec![], vec![1]], 10.0, false, &mut vectors).expect("valid");
        // The first text adds 10 · (−3, 4) / 5. A text without tokens, and a token of weight 0, change nothing.
        assert_eq!(vectors, [-5.0, 9.0, 1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn renormalized_vectors_have_length_1_and_the_direction_of_the_sum() {
        let mut vectors = [0.6, 0.8, 0.0, 0.0, 1.0, 0.0];
        // (0.6, 0.8) + 2 · (1.2, 0.8) = (3, 2.4) has length √14.76; the zero vector stays 0; (1, 0) + 2 · (0, 1) has
        // length √5.
        add_lexical(&mut vectors, &[1.2, 0.8, 0.0, 0.0, 0.0, 1.0], 2, 2.0, true);
        let [long, short] = [14.76f32.sqrt(), 5f32.sqrt()];
        let expected = [3.0 / long, 2.4 / long, 0.0, 0.0, 1.0 / short, 2.0 / short];
        for (value, expected) in vectors.iter().zip(expected) {
            assert!((value - expected).abs() < 1e-6, "{value} for {expected}");
        }
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), None, true).expect("valid");
        let mut added = [0.6, 0.8];
        lexicon.add(&[vec![2]], 10.0, true, &mut added).expect("valid");
        // (0.6, 0.8) + 10 · (−0.6, 0.8) = (−5.4, 8.8)
        let length = (5.4f32 * 5.4 + 8.8 * 8.8).sqrt();
        assert!((added[0] + 5.4 / length).abs() < 1e-6 && (added[1] - 8.8 / length).abs() < 1e-6);
    }

    #[test]
    fn add_and_add_lexical_give_the_same_bits() {
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), Some(vec![0.3, 0.7, 1.9]), true).expect("valid");
        let texts = [vec![0, 1], vec![1, 2, 2], vec![0, 2]];
        let vectors = [0.1, 0.7, -0.3, 0.2, 0.9, 0.9];
        let mut lexical = [0.0; 6];
        lexicon.add(&texts, 1.0, false, &mut lexical).expect("valid");
        for renormalize in [false, true] {
            let (mut by_texts, mut by_vectors) = (vectors, vectors);
            lexicon.add(&texts, 0.37, renormalize, &mut by_texts).expect("valid");
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
        let lexicon = Lexicon::new(2, VECTORS.to_vec(), None, true).expect("valid");
        let refused = lexicon.vector(&[3]).expect_err("refused");
        assert_eq!(refused.to_string(), "token: expected an id below 3, got 3");
    }
}
