//! Rounds the weights of a model to bytes: [`quantize`], and converts bytes to floats again: [`dequantize`].
//!
//! Matrices are quantized symmetrically, with one scale for each output, and tables of embeddings asymmetrically, with
//! one scale and one zero point. The models of ONNX Runtime's dynamic quantization (`quantize_dynamic` with
//! `per_channel`) have the same form. The inputs of matrices are quantized at run time.

use crate::weights::{Head, Linear, Matrix, Table, TableValues, Weights};

/// The range of the bytes of matrices.
///
/// The kernels of this crate multiply signed bytes of the full range exactly on every CPU. ONNX Runtime does not: on
/// x86-64 CPUs without VNNI, it adds up pairs of products of an unsigned and a signed byte in 16 bits (`vpmaddubsw`).
/// Such a sum can be 2 · 255 · 127 = 64,770, but it is limited to 32,767. With 7 bits, sums are at most
/// 2 · 255 · 63 = 32,130. ONNX Runtime calls this option `reduce_range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bits {
    /// −63 to 63: exact with ONNX Runtime on every CPU, but rounded twice as much.
    Seven,
    /// −127 to 127: for this crate, and for ONNX Runtime on CPUs with VNNI.
    #[default]
    Eight,
}

impl Bits {
    /// The greatest byte of a matrix.
    #[must_use]
    pub fn max_byte(self) -> i8 {
        match self {
            Self::Seven => 63,
            Self::Eight => 127,
        }
    }
}

/// Rounds all matrices and tables of floats to bytes. Biases (including relative position biases) and normalizations stay
/// floats, and matrices and tables of bytes stay as they are.
///
/// A weight differs from its byte times the scale by at most half of the scale. `bits` is the range of the bytes of
/// matrices; tables always have 8 bits. All weights must be finite.
#[must_use]
pub fn quantize(weights: &Weights, bits: Bits) -> Weights {
    convert(weights, quantize_table, |linear| quantize_matrix(linear, bits))
}

/// Replaces all bytes by the floats that they stand for. Floats stay as they are.
#[must_use]
pub fn dequantize(weights: &Weights) -> Weights {
    convert(weights, dequantize_table, dequantize_matrix)
}

/// Converts all tables and matrices of a model.
fn convert(weights: &Weights, table: impl Fn(&mut Table), matrix: impl Fn(&mut Linear)) -> Weights {
    let mut weights = weights.clone();
    let embeddings = &mut weights.embeddings;
    let tables = [&mut embeddings.words, &mut embeddings.positions].into_iter().chain(&mut embeddings.types);
    tables.for_each(table);
    for layer in &mut weights.layers {
        let linears = [&mut layer.query, &mut layer.key, &mut layer.value, &mut layer.attention_output];
        linears.into_iter().chain([&mut layer.intermediate, &mut layer.output]).for_each(&matrix);
    }
    for output in &mut weights.outputs {
        match &mut output.head {
            Head::HiddenStates | Head::FirstToken => {}
            Head::TokenLogits { linear, .. }
            | Head::FirstTokenLogits { linear, .. }
            | Head::Pooler(linear) => matrix(linear),
        }
    }
    weights
}

fn dequantize_matrix(linear: &mut Linear) {
    let Matrix::I8 { bytes, scales } = &linear.weights else { return };
    let rows = bytes.chunks_exact(linear.outputs.max(1));
    let values = rows.flat_map(|row| row.iter().zip(scales).map(|(byte, scale)| f32::from(*byte) * scale));
    linear.weights = Matrix::F32(values.collect());
}

fn dequantize_table(table: &mut Table) {
    if matches!(table.values, TableValues::U8 { .. }) {
        table.values = TableValues::F32(table.to_floats());
    }
}

/// Rounds a matrix to signed bytes, column by column. The greatest absolute value of a column becomes the greatest
/// byte.
fn quantize_matrix(linear: &mut Linear, bits: Bits) {
    let Matrix::F32(values) = &linear.weights else { return };
    let columns = linear.outputs.max(1);
    let mut scales = vec![0.0f32; linear.outputs];
    for row in values.chunks_exact(columns) {
        for (max, value) in scales.iter_mut().zip(row) {
            *max = max.max(value.abs());
        }
    }
    let max_byte = f32::from(bits.max_byte());
    for scale in &mut scales {
        *scale = nonzero(*scale / max_byte);
    }
    let to_byte =
        |(value, scale): (&f32, &f32)| (value / scale).round_ties_even().clamp(-max_byte, max_byte) as i8;
    let bytes = values.chunks_exact(columns).flat_map(|row| row.iter().zip(&scales).map(to_byte)).collect();
    linear.weights = Matrix::I8 { bytes, scales };
}

/// Rounds a table to unsigned bytes, which cover the range of its values. The range includes 0.
fn quantize_table(table: &mut Table) {
    let TableValues::F32(values) = &table.values else { return };
    let min = values.iter().copied().fold(0.0, f32::min);
    let max = values.iter().copied().fold(0.0, f32::max);
    let scale = nonzero(max / 255.0 - min / 255.0);
    let zero = (-min / scale).round_ties_even().clamp(0.0, 255.0);
    let to_byte = |value: &f32| ((value / scale).round_ties_even() + zero).clamp(0.0, 255.0) as u8;
    let bytes = values.iter().map(to_byte).collect();
    table.values = TableValues::U8 { bytes, scale, zero: zero as u8 };
}

/// The scale of values that are all 0 is arbitrary, but must not be 0.
fn nonzero(scale: f32) -> f32 {
    if scale > 0.0 { scale } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(values: Vec<f32>, outputs: usize) -> Linear {
        let inputs = values.len() / outputs;
        Linear { inputs, outputs, weights: Matrix::F32(values), bias: vec![0.0; outputs] }
    }

    #[test]
    fn each_column_has_a_scale_of_its_own() {
        // Columns (127, −63.4, 1) and (0.5, 0, −1).
        let mut matrix = linear(vec![127.0, 0.5, -63.4, 0.0, 1.0, -1.0], 2);
        quantize_matrix(&mut matrix, Bits::Eight);
        let Matrix::I8 { bytes, scales } = &matrix.weights else { panic!("bytes") };
        assert_eq!(scales, &[1.0, 1.0 / 127.0]);
        // 0.5 · 127 = 63.5, which is rounded to the even neighbor.
        assert_eq!(bytes, &[127, 64, -63, 0, 1, -127]);
    }

    #[test]
    fn seven_bits_are_at_most_63() {
        let mut matrix = linear(vec![1.0, -1.0, 0.25], 1);
        quantize_matrix(&mut matrix, Bits::Seven);
        let Matrix::I8 { bytes, scales } = &matrix.weights else { panic!("bytes") };
        assert_eq!((bytes.as_slice(), scales.as_slice()), (&[63, -63, 16][..], &[1.0 / 63.0][..]));
    }

    #[test]
    fn bytes_become_the_floats_that_they_stand_for() {
        let values = vec![127.0, 0.5, -63.4, 0.0, 1.0, -1.0];
        let mut matrix = linear(values.clone(), 2);
        dequantize_matrix(&mut matrix);
        assert_eq!(matrix.weights, Matrix::F32(values));
        quantize_matrix(&mut matrix, Bits::Eight);
        dequantize_matrix(&mut matrix);
        assert_eq!(matrix.weights, Matrix::F32(vec![127.0, 64.0 / 127.0, -63.0, 0.0, 1.0, -1.0]));
        let bytes = TableValues::U8 { bytes: vec![0, 3, 255], scale: 0.5, zero: 3 };
        let mut table = Table { rows: 1, dim: 3, values: bytes };
        dequantize_table(&mut table);
        assert_eq!(table.values, TableValues::F32(vec![-1.5, 0.0, 126.0]));
    }

    #[test]
    fn zeros_stay_zeros() {
        let mut matrix = linear(vec![0.0; 4], 2);
        quantize_matrix(&mut matrix, Bits::Eight);
        assert_eq!(matrix.weights, Matrix::I8 { bytes: vec![0; 4], scales: vec![1.0; 2] });
        let mut table = Table { rows: 1, dim: 2, values: TableValues::F32(vec![0.0; 2]) };
        quantize_table(&mut table);
        assert_eq!(table.values, TableValues::U8 { bytes: vec![0; 2], scale: 1.0, zero: 0 });
    }

    #[test]
    fn bytes_of_tables_cover_the_range_of_the_values() {
        let mut table = Table { rows: 1, dim: 3, values: TableValues::F32(vec![-1.0, 0.0, 1.55]) };
        quantize_table(&mut table);
        let TableValues::U8 { bytes, scale, zero } = table.values else { panic!("bytes") };
        assert!((scale - 0.01).abs() < 1e-7);
        assert_eq!((bytes.as_slice(), zero), (&[0, 100, 255][..], 100));
        let mut positive = Table { rows: 1, dim: 2, values: TableValues::F32(vec![1.0, 2.55]) };
        quantize_table(&mut positive);
        assert!(matches!(&positive.values, TableValues::U8 { bytes, zero: 0, .. } if bytes == &[100, 255]));
    }
}
