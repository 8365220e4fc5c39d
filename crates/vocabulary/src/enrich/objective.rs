//! The objective that enrichment minimizes, with its gradient and a lower bound.
//!
//! In the notation of [`Head`], a vector s is mapped to logits in four steps:
//!
//! 1. a = W s + c
//! 2. n = (GELU(a) − mean) / σ, with the mean of the values of GELU(a) and σ = √(their variance + ε)
//! 3. g = γ ∘ n + β, where ∘ multiplies element by element
//! 4. logits = E g + b
//!
//! The gradient is computed by backpropagation through these steps.

use control::{Canceled, Control};
use kernels::matrix::transpose;

use super::softmax::{CrossEntropy, Decoder};
use crate::Head;
use crate::matmul::LeftMatrix;

/// −log MLM(s)[t], which equation 4 of Ram et al. (2023) minimizes. MLM(s)[t] is the probability of token t in the
/// distribution that the head computes from the vector s.
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

/// The objective at some vectors, with lower bounds and the analytic gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct Losses {
    /// The loss of each vector, in nats.
    pub losses: Vec<f32>,
    /// For each token, a lower bound on the loss that any vector can have, up to rounding.
    ///
    /// The loss is a convex function of the normalized vector n, so the tangent plane of the loss at the current n is
    /// nowhere above the loss. The layer norm ensures that the elements of n add up to 0 and that |n|² ≤ `inner_dim`,
    /// so n is in a ball of the hyperplane of such vectors. The minimum of the tangent plane over this ball is
    /// therefore a lower bound. The loss minus the bound is the duality gap of Frank and Wolfe (Jaggi, 2013,
    /// "Revisiting Frank-Wolfe", equation 2).
    pub bounds: Vec<f32>,
    /// The gradient with respect to the vectors, `[vectors, dim]`.
    pub gradient: Vec<f32>,
}

impl<'a> Objective<'a> {
    /// Copies the head's weights into the layouts that the gradient needs.
    #[must_use]
    pub fn new(head: &'a Head) -> Self {
        let dense_transposed = transpose(&head.dense_weight, head.inner_dim, head.dim);
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
    /// [`Canceled`] if the work was canceled.
    ///
    /// # Panics
    ///
    /// If there is not one vector of the head's dimension per token, or if a token is not in the vocabulary.
    pub fn at(&self, vectors: &[f32], tokens: &[u32], control: &Control) -> Result<Losses, Canceled> {
        let head = self.head;
        let (dim, inner_dim) = (head.dim, head.inner_dim);
        let (expected, got) = (tokens.len() * dim, vectors.len());
        assert!(got == expected, "objective: expected {} × {dim} values, got {got}", tokens.len());
        // `inputs`, `normalized` and `transformed` are a, n and g of the module's comment; `scales` has 1 / σ of each
        // row.
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
            // `gradient` is now the gradient with respect to n. Adding a constant to all values of GELU(a) does not
            // change n, nor (apart from ε) does scaling them. The gradient with respect to GELU(a) therefore has no
            // component along the constant vector, and (apart from ε) none along n.
            let count = inner_dim as f64;
            let mean = gradient.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
            let along_normalized = gradient
                .iter()
                .zip(normalized)
                .map(|(&value, &normalized)| f64::from(value) * f64::from(normalized))
                .sum::<f64>();
            let length = gradient.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>().sqrt();
            // The ball has the radius √count. The tangent plane has its minimum in the direction opposite to the
            // gradient.
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

/// Subtracts the mean of a row and scales it to variance 1, in place. Returns the factor by which it was scaled.
fn normalize(row: &mut [f32], epsilon: f64) -> f64 {
    let count = row.len() as f64;
    let mean = row.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let variance = row.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    row.iter_mut().for_each(|value| *value = ((f64::from(*value) - mean) * scale) as f32);
    scale
}
