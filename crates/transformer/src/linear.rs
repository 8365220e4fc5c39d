//! [`PreparedLinear`]: a linear function, arranged for products.

use kernels::network::{ByteWeights, FloatRows, FloatWeights, NetworkKernels, QuantizedRows};

use crate::weights::{Linear, Matrix};

/// A linear function, arranged for products.
#[derive(Debug)]
pub(crate) enum PreparedLinear {
    /// With weights of signed bytes. The inputs are quantized row by row.
    Bytes(ByteWeights),
    /// With weights of floats.
    Floats(FloatWeights),
}

impl PreparedLinear {
    pub(crate) fn new(linear: &Linear) -> Self {
        let (inputs, outputs) = (linear.inputs, linear.outputs);
        match &linear.weights {
            Matrix::I8 { bytes, scales } => {
                Self::Bytes(ByteWeights::new(inputs, outputs, bytes, scales, &linear.bias))
            }
            Matrix::F32(values) => Self::Floats(FloatWeights::new(inputs, outputs, values, &linear.bias)),
        }
    }

    /// Number of inputs.
    pub(crate) fn inputs(&self) -> usize {
        match self {
            Self::Bytes(weights) => weights.inputs(),
            Self::Floats(weights) => weights.inputs(),
        }
    }

    /// Number of outputs.
    pub(crate) fn outputs(&self) -> usize {
        match self {
            Self::Bytes(weights) => weights.outputs(),
            Self::Floats(weights) => weights.outputs(),
        }
    }

    /// Number of values in a row of the result: the number of outputs, rounded up to a multiple of sixteen.
    pub(crate) fn stride(&self) -> usize {
        match self {
            Self::Bytes(weights) => weights.stride(),
            Self::Floats(weights) => weights.stride(),
        }
    }

    /// Applies the function to rows. Row i begins at `values[i * stride]`. `out` becomes a row-major matrix
    /// `[rows, self.stride()]`, whose last columns may be padding.
    pub(crate) fn apply(
        &self,
        kernels: &NetworkKernels,
        values: &[f32],
        stride: usize,
        quantized: &mut QuantizedRows,
        out: &mut Vec<f32>,
    ) {
        let rows = values.len().div_ceil(stride);
        out.resize(rows * self.stride(), 0.0);
        match self {
            Self::Bytes(weights) => {
                if quantized.inputs() != weights.inputs() {
                    *quantized = QuantizedRows::new(weights.inputs());
                }
                kernels.quantize(values, stride, quantized);
                kernels.multiply_bytes(quantized, weights, out);
            }
            Self::Floats(weights) => {
                let rows = FloatRows { values, rows, inputs: weights.inputs(), stride };
                let out_stride = weights.stride();
                kernels.multiply_floats(rows, weights.blocks(), Some(weights.biases()), out, out_stride);
            }
        }
    }
}

/// Joins linear functions of the same inputs into one, whose outputs are those of the first, then those of the second,
/// and so on.
pub(crate) fn join(linears: &[&Linear]) -> Linear {
    let inputs = linears[0].inputs;
    let outputs = linears.iter().map(|linear| linear.outputs).sum();
    let bias = linears.iter().flat_map(|linear| linear.bias.iter().copied()).collect();
    let bytes: Option<Vec<(&[i8], &[f32])>> = linears
        .iter()
        .map(|linear| match &linear.weights {
            Matrix::I8 { bytes, scales } => Some((bytes.as_slice(), scales.as_slice())),
            Matrix::F32(_) => None,
        })
        .collect();
    let weights = match bytes {
        Some(matrices) => {
            let scales = matrices.iter().flat_map(|(_, scales)| scales.iter().copied()).collect();
            let rows = linears.iter().zip(matrices).map(|(linear, (bytes, _))| (bytes, linear.outputs));
            Matrix::I8 { bytes: join_rows(&rows.collect::<Vec<_>>(), inputs), scales }
        }
        None => {
            let matrices: Vec<Vec<f32>> = linears.iter().map(|linear| floats(linear)).collect();
            let rows =
                linears.iter().zip(&matrices).map(|(linear, values)| (values.as_slice(), linear.outputs));
            Matrix::F32(join_rows(&rows.collect::<Vec<_>>(), inputs))
        }
    };
    Linear { inputs, outputs, weights, bias }
}

/// Joins row-major matrices, each with its number of columns, row by row.
fn join_rows<T: Copy>(matrices: &[(&[T], usize)], rows: usize) -> Vec<T> {
    let row =
        |at: usize| matrices.iter().flat_map(move |(values, columns)| &values[at * columns..][..*columns]);
    (0..rows).flat_map(row).copied().collect()
}

/// The weights as floats.
fn floats(linear: &Linear) -> Vec<f32> {
    match &linear.weights {
        Matrix::F32(values) => values.clone(),
        Matrix::I8 { bytes, scales } => bytes
            .chunks_exact(linear.outputs.max(1))
            .flat_map(|row| row.iter().zip(scales).map(|(&byte, scale)| f32::from(byte) * scale))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_functions_have_the_outputs_of_all_functions() {
        let first = Linear {
            inputs: 2,
            outputs: 1,
            weights: Matrix::I8 { bytes: vec![1, 2], scales: vec![0.5] },
            bias: vec![0.25],
        };
        let second = Linear {
            inputs: 2,
            outputs: 2,
            weights: Matrix::I8 { bytes: vec![3, 4, 5, 6], scales: vec![1.0, 2.0] },
            bias: vec![1.0, 2.0],
        };
        let joined = join(&[&first, &second]);
        assert_eq!((joined.inputs, joined.outputs), (2, 3));
        assert_eq!(joined.bias, [0.25, 1.0, 2.0]);
        let expected = Matrix::I8 { bytes: vec![1, 3, 4, 2, 5, 6], scales: vec![0.5, 1.0, 2.0] };
        assert_eq!(joined.weights, expected);
        let third = Linear { weights: Matrix::F32(vec![7.0, 8.0]), ..first.clone() };
        assert_eq!(join(&[&first, &third]).weights, Matrix::F32(vec![0.5, 7.0, 1.0, 8.0]));
    }
}
