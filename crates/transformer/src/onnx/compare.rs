//! Compares the weights that were recognized with texts of different lengths: [`are_same`].

use crate::weights::{
    Embeddings, Head, Layer, Linear, Matrix, Norm, Output, RelativePositionBiases, Table, TableValues,
    Weights,
};

/// Whether two models are the same, bit for bit. Unlike with `==`, NaN is the same as NaN.
pub(super) fn are_same(a: &Weights, b: &Weights) -> bool {
    embeddings(&a.embeddings, &b.embeddings)
        && are_same_biases(a.relative_position_biases.as_ref(), b.relative_position_biases.as_ref())
        && all(&a.layers, &b.layers, layer)
        && all(&a.outputs, &b.outputs, output)
}

/// Whether both models have no relative position biases, or the same ones.
pub(super) fn are_same_biases(
    a: Option<&RelativePositionBiases>,
    b: Option<&RelativePositionBiases>,
) -> bool {
    all(a.as_slice(), b.as_slice(), |a, b| a.heads == b.heads && floats(&a.values, &b.values))
}

fn all<T>(a: &[T], b: &[T], are_same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| are_same(a, b))
}

fn floats(a: &[f32], b: &[f32]) -> bool {
    all(a, b, |a, b| a.to_bits() == b.to_bits())
}

fn embeddings(a: &Embeddings, b: &Embeddings) -> bool {
    table(&a.words, &b.words)
        && table(&a.positions, &b.positions)
        && a.first_position == b.first_position
        && all(a.types.as_slice(), b.types.as_slice(), table)
        && a.has_type_input == b.has_type_input
        && norm(&a.norm, &b.norm)
}

fn table(a: &Table, b: &Table) -> bool {
    let values = match (&a.values, &b.values) {
        (TableValues::F32(a), TableValues::F32(b)) => floats(a, b),
        (
            TableValues::U8 { bytes, scale, zero },
            TableValues::U8 { bytes: other_bytes, scale: other_scale, zero: other_zero },
        ) => bytes == other_bytes && scale.to_bits() == other_scale.to_bits() && zero == other_zero,
        _ => false,
    };
    (a.rows, a.dim) == (b.rows, b.dim) && values
}

fn norm(a: &Norm, b: &Norm) -> bool {
    floats(&a.weight, &b.weight) && floats(&a.bias, &b.bias) && a.epsilon.to_bits() == b.epsilon.to_bits()
}

fn linear(a: &Linear, b: &Linear) -> bool {
    let weights = match (&a.weights, &b.weights) {
        (Matrix::F32(a), Matrix::F32(b)) => floats(a, b),
        (Matrix::I8 { bytes, scales }, Matrix::I8 { bytes: other_bytes, scales: other_scales }) => {
            bytes == other_bytes && floats(scales, other_scales)
        }
        _ => false,
    };
    (a.inputs, a.outputs) == (b.inputs, b.outputs) && weights && floats(&a.bias, &b.bias)
}

fn layer(a: &Layer, b: &Layer) -> bool {
    linear(&a.query, &b.query)
        && linear(&a.key, &b.key)
        && linear(&a.value, &b.value)
        && a.heads == b.heads
        && a.scale.to_bits() == b.scale.to_bits()
        && linear(&a.attention_output, &b.attention_output)
        && norm(&a.attention_norm, &b.attention_norm)
        && linear(&a.intermediate, &b.intermediate)
        && linear(&a.output, &b.output)
        && norm(&a.output_norm, &b.output_norm)
}

fn output(a: &Output, b: &Output) -> bool {
    let head = match (&a.head, &b.head) {
        (Head::HiddenStates, Head::HiddenStates) | (Head::FirstToken, Head::FirstToken) => true,
        (Head::TokenLogits { linear: a, column: i }, Head::TokenLogits { linear: b, column: j })
        | (
            Head::FirstTokenLogits { linear: a, column: i },
            Head::FirstTokenLogits { linear: b, column: j },
        ) => i == j && linear(a, b),
        (Head::Pooler(a), Head::Pooler(b)) => linear(a, b),
        _ => false,
    };
    a.name == b.name && head
}
