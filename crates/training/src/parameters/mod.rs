//! The parameters of a network: [`Parameters`]. They are two lists of floats, the embeddings of words and all others,
//! so that optimizers and checkpoints need not know what they mean. [`Layout`] says where each one is.

mod convert;
mod layout;

pub use layout::Shape;
pub(crate) use layout::{LayerLayout, Layout, LinearLayout, NormLayout};

/// The parameters of a network, or a value for each of them: a gradient, or a mean of gradients.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The embeddings of words, `[words, dim]`. A batch uses only some of them.
    pub words: Vec<f32>,
    /// All other parameters.
    pub others: Vec<f32>,
}

impl Parameters {
    /// Returns zeros.
    #[must_use]
    pub fn zeros(shape: &Shape) -> Self {
        Self { words: vec![0.0; shape.words * shape.dim], others: vec![0.0; Layout::new(shape).len] }
    }
}
