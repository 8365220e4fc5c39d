//! The objective that enrichment minimizes, with its gradient and a lower bound.
//!
//! In the notation of [`Head`], for a vector s: a = W s + c goes through the activation and is normalized to
//! n = (GELU(a) − mean) / σ, then g = γ ∘ n + β and logits = E g + b. The gradient is computed backwards through these
//! steps.

use control::{Cancelled, Control};

use super::softmax::{CrossEntropy, Decoder};
use crate::Head;
use crate::matmul::{LeftMatrix, transposed};

/// −log MLM(s)[t], which equation 4 of Ram et al. (2023) minimizes: the cross-entropy of a head's distribution for the
/// vector s and its token t.
///
/// ```no_run
/// use control::Control;
/// use vocabulary::{Head, Objective};
///
/// let head = Head::open("models/minilm-mlm-head".as_ref())?;
/// let found = Objective::new(&head).at(&vec![0.0; head.dim()], &[2054], &Control::new())?;
/// assert!(found.bounds[0] <= found.losses[0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Objective<'a> {
    head: &'a Head,
    /// Wᵀ, `[dim, inner_dim]`.
    dense_transposed: Vec<f32>,
    decoder: Decoder<'a>,
}

/// The objective at some vectors, with its analytic gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct Losses {
    /// The loss of each vector, in nats.
    pub losses: Vec<f32>,
    /// For each token, a lower bound on the loss of every vector, up to rounding.
    ///
    /// A layer norm gives γ ∘ n + β with Σ n = 0 and |n|² ≤ its dimension, and the loss is convex in n. The tangent plane of
    /// the loss at this n is therefore below the loss everywhere, and its minimum over that ball is a lower bound: the duality
    /// gap of Frank and Wolfe (Jaggi, 2013, "Revisiting Frank-Wolfe", equation 2).
    pub bounds: Vec<f32>,
    /// The gradient with respect to the vectors, `[vectors, dim]`.
    pub gradient: Vec<f32>,
}

impl<'a> Objective<'a> {
    /// Copies the head's weights into the layouts that the gradient needs.
    #[must_use]
    pub fn new(head: &'a Head) -> Self {
        let dense_transposed = transposed(&head.dense_weight, head.dim);
        let decoder = Decoder::new(&head.decoder, &head.bias, head.inner_dim);
        Self { head, dense_transposed, decoder }
    }

    /// Dimension of the vectors.
    pub(crate) fn dim(&self) -> usize {
        self.head.dim
    }

    /// Returns the objective at the vectors `[tokens, dim]`, one per token.
    ///
    /// # Errors
    ///
    /// [`Cancelled`]
    ///
    /// # Panics
    ///
    /// If the number of vectors is not that of tokens, if their dimension is not the head's, or if a token is not in the
    /// vocabulary.
    pub fn at(&self, vectors: &[f32], tokens: &[u32], control: &Control) -> Result<Losses, Cancelled> {
        let head = self.head;
        let (dim, inner_dim) = (head.dim, head.inner_dim);
        let (expected, got) = (tokens.len() * dim, vectors.len());
        assert!(got == expected, "objective: expected {} × {dim} values, got {got}", tokens.len());
        // a, n and g of the module's comment, and 1 / σ.
        let mut inputs = LeftMatrix::new(vectors, dim).multiply(&head.dense_weight);
        let mut normalized = vec![0.0; inputs.len()];
        let mut transformed = vec![0.0; inputs.len()];
        let mut scales = Vec::with_capacity(tokens.len());
        let rows = inputs.chunks_exact_mut(inner_dim).zip(normalized.chunks_exact_mut(inner_dim));
        for ((inputs, normalized), transformed) in rows.zip(transformed.chunks_exact_mut(inner_dim)) {
            for ((input, value), bias) in inputs.iter_mut().zip(&mut *normalized).zip(&head.dense_bias) {
                *input += bias;
                *value = head.activation.value(f64::from(*input)) as f32;
            }
            scales.push(normalize(normalized, head.norm_epsilon));
            let weights = head.norm_weight.iter().zip(&head.norm_bias);
            for ((transformed, normalized), (weight, bias)) in
                transformed.iter_mut().zip(normalized).zip(weights)
            {
                *transformed = *normalized * weight + bias;
            }
        }
        let CrossEntropy { losses, gradient: mut gradient_rows } =
            self.decoder.cross_entropy(&transformed, tokens, control)?;
        let mut bounds = Vec::with_capacity(tokens.len());
        let rows = gradient_rows
            .chunks_exact_mut(inner_dim)
            .zip(normalized.chunks_exact(inner_dim))
            .zip(inputs.chunks_exact(inner_dim));
        for (row, ((gradient, normalized), inputs)) in rows.enumerate() {
            gradient.iter_mut().zip(&head.norm_weight).for_each(|(value, weight)| *value *= weight);
            // The components along the constant vector and along n do not change n, so they are removed.
            let count = inner_dim as f64;
            let mean = gradient.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
            let along_normalized = gradient
                .iter()
                .zip(normalized)
                .map(|(&value, &normalized)| f64::from(value) * f64::from(normalized))
                .sum::<f64>();
            let length = gradient.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>().sqrt();
            // The ball has the radius √count; the tangent plane's minimum is opposite to the gradient.
            bounds.push((f64::from(losses[row]) - along_normalized - count.sqrt() * length) as f32);
            for ((value, &normalized), &input) in gradient.iter_mut().zip(normalized).zip(inputs) {
                let projected = f64::from(*value) - mean - f64::from(normalized) * along_normalized / count;
                *value = (projected * scales[row] * head.activation.derivative(f64::from(input))) as f32;
            }
        }
        let gradient = LeftMatrix::new(&gradient_rows, inner_dim).multiply(&self.dense_transposed);
        Ok(Losses { losses, bounds, gradient })
    }
}

/// Subtracts the mean of a row and scales it to variance 1, in place. Returns the factor of the scaling.
fn normalize(row: &mut [f32], epsilon: f64) -> f64 {
    let count = row.len() as f64;
    let mean = row.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let variance = row.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    row.iter_mut().for_each(|value| *value = ((f64::from(*value) - mean) * scale) as f32);
    scale
}
