//! Checks that the weights of a model fit together.

use kernels::network::LANES;

use crate::Error;
use crate::weights::{
    Embeddings, Head, Layer, Linear, Matrix, Norm, RelativePositionBiases, Table, TableValues, Weights,
};

/// Maximum number of inputs of a linear layer, which is that of `kernels::network::ByteWeights`. With more, sums could
/// overflow.
const MAX_INPUTS: usize = 1 << 15;

impl Weights {
    /// Checks that the sizes of the weights fit together.
    ///
    /// # Errors
    ///
    /// [`Error::Weights`] if they do not.
    pub fn check(&self) -> Result<(), Error> {
        check(self)
    }
}

/// Returns an error if the sizes of the weights do not fit together.
pub(crate) fn check(weights: &Weights) -> Result<(), Error> {
    let dim = weights.embeddings.words.dim;
    check_multiple("the dimension of the hidden states", dim)?;
    check_embeddings(&weights.embeddings, dim)?;
    if weights.layers.is_empty() {
        return fail("layers", "at least 1", 0);
    }
    for layer in &weights.layers {
        check_layer(layer, dim)?;
    }
    if let Some(biases) = &weights.relative_position_biases {
        check_relative_position_biases(biases, &weights.layers)?;
    }
    for output in &weights.outputs {
        match &output.head {
            Head::HiddenStates | Head::FirstToken => {}
            Head::TokenLogits { linear, column } | Head::FirstTokenLogits { linear, column } => {
                check_linear("an output", linear, dim)?;
                if *column >= linear.outputs {
                    return fail("the column of an output", format!("less than {}", linear.outputs), *column);
                }
            }
            Head::Pooler(linear) => {
                check_linear("the pooler", linear, dim)?;
                if linear.outputs < 2 {
                    return fail("the outputs of the pooler", "at least 2", linear.outputs);
                }
            }
        }
    }
    Ok(())
}

fn check_embeddings(embeddings: &Embeddings, dim: usize) -> Result<(), Error> {
    let Embeddings { words, positions, first_position, types, norm, .. } = embeddings;
    for (what, table) in [("words", Some(words)), ("positions", Some(positions)), ("types", types.as_ref())] {
        let Some(Table { rows, dim: got, values }) = table else { continue };
        if *got != dim {
            return fail(what, format!("vectors of {dim} values"), *got);
        }
        let got = match values {
            TableValues::F32(floats) => floats.len(),
            TableValues::U8 { bytes, .. } => bytes.len(),
        };
        if *rows == 0 || rows.checked_mul(dim) != Some(got) {
            return fail(what, format!("{rows} times {dim} values"), got);
        }
    }
    if *first_position >= positions.rows {
        return fail("the first position", format!("less than {}", positions.rows), *first_position);
    }
    check_norm("the normalization of the embeddings", norm, dim)
}

fn check_layer(layer: &Layer, dim: usize) -> Result<(), Error> {
    let attention_dim = layer.query.outputs;
    for (what, linear) in
        [("the queries", &layer.query), ("the keys", &layer.key), ("the values", &layer.value)]
    {
        check_linear(what, linear, dim)?;
        if linear.outputs != attention_dim {
            return fail(what, format!("{attention_dim} outputs"), linear.outputs);
        }
    }
    if layer.heads == 0 || !attention_dim.is_multiple_of(layer.heads) {
        return fail("heads", format!("a divisor of {attention_dim}"), layer.heads);
    }
    check_multiple("the dimension of a head", attention_dim / layer.heads)?;
    if !(layer.scale >= 0.0 && layer.scale.is_finite()) {
        return fail("the scale of the attention", "a finite number of at least 0", layer.scale);
    }
    check_linear("the output of the attention", &layer.attention_output, attention_dim)?;
    check_outputs("the output of the attention", &layer.attention_output, dim)?;
    check_norm("the normalization of the attention", &layer.attention_norm, dim)?;
    check_linear("the feed-forward network", &layer.intermediate, dim)?;
    check_multiple("the hidden layer of the feed-forward network", layer.intermediate.outputs)?;
    check_linear("the output of the feed-forward network", &layer.output, layer.intermediate.outputs)?;
    check_outputs("the output of the feed-forward network", &layer.output, dim)?;
    check_norm("the normalization of the feed-forward network", &layer.output_norm, dim)
}

fn check_relative_position_biases(biases: &RelativePositionBiases, layers: &[Layer]) -> Result<(), Error> {
    let heads = biases.heads;
    if RelativePositionBiases::BUCKETS.checked_mul(heads) != Some(biases.values.len()) {
        let expected = format!("{} times {heads}", RelativePositionBiases::BUCKETS);
        return fail("the relative position biases", expected, biases.values.len());
    }
    match layers.iter().find(|layer| layer.heads != heads) {
        Some(layer) => fail(
            "heads",
            format!("{heads}, the number of heads of the relative position biases"),
            layer.heads,
        ),
        None => Ok(()),
    }
}

fn check_linear(what: &str, linear: &Linear, inputs: usize) -> Result<(), Error> {
    let outputs = linear.outputs;
    if linear.inputs != inputs {
        return fail(what, format!("{inputs} inputs"), linear.inputs);
    }
    if inputs > MAX_INPUTS {
        return fail(what, format!("at most {MAX_INPUTS} inputs"), inputs);
    }
    let (got, scales) = match &linear.weights {
        Matrix::F32(values) => (values.len(), outputs),
        Matrix::I8 { bytes, scales } => (bytes.len(), scales.len()),
    };
    if outputs == 0 || inputs.checked_mul(outputs) != Some(got) {
        return fail(what, format!("{inputs} times {outputs} weights"), got);
    }
    if linear.bias.len() != outputs || scales != outputs {
        let got = format!("{} and {scales}", linear.bias.len());
        return fail(what, format!("{outputs} biases and as many scales"), got);
    }
    Ok(())
}

fn check_outputs(what: &str, linear: &Linear, outputs: usize) -> Result<(), Error> {
    if linear.outputs == outputs { Ok(()) } else { fail(what, format!("{outputs} outputs"), linear.outputs) }
}

fn check_norm(what: &str, norm: &Norm, dim: usize) -> Result<(), Error> {
    if norm.weight.len() != dim || norm.bias.len() != dim {
        let got = format!("{} and {}", norm.weight.len(), norm.bias.len());
        return fail(what, format!("{dim} weights and as many biases"), got);
    }
    Ok(())
}

fn check_multiple(what: &str, got: usize) -> Result<(), Error> {
    if got > 0 && got.is_multiple_of(LANES) {
        Ok(())
    } else {
        fail(what, format!("a multiple of {LANES}"), got)
    }
}

fn fail(what: &str, expected: impl Into<String>, got: impl ToString) -> Result<(), Error> {
    Err(Error::Weights { what: what.to_owned(), expected: expected.into(), got: got.to_string() })
}
