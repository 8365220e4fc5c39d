//! [`Network`]: the forward and the backward pass of a model with the architecture of BERT.
//!
//! The forward pass keeps what the backward pass needs, the [`Activations`]: about dim · (6 · layers + 1) values per
//! token for the attention and the layer norms, and `intermediate` values per layer for the input of GELU. The backward
//! pass recomputes the rest: the probabilities of the attention, GELU, and the outputs of layer norms. Dropout depends
//! on the place of a value alone ([`kernels::gradients::Dropout`]), so that it needs no memory either.
//!
//! - `embeddings.rs` looks up the embeddings and adds up their gradients.
//! - `layer.rs` has a layer forward and backward, with `attention.rs`, `relative_position_biases.rs` and `linear.rs`.
//! - `heads.rs` has the outputs: the pooling of an encoder and the logits of a reader.

mod activations;
mod attention;
mod dropout;
mod embeddings;
mod gradients;
pub(crate) mod heads;
mod layer;
mod linear;
mod relative_position_biases;

use std::sync::Arc;

use kernels::gradients::GradientKernels;
use kernels::network::NetworkKernels;
use transformer::Text;

pub(crate) use activations::{Activations, Scratch};
pub(crate) use dropout::StepDropout;
pub(crate) use gradients::Gradients;
use relative_position_biases::ScoreBiases;

use crate::parameters::{Layout, Parameters, Shape};
use crate::{Backend, Cpu, Error};

/// A model of a shape. Its parameters are arguments of its functions.
#[derive(Debug)]
pub(crate) struct Network {
    shape: Shape,
    layout: Layout,
    kernels: &'static NetworkKernels,
    gradient_kernels: &'static GradientKernels,
    /// The relative position biases, if there are any.
    biases: Option<ScoreBiases>,
    /// Computes the products of the linear layers inside the layers.
    pub backend: Arc<dyn Backend>,
}

/// Texts that are processed together, and the dropout of their values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    /// The texts.
    pub texts: &'a [Text<'a>],
    /// Number of the first text among all texts of the batch, on which dropout depends.
    pub first: usize,
    /// The dropout, if there is any.
    pub dropout: Option<StepDropout>,
}

impl Group<'_> {
    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.texts.iter().map(|text| text.ids.len()).sum()
    }
}

impl Network {
    /// Makes a network of a shape.
    pub fn new(shape: Shape) -> Self {
        let layout = Layout::new(&shape);
        Self {
            shape,
            biases: ScoreBiases::new(&shape, &layout),
            layout,
            kernels: NetworkKernels::detect(),
            gradient_kernels: GradientKernels::detect(),
            backend: Arc::new(Cpu),
        }
    }

    /// The sizes of the network.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The places of the parameters.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Checks that a text is valid input.
    pub fn check(&self, at: usize, text: &Text<'_>) -> Result<(), Error> {
        let fail =
            |expected: String, got: String| Err(Error::Batch { what: format!("text {at}"), expected, got });
        let (tokens, max_tokens) = (text.ids.len(), self.shape.max_tokens());
        if tokens == 0 || tokens > max_tokens {
            return fail(format!("1 to {max_tokens} tokens"), tokens.to_string());
        }
        if let Some(id) = text.ids.iter().find(|&&id| id as usize >= self.shape.words) {
            return fail(format!("token ids below {}", self.shape.words), id.to_string());
        }
        if self.shape.has_type_input && self.shape.types < 2 && text.type_0_count < tokens {
            return fail("tokens of type 0".to_owned(), "a token of type 1".to_owned());
        }
        Ok(())
    }

    /// Computes the hidden states of the last layer, `[tokens, dim]`, in `scratch.hidden`. Keeps the activations of all
    /// layers if `keeps`, for [`backward`](Self::backward).
    pub fn forward(
        &self,
        parameters: &Parameters,
        group: &Group<'_>,
        keeps: bool,
        activations: &mut Activations,
        scratch: &mut Scratch,
    ) {
        activations.resize(&self.shape, group.tokens(), keeps);
        self.embed(parameters, group, activations, scratch);
        for layer in 0..self.shape.layers {
            self.forward_layer(parameters, group, layer, if keeps { layer } else { 0 }, activations, scratch);
        }
    }

    /// Recomputes the hidden states of the last layer from kept activations.
    pub fn recompute_hidden(
        &self,
        parameters: &Parameters,
        activations: &Activations,
        hidden: &mut Vec<f32>,
    ) {
        let last = self.shape.layers - 1;
        let norm = &self.layout.layers[last].output_norm;
        self.recompute_norm(&parameters.others, norm, &activations.layers[last].output, hidden);
    }

    /// Adds the gradients of the parameters to `gradients`. `scratch.gradient` has the gradients of the hidden states
    /// of the last layer, `[tokens, dim]`, and is overwritten.
    pub fn backward(
        &self,
        parameters: &Parameters,
        group: &Group<'_>,
        activations: &Activations,
        scratch: &mut Scratch,
        gradients: &mut Gradients,
    ) {
        for layer in (0..self.shape.layers).rev() {
            self.backward_layer(parameters, group, layer, activations, scratch, gradients);
        }
        self.backward_embeddings(parameters, group, activations, scratch, gradients);
    }
}
