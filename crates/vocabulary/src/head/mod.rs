//! The masked-language-model head: its weights, and the transform of vectors before the decoder.

mod activation;
mod checkpoint;
mod onnx;
mod open;
mod tensor;

use kernels::Kernels;

pub use activation::Activation;

/// What BERT, RoBERTa and MPNet add to a variance unless their configuration says otherwise.
pub(crate) const DEFAULT_EPSILON: f64 = 1e-12;
/// Rows that are transformed at once.
const BLOCK_ROWS: usize = 64;

/// A masked-language-model head: g(e) = LayerNorm(GELU(W e + c)), logits = E g(e) + b (Devlin et al., 2019, "BERT").
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub(crate) dim: usize,
    pub(crate) inner: usize,
    pub(crate) vocabulary: usize,
    /// W, `[inner, dim]`.
    pub(crate) dense_weight: Vec<f32>,
    /// c, `[inner]`.
    pub(crate) dense_bias: Vec<f32>,
    pub(crate) activation: Activation,
    /// `[inner]`
    pub(crate) norm_weight: Vec<f32>,
    /// `[inner]`
    pub(crate) norm_bias: Vec<f32>,
    /// Added to the variance.
    pub(crate) norm_epsilon: f64,
    /// E, `[vocabulary, inner]`.
    pub(crate) decoder: Vec<f32>,
    /// b, `[vocabulary]`.
    pub(crate) bias: Vec<f32>,
}

impl Head {
    /// Numbers of a vector that is projected.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Numbers of a vector that the decoder takes; as many as [`dim`](Self::dim) in most models.
    #[must_use]
    pub fn inner_dim(&self) -> usize {
        self.inner
    }

    /// Tokens of the vocabulary.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary
    }

    /// The decoder's row of every token, `[vocabulary, inner_dim]`: the word embeddings of most models.
    #[must_use]
    pub fn decoder(&self) -> &[f32] {
        &self.decoder
    }

    /// The decoder's bias of every token.
    #[must_use]
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// g(e) of each of the vectors `[rows, dim]`: `[rows, inner_dim]`. Sums of the layer norm are of double precision; a
    /// row's numbers do not depend on the others.
    ///
    /// # Panics
    ///
    /// If the vectors are not of the head's dimension.
    #[must_use]
    pub fn transform(&self, vectors: &[f32]) -> Vec<f32> {
        let (dim, inner) = (self.dim, self.inner);
        let got = vectors.len();
        assert!(got.is_multiple_of(dim), "transform: expected vectors of dimension {dim}, got {got} values");
        let mut transformed = vec![0.0; got / dim * inner];
        let blocks = vectors.chunks(BLOCK_ROWS * dim).zip(transformed.chunks_mut(BLOCK_ROWS * inner));
        for (vectors, block) in blocks {
            Kernels::detect().score_block(dim, vectors, &self.dense_weight, block);
            for row in block.chunks_exact_mut(inner) {
                for (value, &bias) in row.iter_mut().zip(&self.dense_bias) {
                    *value = self.activation.value(f64::from(*value) + f64::from(bias)) as f32;
                }
                self.normalise(row);
            }
        }
        transformed
    }

    /// The layer norm (Ba et al., 2016, "Layer Normalization") of one row, in place.
    fn normalise(&self, row: &mut [f32]) {
        let count = row.len() as f64;
        let mean = row.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
        let variance = row.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count;
        let scale = 1.0 / (variance + self.norm_epsilon).sqrt();
        for ((value, &weight), &bias) in row.iter_mut().zip(&self.norm_weight).zip(&self.norm_bias) {
            let normal = (f64::from(*value) - mean) * scale;
            *value = (normal * f64::from(weight) + f64::from(bias)) as f32;
        }
    }
}
