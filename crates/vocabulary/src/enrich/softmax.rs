//! Cross-entropy of a softmax over a large vocabulary, block by block: logits of all tokens never lie in memory together.

use control::{Cancelled, Control};
use kernels::logits::exp;

use crate::matmul::{Left, Product, transposed};

/// Tokens whose logits are computed at once: their rows of the decoder stay in the second cache level for the way back.
const BLOCK_TOKENS: usize = 512;

/// A decoder E and its bias b, laid out for both ways.
pub(crate) struct Decoder<'a> {
    /// `[vocabulary, inner]`
    weights: &'a [f32],
    bias: &'a [f32],
    inner: usize,
    /// The blocks of the weights, transposed.
    transposed: Vec<Vec<f32>>,
}

/// For each of the rows g `[rows, inner]`: −log softmax(E g + b) of its target token, and the gradient with respect to g.
pub(crate) struct CrossEntropy {
    /// `[rows]`
    pub losses: Vec<f32>,
    /// Eᵀ(p − one-hot), `[rows, inner]`.
    pub gradient: Vec<f32>,
}

impl<'a> Decoder<'a> {
    pub fn new(weights: &'a [f32], bias: &'a [f32], inner: usize) -> Self {
        let blocks = weights.chunks(BLOCK_TOKENS * inner);
        Self { weights, bias, inner, transposed: blocks.map(|block| transposed(block, inner)).collect() }
    }

    /// `targets` are tokens, one for each row.
    pub fn cross_entropy(
        &self,
        rows: &[f32],
        targets: &[u32],
        control: &Control,
    ) -> Result<CrossEntropy, Cancelled> {
        let (count, inner) = (targets.len(), self.inner);
        let mut gradient = vec![0.0; count * inner];
        // So far: the greatest logit, and the sum of exp(logit − greatest). They grow with the blocks, and what was
        // summed before is scaled (Milakov and Gimelshein, 2018, "Online normalizer calculation for softmax", algorithm 3).
        let mut greatest = vec![f32::NEG_INFINITY; count];
        let mut sums = vec![0.0f32; count];
        let mut logits_of_targets = vec![0.0f32; count];
        let (mut left, mut logits, mut powers) = (Left::new(rows, inner), Product::default(), Vec::new());
        let mut summed = Product::default();
        let blocks = self.weights.chunks(BLOCK_TOKENS * inner).zip(&self.transposed);
        for (block, ((weights, transposed), bias)) in blocks.zip(self.bias.chunks(BLOCK_TOKENS)).enumerate() {
            control.check()?;
            let (first, width) = (block * BLOCK_TOKENS, bias.len());
            left.times(weights, &mut logits);
            powers.clear();
            for (row, logits) in logits.rows_mut().take(count).enumerate() {
                logits.iter_mut().zip(bias).for_each(|(logit, bias)| *logit += bias);
                let target = (targets[row] as usize).checked_sub(first);
                if let Some(&logit) = target.and_then(|at| logits.get(at)) {
                    logits_of_targets[row] = logit;
                }
                let most = most(logits);
                if most > greatest[row] {
                    let scale = (greatest[row] - most).exp();
                    sums[row] *= scale;
                    gradient[row * inner..][..inner].iter_mut().for_each(|value| *value *= scale);
                    greatest[row] = most;
                }
                sums[row] += exponentials(logits, greatest[row]);
                powers.extend_from_slice(logits);
            }
            Left::new(&powers, width).times(transposed, &mut summed);
            for (gradient, summed) in gradient.chunks_exact_mut(inner).zip(summed.rows_mut()) {
                gradient.iter_mut().zip(summed).for_each(|(value, summed)| *value += *summed);
            }
        }
        for ((gradient, sum), &target) in gradient.chunks_exact_mut(inner).zip(&sums).zip(targets) {
            let target = &self.weights[target as usize * inner..][..inner];
            gradient.iter_mut().zip(target).for_each(|(value, target)| *value = *value / sum - target);
        }
        let losses = greatest.iter().zip(&sums).zip(&logits_of_targets);
        let losses = losses.map(|((greatest, sum), logit)| greatest - logit + sum.ln()).collect();
        Ok(CrossEntropy { losses, gradient })
    }
}

/// Numbers that are worked on side by side.
const LANES: usize = 16;

/// The greatest of them.
fn most(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        lanes
            .iter_mut()
            .zip(chunk)
            .for_each(|(lane, &value)| *lane = if value > *lane { value } else { *lane });
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |most, &value| most.max(value))
}

/// Puts exp(value − less) in the place of every value; returns their sum.
fn exponentials(values: &mut [f32], less: f32) -> f32 {
    let (chunks, rest) = values.as_chunks_mut::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *value = exp::<false>(*value - less);
            *lane += *value;
        }
    }
    let mut sum = lanes.iter().sum();
    for value in rest {
        *value = exp::<false>(*value - less);
        sum += *value;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_and_gradients_are_those_of_the_definition() {
        // More tokens than a block has, and rows whose greatest logits come early, late, and apart.
        let (inner, vocabulary) = (8, 1300);
        let value = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0;
        let decoder: Vec<f32> = (0..vocabulary * inner).map(value).collect();
        let bias: Vec<f32> = (0..vocabulary).map(|i| 2.0 * value(i + 77)).collect();
        let rows: Vec<f32> = (0..4 * inner).map(|i| 6.0 * value(i * 31)).collect();
        let targets = [0, 511, 512, 1299];
        let found = Decoder::new(&decoder, &bias, inner)
            .cross_entropy(&rows, &targets, &Control::new())
            .expect("found");
        for (row, &target) in targets.iter().enumerate() {
            let g = &rows[row * inner..][..inner];
            let logit = |token: usize| -> f64 {
                let weights = &decoder[token * inner..][..inner];
                let products = weights.iter().zip(g).map(|(&a, &b)| f64::from(a) * f64::from(b));
                products.sum::<f64>() + f64::from(bias[token])
            };
            let sum: f64 = (0..vocabulary).map(|token| logit(token).exp()).sum();
            let loss = sum.ln() - logit(target as usize);
            // Logits are below 50, their sums of eight products off by 2⁻²⁰ of that at most.
            assert!((f64::from(found.losses[row]) - loss).abs() < 1e-4, "{} for {loss}", found.losses[row]);
            for i in 0..inner {
                let probable = (0..vocabulary)
                    .map(|token| logit(token).exp() / sum * f64::from(decoder[token * inner + i]));
                let expected = probable.sum::<f64>() - f64::from(decoder[target as usize * inner + i]);
                let off = (f64::from(found.gradient[row * inner + i]) - expected).abs();
                assert!(off < 1e-4, "off by {off:e} for {expected}");
            }
        }
    }

    #[test]
    fn cancelled_work_stops() {
        let control = Control::new();
        control.cancel();
        assert!(Decoder::new(&[1.0], &[0.0], 1).cross_entropy(&[1.0], &[0], &control).is_err());
    }
}
