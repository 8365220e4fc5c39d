//! [`ScoreBiases`]: biases of the attention by relative positions ([`RelativePositions`]), forward and backward.

use std::ops::Range;

use transformer::weights::RelativePositions;

use crate::parameters::{Layout, Shape};

/// Where the bias of each score is among the parameters.
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
    /// Returns `None` for a model without relative positions.
    pub fn new(shape: &Shape, layout: &Layout) -> Option<Self> {
        let last = shape.max_tokens() as isize - 1;
        let bucket = |difference| RelativePositions::bucket(shape.buckets, difference);
        (shape.buckets > 0).then(|| Self {
            heads: shape.heads,
            max_tokens: shape.max_tokens(),
            buckets: (-last..=last).map(bucket).collect(),
            place: layout.relative_positions.clone(),
        })
    }

    /// Replaces products of queries and keys, `[length, length]`, by scale · product + bias.
    pub fn add(&self, parameters: &[f32], head: usize, length: usize, scale: f32, products: &mut [f32]) {
        let biases = &parameters[self.place.clone()];
        for (query, row) in products.chunks_exact_mut(length).enumerate() {
            for (product, bucket) in row.iter_mut().zip(self.of_query(query)) {
                *product = *product * scale + biases[bucket * self.heads + head];
            }
        }
    }

    /// Adds the gradients of the biases, given those of the scores, `[length, length]`.
    pub fn backward(&self, scores: &[f32], head: usize, length: usize, gradients: &mut [f32]) {
        let gradients = &mut gradients[self.place.clone()];
        // The scores of a text are added on their own first, so that rounding errors stay small.
        let mut sums = vec![0f32; gradients.len() / self.heads];
        for (query, row) in scores.chunks_exact(length).enumerate() {
            for (score, bucket) in row.iter().zip(self.of_query(query)) {
                sums[*bucket] += score;
            }
        }
        for (row, sum) in gradients.chunks_exact_mut(self.heads).zip(sums) {
            row[head] += sum;
        }
    }

    /// The buckets of all keys for the query at a position.
    fn of_query(&self, position: usize) -> &[usize] {
        &self.buckets[self.max_tokens - 1 - position..]
    }
}
