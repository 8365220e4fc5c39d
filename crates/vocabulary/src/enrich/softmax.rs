//! The cross-entropy of a softmax over a large vocabulary, and its gradient. [`Decoder::cross_entropy`] computes them
//! one block of tokens at a time, so that the logits of the whole vocabulary are never in memory.

use control::{Canceled, Control};
use kernels::logits::exp;
use kernels::matrix::transpose;

use crate::matmul::{LeftMatrix, Product};

/// Number of tokens whose logits are computed at once. For 256 vectors (a block of `search.rs`), these logits take
/// 512 KiB, so they can stay in the L2 cache until the gradient needs them.
const BLOCK_TOKENS: usize = 512;

/// A decoder E with its bias b, in the layouts for logits and for gradients.
pub(crate) struct Decoder<'a> {
    /// E, `[vocabulary_size, inner_dim]`.
    weights: &'a [f32],
    bias: &'a [f32],
    inner_dim: usize,
    /// The transpose of each block of E.
    transposed_blocks: Vec<Vec<f32>>,
}

/// The losses of the transformed vectors g, which are the rows of `[rows, inner_dim]`, and their gradients with respect
/// to g. The loss of a row is −log softmax(E g + b)[t], where t is its target token.
pub(crate) struct CrossEntropy {
    /// In nats, `[rows]`.
    pub losses: Vec<f32>,
    /// Eᵀ(p − one-hot(t)), where p is the softmax, `[rows, inner_dim]`.
    pub gradient: Vec<f32>,
}

impl<'a> Decoder<'a> {
    pub fn new(weights: &'a [f32], bias: &'a [f32], inner_dim: usize) -> Self {
        let blocks = weights.chunks(BLOCK_TOKENS * inner_dim);
        let transposed_blocks =
            blocks.map(|block| transpose(block, block.len() / inner_dim, inner_dim)).collect();
        Self { weights, bias, inner_dim, transposed_blocks }
    }

    /// Computes the losses and gradients of rows. `targets` has one token per row.
    pub fn cross_entropy(
        &self,
        rows: &[f32],
        targets: &[u32],
        control: &Control,
    ) -> Result<CrossEntropy, Canceled> {
        let (count, inner_dim) = (targets.len(), self.inner_dim);
        let mut gradient = vec![0.0; count * inner_dim];
        // The maximum logit so far, and the sum of exp(logit − max). When a block has a greater maximum, the earlier
        // sums are rescaled (Milakov and Gimelshein, 2018, "Online normalizer calculation for softmax", algorithm 3).
        let mut max_logits = vec![f32::NEG_INFINITY; count];
        let mut sums = vec![0.0f32; count];
        let mut target_logits = vec![0.0f32; count];
        let mut left = LeftMatrix::new(rows, inner_dim);
        let (mut logits, mut block_gradient) = (Product::default(), Product::default());
        let mut exponential_rows = Vec::new();
        let blocks = self.weights.chunks(BLOCK_TOKENS * inner_dim).zip(&self.transposed_blocks);
        for (block, ((weights, transposed), bias)) in blocks.zip(self.bias.chunks(BLOCK_TOKENS)).enumerate() {
            control.check()?;
            let (first, width) = (block * BLOCK_TOKENS, bias.len());
            left.multiply_into(weights, &mut logits);
            exponential_rows.clear();
            for (row, logits) in logits.rows_mut().take(count).enumerate() {
                logits.iter_mut().zip(bias).for_each(|(logit, bias)| *logit += bias);
                let target = (targets[row] as usize).checked_sub(first);
                if let Some(&logit) = target.and_then(|at| logits.get(at)) {
                    target_logits[row] = logit;
                }
                let max = max(logits);
                if max > max_logits[row] {
                    let scale = (max_logits[row] - max).exp();
                    sums[row] *= scale;
                    gradient[row * inner_dim..][..inner_dim].iter_mut().for_each(|value| *value *= scale);
                    max_logits[row] = max;
                }
                sums[row] += exponentials(logits, max_logits[row]);
                exponential_rows.extend_from_slice(logits);
            }
            LeftMatrix::new(&exponential_rows, width).multiply_into(transposed, &mut block_gradient);
            for (gradient, added) in gradient.chunks_exact_mut(inner_dim).zip(block_gradient.rows_mut()) {
                gradient.iter_mut().zip(added).for_each(|(value, added)| *value += *added);
            }
        }
        for ((gradient, sum), &target) in gradient.chunks_exact_mut(inner_dim).zip(&sums).zip(targets) {
            let target = &self.weights[target as usize * inner_dim..][..inner_dim];
            gradient.iter_mut().zip(target).for_each(|(value, target)| *value = *value / sum - target);
        }
        let losses = max_logits.iter().zip(&sums).zip(&target_logits);
        let losses = losses.map(|((max, sum), logit)| max - logit + sum.ln()).collect();
        Ok(CrossEntropy { losses, gradient })
    }
}

/// Number of independent maxima or sums in loops that the compiler turns into SIMD code.
const LANES: usize = 16;

/// Returns the maximum of the values.
fn max(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        lanes
            .iter_mut()
            .zip(chunk)
            .for_each(|(lane, &value)| *lane = if value > *lane { value } else { *lane });
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |max, &value| max.max(value))
}

/// Replaces every value by exp(value − max) and returns their sum.
fn exponentials(values: &mut [f32], max: f32) -> f32 {
    let (chunks, rest) = values.as_chunks_mut::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *value = exp::<false>(*value - max);
            *lane += *value;
        }
    }
    let mut sum = lanes.iter().sum();
    for value in rest {
        *value = exp::<false>(*value - max);
        sum += *value;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_and_gradients_are_those_of_the_definition() {
        // The vocabulary fills more than two blocks, and the rows have their maximum logits in different blocks.
        let (inner, vocabulary) = (8, 1300);
        let value = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0;
        let decoder: Vec<f32> = (0..vocabulary * inner).map(value).collect();
        let bias: Vec<f32> = (0..vocabulary).map(|i| 2.0 * value(i + 77)).collect();
        let rows: Vec<f32> = (0..4 * inner).map(|i| 6.0 * value(i * 31)).collect();
        let targets = [0, 511, 512, 1299];
        let found = Decoder::new(&decoder, &bias, inner)
            .cross_entropy(&rows, &targets, &Control::new())
            .expect("not canceled");
        for (row, &target) in targets.iter().enumerate() {
            let g = &rows[row * inner..][..inner];
            let logit = |token: usize| -> f64 {
                let weights = &decoder[token * inner..][..inner];
                let products = weights.iter().zip(g).map(|(&a, &b)| f64::from(a) * f64::from(b));
                products.sum::<f64>() + f64::from(bias[token])
            };
            let sum: f64 = (0..vocabulary).map(|token| logit(token).exp()).sum();
            let loss = sum.ln() - logit(target as usize);
            // Logits are below 50. Each is a sum of eight products and the bias, so its error is at most 50 · 2⁻²⁰.
            assert!((f64::from(found.losses[row]) - loss).abs() < 1e-4, "{} for {loss}", found.losses[row]);
            for i in 0..inner {
                let expected_rows = (0..vocabulary)
                    .map(|token| logit(token).exp() / sum * f64::from(decoder[token * inner + i]));
                let expected = expected_rows.sum::<f64>() - f64::from(decoder[target as usize * inner + i]);
                let error = (f64::from(found.gradient[row * inner + i]) - expected).abs();
                assert!(error < 1e-4, "an error of {error:e} for {expected}");
            }
        }
    }

    #[test]
    fn canceled_work_stops() {
        let control = Control::new();
        control.cancel();
        assert!(Decoder::new(&[1.0], &[0.0], 1).cross_entropy(&[1.0], &[0], &control).is_err());
    }
}
