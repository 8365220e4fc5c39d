//! Buffers for the values that a pass computes: [`Activations`], which the backward pass needs, and [`Scratch`].

use crate::parameters::Shape;

/// What a forward pass keeps of a group. The memory is used again by later passes.
#[derive(Debug, Default)]
pub(crate) struct Activations {
    /// Number of tokens.
    pub tokens: usize,
    /// The normalization of the embeddings.
    pub embeddings: Standardized,
    /// The layers. Without the backward pass, all layers use the first.
    pub layers: Vec<LayerActivations>,
}

/// What is kept of a layer.
#[derive(Debug, Default)]
pub(crate) struct LayerActivations {
    /// Query, key and value of each token, `[tokens, 3 dim]`.
    pub projections: Vec<f32>,
    /// The results of the attention, `[tokens, dim]`.
    pub context: Vec<f32>,
    /// The normalization after the attention.
    pub attention: Standardized,
    /// The hidden layer of the feed-forward network before GELU, `[tokens, intermediate]`.
    pub intermediate: Vec<f32>,
    /// The normalization after the feed-forward network.
    pub output: Standardized,
}

/// What is kept of a layer normalization.
#[derive(Debug, Default)]
pub(crate) struct Standardized {
    /// The standardized rows, `[tokens, dim]`.
    pub rows: Vec<f32>,
    /// The factor 1 / √(variance + epsilon) of each row.
    pub factors: Vec<f32>,
}

impl Activations {
    /// Number of bytes that are kept for a number of tokens.
    pub fn bytes(shape: &Shape, tokens: usize) -> usize {
        let of_layer = 6 * shape.dim + shape.intermediate + 2;
        tokens * (shape.layers * of_layer + shape.dim + 1) * size_of::<f32>()
    }

    pub(super) fn resize(&mut self, shape: &Shape, tokens: usize, keeps: bool) {
        self.tokens = tokens;
        self.embeddings.resize(tokens, shape.dim);
        let layers = if keeps { shape.layers } else { 1 };
        if self.layers.len() < layers {
            self.layers.resize_with(layers, LayerActivations::default);
        }
        for layer in &mut self.layers[..layers] {
            layer.projections.resize(tokens * 3 * shape.dim, 0.0);
            layer.context.resize(tokens * shape.dim, 0.0);
            layer.attention.resize(tokens, shape.dim);
            layer.intermediate.resize(tokens * shape.intermediate, 0.0);
            layer.output.resize(tokens, shape.dim);
        }
    }
}

impl Standardized {
    fn resize(&mut self, tokens: usize, dim: usize) {
        self.rows.resize(tokens * dim, 0.0);
        self.factors.resize(tokens, 0.0);
    }
}

/// Temporary buffers. Each thread has its own.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The hidden states, `[tokens, dim]`.
    pub hidden: Vec<f32>,
    /// The gradients of the hidden states, `[tokens, dim]`.
    pub gradient: Vec<f32>,
    /// The gradients of the branch beside the residual connection, `[tokens, dim]`.
    pub branch: Vec<f32>,
    /// Two matrices `[tokens, intermediate]`.
    pub wide: [Vec<f32>; 2],
    /// The gradients of queries, keys and values, `[tokens, 3 dim]`.
    pub projections: Vec<f32>,
    /// The probabilities of an attention head for a text, `[tokens, tokens]`; the same after dropout; their gradients.
    pub probabilities: [Vec<f32>; 3],
}
