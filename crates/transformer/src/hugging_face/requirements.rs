//! What weights must have so that the format can represent them: [`sizes`] and [`Heads`].

use super::sizes::Sizes;
use super::{Architecture, END_OUTPUT, Error, HIDDEN_STATES_OUTPUT, RELEVANCE_OUTPUT, START_OUTPUT};
use crate::check;
use crate::weights::{Head, Linear, Norm, Output, Weights};

/// Greatest relative difference of the scale of an attention from 1 / √(dimension of a head). Exporters of ONNX files
/// round it in different ways.
const SCALE_TOLERANCE: f32 = 1e-6;
/// Another name of the output with the relevance, which some exporters of ONNX files use.
const OTHER_RELEVANCE_OUTPUT: &str = "relevance_logits";

/// The sizes of weights that are to be written as a model of this architecture.
///
/// # Errors
///
/// [`Error::Weights`] if the sizes of the weights do not fit together; [`Error::Unwritable`] if the architecture or its
/// configuration cannot represent the weights.
pub(super) fn sizes(weights: &Weights, architecture: Architecture) -> Result<Sizes, Error> {
    check::check(weights)?;
    let embeddings = &weights.embeddings;
    let first = weights.layers.first().ok_or_else(|| Error::unwritable("layers", "at least 1", 0))?;
    let types = embeddings.types.as_ref().map(|types| types.rows);
    let sizes = Sizes {
        words: embeddings.words.rows,
        positions: embeddings.positions.rows,
        first_position: embeddings.first_position,
        types,
        dim: embeddings.words.dim,
        layers: weights.layers.len(),
        heads: first.heads,
        intermediate: first.intermediate.outputs,
        epsilon: Sizes::fixed_epsilon(architecture).unwrap_or(embeddings.norm.epsilon),
    };
    let name = architecture.model_type();
    let expected_types = match (architecture.has_types(), embeddings.has_type_input) {
        (false, _) => "no token types",
        (_, true) => "at least 2 token types",
        (_, false) => "1 token type, because there is no input `token_type_ids`",
    };
    let has_expected_types = match types {
        None => !architecture.has_types() && !embeddings.has_type_input,
        Some(types) => architecture.has_types() && (types > 1) == embeddings.has_type_input,
    };
    if !has_expected_types {
        return Err(Error::unwritable(&format!("{name}: types"), expected_types, types.unwrap_or(0)));
    }
    let first_position = architecture.fixed_first_position();
    if first_position.map_or(embeddings.first_position == 0, |expected| embeddings.first_position != expected)
    {
        let expected = first_position.map_or("at least 1".to_owned(), |expected| expected.to_string());
        let part = format!("{name}: the first position");
        return Err(Error::unwritable(&part, expected, embeddings.first_position));
    }
    if weights.relative_position_biases.is_some() != architecture.has_relative_position_biases() {
        let [expected, got] =
            if architecture.has_relative_position_biases() { ["some", "none"] } else { ["none", "some"] };
        return Err(Error::unwritable(&format!("{name}: relative position biases"), expected, got));
    }
    check_epsilon(&embeddings.norm, sizes.epsilon)?;
    let scale = sizes.attention_scale();
    for layer in &weights.layers {
        if layer.heads != sizes.heads || layer.query.outputs != sizes.dim {
            let expected = format!("{} heads with {} dimensions in all", sizes.heads, sizes.dim);
            let got = format!("{} with {}", layer.heads, layer.query.outputs);
            return Err(Error::unwritable("attention heads", expected, got));
        }
        if layer.intermediate.outputs != sizes.intermediate {
            let expected = format!("a hidden layer of {} values, as in the first layer", sizes.intermediate);
            return Err(Error::unwritable("feed-forward network", expected, layer.intermediate.outputs));
        }
        if (layer.scale - scale).abs() > SCALE_TOLERANCE * scale {
            return Err(Error::unwritable("the scale of the attention", scale.to_string(), layer.scale));
        }
        check_epsilon(&layer.attention_norm, sizes.epsilon)?;
        check_epsilon(&layer.output_norm, sizes.epsilon)?;
    }
    Ok(sizes)
}

fn check_epsilon(norm: &Norm, epsilon: f32) -> Result<(), Error> {
    if norm.epsilon == epsilon {
        return Ok(());
    }
    Err(Error::unwritable("the epsilon of a normalization", epsilon.to_string(), norm.epsilon))
}

/// The heads of a model.
#[derive(Debug, Clone, Copy)]
pub(super) enum Heads<'a> {
    /// An encoder has none.
    Encoder,
    /// The heads of a reader.
    Reader {
        /// The linear layer of the start and end logits.
        span: &'a Linear,
        /// The linear layer of the relevance.
        relevance: Option<&'a Linear>,
    },
}

impl<'a> Heads<'a> {
    /// The heads that the outputs of a model need.
    ///
    /// # Errors
    ///
    /// [`Error::Unwritable`] if the outputs are not those of an encoder or a reader.
    pub fn of(outputs: &'a [Output]) -> Result<Self, Error> {
        let named: Vec<(&str, &Head)> =
            outputs.iter().map(|output| (output.name.as_str(), &output.head)).collect();
        let found = match *named.as_slice() {
            [(HIDDEN_STATES_OUTPUT, Head::HiddenStates)] => Some(Self::Encoder),
            [(START_OUTPUT, start), (END_OUTPUT, end)] => {
                span(start, end).map(|span| Self::Reader { span, relevance: None })
            }
            [
                (START_OUTPUT, start),
                (END_OUTPUT, end),
                (
                    RELEVANCE_OUTPUT | OTHER_RELEVANCE_OUTPUT,
                    Head::FirstTokenLogits { linear: relevance, column: 0 },
                ),
            ] if relevance.outputs == 1 => {
                span(start, end).map(|span| Self::Reader { span, relevance: Some(relevance) })
            }
            _ => None,
        };
        found.ok_or_else(|| {
            let expected = "hidden states (`last_hidden_state`), or `start_logits` and `end_logits` from both outputs \
                            of one linear layer, and optionally `relevance_logit` of the first token";
            let names: Vec<&str> = named.iter().map(|&(name, _)| name).collect();
            Error::unwritable("outputs", expected, names.join(", "))
        })
    }
}

/// The linear layer whose two outputs are the start and end logits.
fn span<'a>(start: &'a Head, end: &Head) -> Option<&'a Linear> {
    match (start, end) {
        (Head::TokenLogits { linear, column: 0 }, Head::TokenLogits { linear: other, column: 1 })
            if linear.outputs == 2 && linear == other =>
        {
            Some(linear)
        }
        _ => None,
    }
}
