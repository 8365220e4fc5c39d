//! [`ScoreBiases`]: relative position biases of attention scores, forward and backward.

use std::ops::Range;

use transformer::weights::RelativePositionBiases;

use crate::parameters::{Layout, Shape};

/// Where the bias of each attention score is among the parameters.
#[derive(Debug)]
pub(super) struct ScoreBiases {
    heads: usize,
    /// Maximum number of tokens of a text.
    max_tokens: usize,
    /// The bucket of each position of a key minus that of the query, from −(`max_tokens` − 1) on.
    buckets: Vec<usize>,
    /// The biases among the parameters, `[buckets, heads]`.
    place: Range<usize>,
}

impl ScoreBiases {
    /// Returns `None` for a model without relative position biases.
    pub fn new(shape: &Shape, layout: &Layout) -> Option<Self> {
        let last = shape.max_tokens() as isize - 1;
        shape.has_relative_position_biases.then(|| Self {
            heads: shape.heads,
            max_tokens: shape.max_tokens(),
            buckets: (-last..=last).map(RelativePositionBiases::bucket).collect(),
            place: layout.relative_position_biases.clone(),
        })
    }

    /// Replaces products of queries and keys, `[length, length]`, by scale · product + bias.
    pub fn scale_and_add(
        &self,
        parameters: &[f32],
        head: usize,
        length: usize,
        scale: f32,
        products: &mut [f32],
    ) {
        let biases = &parameters[self.place.clone()];
        for (query, row) in products.chunks_exact_mut(length).enumerate() {
            for (product, bucket) in row.iter_mut().zip(self.buckets_for_query(query, length)) {
                *product = *product * scale + biases[bucket * self.heads + head];
            }
        }
    }

    /// Adds the gradients of the biases, given those of the scores, `[length, length]`.
    pub fn backward(&self, score_gradients: &[f32], head: usize, length: usize, gradients: &mut [f32]) {
        // The gradients of each text are summed on their own first, so that rounding errors stay small.
        let mut sums = [0f32; RelativePositionBiases::BUCKETS];
        for (query, row) in score_gradients.chunks_exact(length).enumerate() {
            for (gradient, bucket) in row.iter().zip(self.buckets_for_query(query, length)) {
                sums[*bucket] += gradient;
            }
        }
        for (row, sum) in gradients[self.place.clone()].chunks_exact_mut(self.heads).zip(sums) {
            row[head] += sum;
        }
    }

    /// The buckets of all keys for the query at a position.
    fn buckets_for_query(&self, position: usize, length: usize) -> &[usize] {
        &self.buckets[self.max_tokens - 1 - position..][..length]
    }
}
