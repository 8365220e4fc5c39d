//! Matches a graph against the architecture of BERT, from the outputs back to the embeddings: [`recognize`].

mod attention;
mod embeddings;
mod feed_forward;
mod layout;
mod linear;
mod mask;
mod matcher;
mod norm;
mod outputs;
mod relative_position_biases;

use matcher::Matcher;

use super::compare::are_same_biases;
use super::error::Unrecognized;
use super::graph::{Graph, ValueId};
use super::probe::Probe;
use crate::weights::{Layer, Linear, Norm, RelativePositionBiases, Weights};

/// The kernels need that the hidden size and the size of an attention head are multiples of this number.
const LANES: usize = 16;
/// Most layers, and most outputs. Each gets a copy of its weights, but in a file, any number of nodes can share them.
const MAX_COPIES: usize = 128;

/// Copies the parameters of the model that a graph computes. The longest text of the probe has `length` tokens, or by
/// default an unusual number.
///
/// # Errors
///
/// The first part of the graph that differs from the architecture.
pub(super) fn recognize(graph: &Graph, length: Option<usize>) -> Result<Weights, Unrecognized> {
    let matcher = Matcher { graph, probe: Probe::run(graph, length)? };
    let (outputs, mut hidden) = matcher.outputs()?;
    let mut layers = Vec::new();
    let mut biases: Option<RelativePositionBiases> = None;
    // Ends because the graph has no cycles: the input of a layer is computed before its output.
    loop {
        let (norm, sum) = matcher.required_norm(hidden)?;
        let dim = norm.weight.len();
        if !dim.is_multiple_of(LANES) {
            let expected = format!("a hidden size that is a multiple of {LANES}");
            return Err(matcher.refuse_for(hidden, expected, dim.to_string()));
        }
        if matcher.is_embeddings(sum) {
            if layers.is_empty() {
                return Err(matcher.refuse(hidden, "at least one layer"));
            }
            let embeddings = matcher.embeddings(norm, sum)?;
            layers.reverse();
            return Ok(Weights { embeddings, relative_position_biases: biases, layers, outputs });
        }
        if layers.len() == MAX_COPIES {
            return Err(matcher.refuse(hidden, format!("at most {MAX_COPIES} layers")));
        }
        let (layer, layer_biases, input) = matcher.layer(norm, sum)?;
        if layers.is_empty() {
            biases = layer_biases;
        } else if !are_same_biases(biases.as_ref(), layer_biases.as_ref()) {
            return Err(matcher.refuse(hidden, "the same relative position biases in all layers"));
        }
        layers.push(layer);
        hidden = input;
    }
}

impl Matcher<'_> {
    /// Matches a layer, given its last normalization and the sum that it normalizes. Returns the layer, its relative
    /// position biases, and its input.
    fn layer(
        &self,
        output_norm: Norm,
        sum: ValueId,
    ) -> Result<(Layer, Option<RelativePositionBiases>, ValueId), Unrecognized> {
        let dim = output_norm.weight.len();
        let (output, activation, middle) = self.residual(sum, dim)?;
        let before_activation = self.gelu(activation)?;
        let (intermediate, source) = self.required_linear(before_activation)?;
        if source != middle || intermediate.inputs != dim {
            return Err(self.refuse(
                before_activation,
                "a linear function of the hidden state that its result is added to",
            ));
        }
        check_sizes(self, sum, &output, intermediate.outputs, dim)?;
        let (attention_norm, sum) = self.required_norm(middle)?;
        let (attention_output, context, input) = self.residual(sum, dim)?;
        let attention = self.attention(context, input, dim)?;
        check_sizes(self, sum, &attention_output, dim, dim)?;
        if attention_norm.weight.len() != dim {
            return Err(self.refuse(middle, format!("a normalization of {dim} values")));
        }
        let [query, key, value] = attention.linears;
        let layer = Layer {
            query,
            key,
            value,
            heads: attention.heads,
            scale: attention.scale,
            attention_output,
            attention_norm,
            intermediate,
            output,
            output_norm,
        };
        Ok((layer, attention.relative_position_biases, input))
    }

    /// Matches the sum of a hidden state and a linear function. Returns the function, its input, and the hidden state.
    fn residual(&self, sum: ValueId, dim: usize) -> Result<(Linear, ValueId, ValueId), Unrecognized> {
        let expected = "the sum of a hidden state and a linear function";
        let (a, b) = self.operands(sum, "Add").ok_or_else(|| self.refuse(sum, expected))?;
        let (linear, input, hidden) = match (self.linear(a)?, self.linear(b)?) {
            (Some((linear, input)), None) => (linear, input, b),
            (None, Some((linear, input))) => (linear, input, a),
            _ => return Err(self.refuse(sum, expected)),
        };
        let hidden_shape = [super::probe::BATCH, self.probe.length, dim];
        for value in [sum, hidden] {
            let shape = self.shape(value)?;
            // Some exporters merge the axes of the batch and the sequence.
            if shape != hidden_shape && shape != [hidden_shape[0] * hidden_shape[1], dim] {
                let expected = format!("the shape {hidden_shape:?} for the batch of the probe");
                return Err(self.refuse_for(value, expected, format!("{shape:?}")));
            }
        }
        Ok((linear, input, self.rows(hidden)))
    }
}

/// Checks the numbers of inputs and outputs of a linear function.
fn check_sizes(
    matcher: &Matcher,
    value: ValueId,
    linear: &Linear,
    inputs: usize,
    outputs: usize,
) -> Result<(), Unrecognized> {
    if (linear.inputs, linear.outputs) == (inputs, outputs) {
        return Ok(());
    }
    let expected = format!("a linear function of {inputs} values with {outputs} results");
    Err(matcher.refuse_for(value, expected, format!("{} and {}", linear.inputs, linear.outputs)))
}
