//! The masked-language-model head: its weights, and the transform that vectors pass through before the decoder.
//!
//! `open.rs` finds a head's file in a model folder; `checkpoint/` reads safetensors files and `onnx/` reads ONNX files.
//! Both use `tensor.rs` for weights in memory. `activation.rs` has the activation functions.

mod activation;
mod checkpoint;
mod onnx;
mod open;
mod tensor;

use kernels::Kernels;

pub use activation::Activation;

/// The epsilon of the layer norm in BERT, RoBERTa and MPNet, unless the model's configuration sets another value.
const DEFAULT_EPSILON: f64 = 1e-12;
/// Number of vectors that are transformed at once.
const BLOCK_ROWS: usize = 64;

/// A masked-language-model head: it maps a vector e to the logits E g(e) + b with g(e) = LayerNorm(GELU(W e + c))
/// (Devlin et al., 2019, "BERT").
///
/// W and c are the dense layer, which maps `dim` values to `inner_dim` values; E and b are the decoder, which maps
/// these to one logit per token.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    pub(crate) dim: usize,
    pub(crate) inner_dim: usize,
    pub(crate) vocabulary_size: usize,
    /// W, `[inner_dim, dim]`.
    pub(crate) dense_weight: Vec<f32>,
    /// c, `[inner_dim]`.
    pub(crate) dense_bias: Vec<f32>,
    pub(crate) activation: Activation,
    /// γ of the layer norm, `[inner_dim]`.
    pub(crate) norm_weight: Vec<f32>,
    /// β of the layer norm, `[inner_dim]`.
    pub(crate) norm_bias: Vec<f32>,
    /// ε of the layer norm, which is added to the variance.
    pub(crate) norm_epsilon: f64,
    /// E, `[vocabulary_size, inner_dim]`.
    pub(crate) decoder: Vec<f32>,
    /// b, `[vocabulary_size]`. No value is −0, so that all kernels give the same bits: some return +0 and others −0 for
    /// a dot product that is zero, and adding a bias of +0 makes both +0.
    pub(crate) bias: Vec<f32>,
}

impl Head {
    /// Dimension of the vectors that are projected.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Dimension of the vectors that the decoder takes. It equals [`dim`](Self::dim) in most models.
    #[must_use]
    pub fn inner_dim(&self) -> usize {
        self.inner_dim
    }

    /// Number of tokens in the vocabulary.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.vocabulary_size
    }

    /// The decoder's weights, one row per token: `[vocabulary_size, inner_dim]`. In most models they are the word
    /// embeddings.
    #[must_use]
    pub fn decoder(&self) -> &[f32] {
        &self.decoder
    }

    /// The decoder's bias, one value per token.
    #[must_use]
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Returns g(e) for each vector e: maps `[rows, dim]` to `[rows, inner_dim]`.
    ///
    /// The sums of the layer norm are in double precision. A row's result does not depend on the other rows.
    ///
    /// # Panics
    ///
    /// If the number of values is not a multiple of [`dim`](Self::dim).
    #[must_use]
    pub fn transform(&self, vectors: &[f32]) -> Vec<f32> {
        let (dim, inner_dim) = (self.dim, self.inner_dim);
        let got = vectors.len();
        assert!(got.is_multiple_of(dim), "transform: expected vectors of dimension {dim}, got {got} values");
        let mut transformed = vec![0.0; got / dim * inner_dim];
        let blocks = vectors.chunks(BLOCK_ROWS * dim).zip(transformed.chunks_mut(BLOCK_ROWS * inner_dim));
        for (vectors, block) in blocks {
            Kernels::detect().score_block(dim, vectors, &self.dense_weight, block);
            for row in block.chunks_exact_mut(inner_dim) {
                for (value, &bias) in row.iter_mut().zip(&self.dense_bias) {
                    *value = self.activation.value(f64::from(*value) + f64::from(bias)) as f32;
                }
                self.layer_norm(row);
            }
        }
        transformed
    }

    /// Applies the layer norm (Ba et al., 2016, "Layer Normalization") to one row, in place.
    fn layer_norm(&self, row: &mut [f32]) {
        let count = row.len() as f64;
        let mean = row.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
        let variance = row.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count;
        let scale = 1.0 / (variance + self.norm_epsilon).sqrt();
        for ((value, &weight), &bias) in row.iter_mut().zip(&self.norm_weight).zip(&self.norm_bias) {
            let normalized = (f64::from(*value) - mean) * scale;
            *value = (normalized * f64::from(weight) + f64::from(bias)) as f32;
        }
    }
}
