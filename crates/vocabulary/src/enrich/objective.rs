use control::{Cancelled, Control};

use super::softmax::{CrossEntropy, Decoder};
use crate::Head;
use crate::matmul::{Left, transposed};

/// What equation 4 of Ram et al. (2023) minimizes: −log MLM(s)[t], the cross-entropy of a head's distribution for the vector
/// s and its token t.
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
    /// Wᵀ, `[dim, inner]`.
    dense: Vec<f32>,
    decoder: Decoder<'a>,
}

/// An objective at some vectors, with the analytic gradient.
#[derive(Debug, Clone, PartialEq)]
pub struct Losses {
    /// Of each vector, in nats.
    pub losses: Vec<f32>,
    /// Of each token a number that the loss of no vector is below, up to rounding.
    ///
    /// A layer norm gives γ ∘ n + β with Σ n = 0 and |n|² ≤ its dimension, and the loss is convex in n; so no vector is better
    /// than the minimum, in that ball, of the plane that is tangent to the loss at this n: the duality gap of Frank and Wolfe
    /// (Jaggi, 2013, "Revisiting Frank-Wolfe", equation 2).
    pub bounds: Vec<f32>,
    /// By the vectors, `[vectors, dim]`.
    pub gradient: Vec<f32>,
}

impl<'a> Objective<'a> {
    /// Lays the head's weights out for it: a copy of them.
    #[must_use]
    pub fn new(head: &'a Head) -> Self {
        let dense = transposed(&head.dense_weight, head.dim);
        Self { head, dense, decoder: Decoder::new(&head.decoder, &head.bias, head.inner) }
    }

    /// Numbers of a vector.
    pub(crate) fn dim(&self) -> usize {
        self.head.dim
    }

    /// Its value at the vectors `[tokens, dim]`, one for each token.
    ///
    /// # Errors
    ///
    /// [`Cancelled`]
    ///
    /// # Panics
    ///
    /// If there are not as many vectors of the head's dimension as tokens, or a token is not in the vocabulary.
    pub fn at(&self, vectors: &[f32], tokens: &[u32], control: &Control) -> Result<Losses, Cancelled> {
        let head = self.head;
        let (dim, inner) = (head.dim, head.inner);
        let (expected, got) = (tokens.len() * dim, vectors.len());
        assert!(got == expected, "objective: expected {} × {dim} values, got {got}", tokens.len());
        // What the activation takes, and what the layer norm gives before its weights.
        let mut taken = Left::new(vectors, dim).product(&head.dense_weight);
        let mut normal = vec![0.0; taken.len()];
        let mut transformed = vec![0.0; taken.len()];
        let mut scales = Vec::with_capacity(tokens.len());
        let rows = taken.chunks_exact_mut(inner).zip(normal.chunks_exact_mut(inner));
        for ((taken, normal), transformed) in rows.zip(transformed.chunks_exact_mut(inner)) {
            for ((taken, normal), bias) in taken.iter_mut().zip(&mut *normal).zip(&head.dense_bias) {
                *taken += bias;
                *normal = head.activation.value(f64::from(*taken)) as f32;
            }
            scales.push(normalise(normal, head.norm_epsilon));
            let weights = head.norm_weight.iter().zip(&head.norm_bias);
            for ((transformed, normal), (weight, bias)) in transformed.iter_mut().zip(normal).zip(weights) {
                *transformed = *normal * weight + bias;
            }
        }
        let CrossEntropy { losses, gradient: mut by } =
            self.decoder.cross_entropy(&transformed, tokens, control)?;
        let mut bounds = Vec::with_capacity(tokens.len());
        let rows = by.chunks_exact_mut(inner).zip(normal.chunks_exact(inner)).zip(taken.chunks_exact(inner));
        for (row, ((by, normal), taken)) in rows.enumerate() {
            by.iter_mut().zip(&head.norm_weight).for_each(|(by, weight)| *by *= weight);
            // The gradient of a layer norm: what is along the constant and along n does not change n.
            let count = inner as f64;
            let mean = by.iter().map(|&by| f64::from(by)).sum::<f64>() / count;
            let along =
                by.iter().zip(normal).map(|(&by, &normal)| f64::from(by) * f64::from(normal)).sum::<f64>();
            let length = by.iter().map(|&by| (f64::from(by) - mean).powi(2)).sum::<f64>().sqrt();
            bounds.push((f64::from(losses[row]) - along - count.sqrt() * length) as f32);
            for ((by, &normal), &taken) in by.iter_mut().zip(normal).zip(taken) {
                let centred = f64::from(*by) - mean - f64::from(normal) * along / count;
                *by = (centred * scales[row] * head.activation.derivative(f64::from(taken))) as f32;
            }
        }
        let gradient = Left::new(&by, inner).product(&self.dense);
        Ok(Losses { losses, bounds, gradient })
    }
}

/// Takes the mean off a row and scales it to variance 1, in place; returns by what it was multiplied.
fn normalise(row: &mut [f32], epsilon: f64) -> f64 {
    let count = row.len() as f64;
    let mean = row.iter().map(|&value| f64::from(value)).sum::<f64>() / count;
    let variance = row.iter().map(|&value| (f64::from(value) - mean).powi(2)).sum::<f64>() / count;
    let scale = 1.0 / (variance + epsilon).sqrt();
    row.iter_mut().for_each(|value| *value = ((f64::from(*value) - mean) * scale) as f32);
    scale
}
