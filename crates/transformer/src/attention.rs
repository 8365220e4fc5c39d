//! Self-attention (Vaswani et al., 2017, equation 1). For each head, the output of a token is the mean of the value
//! vectors of all tokens of the text, weighted by softmax(scale · query · keys). In models with relative position biases,
//! a bias is added to each scaled product first.

use kernels::network::{FloatBlocks, FloatRows, LANES, NetworkKernels};

use crate::weights::RelativePositionBiases;

/// The shape of the attention of a layer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attention {
    /// Number of heads.
    pub(crate) heads: usize,
    /// Number of dimensions of a head, a multiple of [`LANES`].
    pub(crate) head_dim: usize,
    /// The factor of the products of queries and keys.
    pub(crate) scale: f32,
}

/// Number of tokens whose weights are computed together, so that the memory for weights does not grow with the square
/// of the length of a text.
const GROUP_TOKENS: usize = 120;

/// The relative position biases of all differences of positions.
#[derive(Debug)]
pub(crate) struct ScoreBiases {
    /// The maximum length of a text.
    max_tokens: usize,
    /// The biases of each head, sorted by the position of the key minus that of the query.
    values: Vec<f32>,
}

impl ScoreBiases {
    pub(crate) fn new(biases: &RelativePositionBiases, max_tokens: usize) -> Self {
        Self { max_tokens, values: biases.by_difference(max_tokens) }
    }

    /// The biases of all keys of a text for the query at a position.
    fn for_query(&self, head: usize, position: usize, tokens: usize) -> &[f32] {
        let head_biases = &self.values[head * (2 * self.max_tokens - 1)..];
        &head_biases[self.max_tokens - 1 - position..][..tokens]
    }
}

/// Memory for the attention of a text.
#[derive(Debug, Default)]
pub(crate) struct AttentionScratch {
    /// The keys of a head, in blocks of sixteen tokens: `[block, dimension, token in block]`.
    keys: Vec<f32>,
    /// The values of a head, `[token, dimension]`.
    values: Vec<f32>,
    /// The weight of each token (column) for each token of a group (row).
    weights: Vec<f32>,
}

impl Attention {
    /// Computes the attention of a text. `projections` has a row for each token: its query, key and value, each with
    /// the dimensions of all heads. `out` has a row for each token, with the results of all heads.
    pub(crate) fn attend(
        &self,
        kernels: &NetworkKernels,
        projections: &[f32],
        biases: Option<&ScoreBiases>,
        scratch: &mut AttentionScratch,
        out: &mut [f32],
    ) {
        let (dim, all_dims) = (self.head_dim, self.heads * self.head_dim);
        let stride = 3 * all_dims;
        let tokens = projections.len() / stride;
        let blocks = tokens.div_ceil(LANES);
        let AttentionScratch { keys, values, weights } = scratch;
        keys.resize(blocks * dim * LANES, 0.0);
        values.resize(tokens * dim, 0.0);
        weights.resize(tokens.min(GROUP_TOKENS) * blocks * LANES, 0.0);
        let weights_stride = blocks * LANES;
        for head in 0..self.heads {
            let start = head * dim;
            let rows = projections.chunks_exact(stride).zip(values.chunks_exact_mut(dim));
            for (token, (row, values)) in rows.enumerate() {
                values.copy_from_slice(&row[2 * all_dims + start..][..dim]);
                let block = &mut keys[token / LANES * dim * LANES..][..dim * LANES];
                let key = &row[all_dims + start..][..dim];
                for (lanes, value) in block.as_chunks_mut::<LANES>().0.iter_mut().zip(key) {
                    lanes[token % LANES] = *value;
                }
            }
            let keys = FloatBlocks {
                values: keys,
                inputs: dim,
                blocks,
                block_stride: dim * LANES,
                input_stride: LANES,
            };
            let values = FloatBlocks {
                values,
                inputs: tokens,
                blocks: dim / LANES,
                block_stride: LANES,
                input_stride: dim,
            };
            for first in (0..tokens).step_by(GROUP_TOKENS) {
                let rows = (tokens - first).min(GROUP_TOKENS);
                let queries = &projections[first * stride + start..];
                let queries = FloatRows { values: queries, rows, inputs: dim, stride };
                let weights = &mut weights[..rows * weights_stride];
                kernels.multiply_floats(queries, keys, None, weights, weights_stride);
                for (row, query) in weights.chunks_exact_mut(weights_stride).zip(first..) {
                    let scores = &mut row[..tokens];
                    let Some(biases) = biases else {
                        kernels.softmax(scores, self.scale);
                        continue;
                    };
                    for (score, bias) in scores.iter_mut().zip(biases.for_query(head, query, tokens)) {
                        *score = *score * self.scale + bias;
                    }
                    kernels.softmax(scores, 1.0);
                }
                let weights = FloatRows { values: weights, rows, inputs: tokens, stride: weights_stride };
                kernels.multiply_floats(
                    weights,
                    values,
                    None,
                    &mut out[first * all_dims + start..],
                    all_dims,
                );
            }
        }
    }
}
