//! Where each parameter is in [`Parameters::others`](super::Parameters::others).

use std::ops::Range;

use transformer::weights::RelativePositionBiases;

/// The sizes of a network.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Number of word embeddings.
    pub words: usize,
    /// Number of position embeddings.
    pub positions: usize,
    /// The position of a text's first token: 0 for BERT, 2 for RoBERTa.
    pub first_position: usize,
    /// Number of embeddings of token types. May be 0.
    pub types: usize,
    /// Whether the model reads token types. Otherwise, all tokens have the type 0.
    pub has_type_input: bool,
    /// Whether the attention has relative position biases.
    pub has_relative_position_biases: bool,
    /// Dimension of the hidden states.
    pub dim: usize,
    /// Number of attention heads.
    pub heads: usize,
    /// Dimension of the hidden layer of feed-forward networks.
    pub intermediate: usize,
    /// Number of layers.
    pub layers: usize,
    /// The number that layer normalizations add to the variance.
    pub epsilon: f32,
    /// Whether the model has the heads of a reader: start and end logits per token, and a relevance logit.
    pub is_reader: bool,
}

impl Shape {
    /// Dimension of an attention head.
    pub(crate) fn head_dim(&self) -> usize {
        self.dim / self.heads
    }

    /// The factor of the products of queries and keys.
    pub(crate) fn attention_scale(&self) -> f32 {
        1.0 / (self.head_dim() as f32).sqrt()
    }

    /// Maximum number of tokens of a text.
    #[must_use]
    pub fn max_tokens(&self) -> usize {
        self.positions - self.first_position
    }
}

/// The places of the parameters other than word embeddings.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub positions: Range<usize>,
    pub types: Range<usize>,
    /// The relative position biases, `[buckets, heads]`. They do not decay.
    pub relative_position_biases: Range<usize>,
    pub norm: NormLayout,
    pub layers: Vec<LayerLayout>,
    /// A reader's start and end logits, `[dim, 2]`.
    pub spans: LinearLayout,
    /// A reader's relevance logit, `[dim, 1]`.
    pub relevance: LinearLayout,
    /// Number of parameters.
    pub len: usize,
}

/// The places of the parameters of a layer normalization.
#[derive(Debug, Clone)]
pub(crate) struct NormLayout {
    pub weight: Range<usize>,
    pub bias: Range<usize>,
}

/// The places of the parameters of a linear layer.
#[derive(Debug, Clone)]
pub(crate) struct LinearLayout {
    /// `[inputs, outputs]`
    pub weight: Range<usize>,
    pub bias: Range<usize>,
    pub inputs: usize,
    pub outputs: usize,
}

/// The places of the parameters of a layer.
#[derive(Debug, Clone)]
pub(crate) struct LayerLayout {
    /// Query, key and value, side by side: `[dim, 3 dim]`.
    pub projections: LinearLayout,
    pub attention_output: LinearLayout,
    pub attention_norm: NormLayout,
    pub intermediate: LinearLayout,
    pub output: LinearLayout,
    pub output_norm: NormLayout,
}

impl Layout {
    pub fn new(shape: &Shape) -> Self {
        let mut next = Next(0);
        let dim = shape.dim;
        let positions = next.values(shape.positions * dim);
        let types = next.values(shape.types * dim);
        let relative_position_biases = next.values(match shape.has_relative_position_biases {
            true => RelativePositionBiases::BUCKETS * shape.heads,
            false => 0,
        });
        let norm = next.norm(dim);
        let layers = (0..shape.layers).map(|_| LayerLayout {
            projections: next.linear(dim, 3 * dim),
            attention_output: next.linear(dim, dim),
            attention_norm: next.norm(dim),
            intermediate: next.linear(dim, shape.intermediate),
            output: next.linear(shape.intermediate, dim),
            output_norm: next.norm(dim),
        });
        let layers = layers.collect();
        let spans = next.linear(dim, if shape.is_reader { 2 } else { 0 });
        let relevance = next.linear(dim, usize::from(shape.is_reader));
        Self { positions, types, relative_position_biases, norm, layers, spans, relevance, len: next.0 }
    }

    /// The parameters that weight decay changes: all but biases and those of layer normalizations. In ascending order.
    pub fn decaying(&self) -> Vec<Range<usize>> {
        let layers = self.layers.iter().flat_map(|layer| {
            [&layer.projections, &layer.attention_output, &layer.intermediate, &layer.output]
        });
        let linears = layers.chain([&self.spans, &self.relevance]).map(|linear| linear.weight.clone());
        [self.positions.clone(), self.types.clone()].into_iter().chain(linears).collect()
    }
}

/// The next free place.
struct Next(usize);

impl Next {
    fn values(&mut self, count: usize) -> Range<usize> {
        let start = self.0;
        self.0 += count;
        start..self.0
    }

    fn norm(&mut self, dim: usize) -> NormLayout {
        NormLayout { weight: self.values(dim), bias: self.values(dim) }
    }

    fn linear(&mut self, inputs: usize, outputs: usize) -> LinearLayout {
        LinearLayout { weight: self.values(inputs * outputs), bias: self.values(outputs), inputs, outputs }
    }
}
