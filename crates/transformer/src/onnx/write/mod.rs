//! Writes models as ONNX files: [`write()`] and [`to_bytes`].
//!
//! The graph uses only standard operators of version 17, in the forms of the usual exporters, which ONNX Runtime fuses.
//! `builder.rs` makes nodes and constants. The other files write one part of the architecture each: `embeddings.rs`,
//! `scores.rs` (the terms that are added to the attention scores), `layer.rs`, `linear.rs` (linear functions of floats
//! and bytes) and `outputs.rs`.

mod builder;
mod embeddings;
mod error;
mod layer;
mod linear;
mod outputs;
mod scores;

use std::path::Path;

use prost::Message;

use builder::Builder;
use error::MAX_BYTES;
pub use error::WriteError;

use super::format::{ModelProto, OperatorSetIdProto};
use crate::check;
use crate::weights::{Head, Linear, Matrix, Table, TableValues, Weights};

/// The version of the standard operators. It is the first one with `LayerNormalization`.
const OPSET: i64 = 17;
/// The version of the format that belongs to it.
const IR_VERSION: i64 = 8;

/// Writes an ONNX file that computes the outputs of a model. An existing file is replaced atomically.
///
/// The inputs are `input_ids`, `attention_mask` and, if the model has it, `token_type_ids`: 64-bit integers of the
/// shape `[batch, sequence]`. If the first position is not 0, the positions count the tokens that the mask does not
/// hide, as in RoBERTa. The outputs have the names and shapes of [`Weights::outputs`]. Matrices of bytes are written as
/// `DynamicQuantizeLinear` and `MatMulInteger`, like those of ONNX Runtime's dynamic quantization, and tables of bytes
/// as `DequantizeLinear`.
///
/// [`read`](super::read) returns the same weights from the file, bit for bit, if it accepts the model: it requires that
/// the heads have as many dimensions in all as the hidden states, a positive scale of the attention, and at most 2,048
/// tokens. Of a table of token types without the input `token_type_ids`, only the first row is written.
///
/// # Errors
///
/// [`WriteError::Weights`] if the sizes of the weights do not fit together; [`WriteError::Output`] if there are no
/// outputs, or the name of an output is not valid; [`WriteError::TooLarge`] if the file would have 2 GiB or more;
/// [`WriteError::Storage`] if the file cannot be written. The old file stays unchanged.
pub fn write(weights: &Weights, path: &Path) -> Result<(), WriteError> {
    Ok(storage::replace(path, &to_bytes(weights)?)?)
}

/// Returns the bytes of the file that [`write()`] writes.
///
/// # Errors
///
/// [`WriteError::Weights`], [`WriteError::Output`] and [`WriteError::TooLarge`], as [`write()`] documents.
pub fn to_bytes(weights: &Weights) -> Result<Vec<u8>, WriteError> {
    check::check(weights)?;
    // Before the weights are copied.
    check_size(byte_count(weights))?;
    let mut builder = Builder::default();
    let hidden = builder.embeddings(&weights.embeddings);
    let addends = builder.score_addends(weights);
    let hidden = weights
        .layers
        .iter()
        .enumerate()
        .fold(hidden, |hidden, (number, layer)| builder.layer(number, layer, &hidden, &addends));
    builder.outputs(&weights.outputs, &hidden, weights.embeddings.words.dim)?;
    let standard = OperatorSetIdProto { domain: String::new(), version: Some(OPSET) };
    let model = ModelProto {
        ir_version: Some(IR_VERSION),
        opset_import: vec![standard],
        producer_name: "passagekit".to_owned(),
        producer_version: env!("CARGO_PKG_VERSION").to_owned(),
        graph: Some(builder.finish()),
        ..ModelProto::default()
    };
    check_size(model.encoded_len())?;
    Ok(model.encode_to_vec())
}

fn check_size(bytes: usize) -> Result<(), WriteError> {
    if bytes <= MAX_BYTES { Ok(()) } else { Err(WriteError::TooLarge { bytes }) }
}

/// Number of bytes of the tables and matrices. Outputs that share a matrix count it several times, but matrices of
/// outputs are small.
fn byte_count(weights: &Weights) -> usize {
    let table = |table: &Table| match &table.values {
        TableValues::F32(values) => size_of_val(values.as_slice()),
        TableValues::U8 { bytes, .. } => bytes.len(),
    };
    let matrix = |linear: &Linear| match &linear.weights {
        Matrix::F32(values) => size_of_val(values.as_slice()),
        Matrix::I8 { bytes, .. } => bytes.len(),
    };
    let embeddings = &weights.embeddings;
    let tables = [&embeddings.words, &embeddings.positions].into_iter().chain(&embeddings.types).map(table);
    let layers = weights.layers.iter().flat_map(|layer| {
        [&layer.query, &layer.key, &layer.value, &layer.attention_output, &layer.intermediate, &layer.output]
    });
    let heads = weights.outputs.iter().filter_map(|output| match &output.head {
        Head::HiddenStates | Head::FirstToken => None,
        Head::TokenLogits { linear, .. } | Head::FirstTokenLogits { linear, .. } | Head::Pooler(linear) => {
            Some(linear)
        }
    });
    tables.chain(layers.chain(heads).map(matrix)).fold(0, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_two_gibibytes_are_refused() {
        assert!(check_size((1 << 31) - 1).is_ok());
        let error = check_size(1 << 31).expect_err("too large");
        assert!(matches!(error, WriteError::TooLarge { bytes: 0x8000_0000 }));
        assert_eq!(
            error.to_string(),
            "ONNX file: expected at most 2147483647 bytes, the limit of the format, got 2147483648"
        );
    }
}
