//! [`NetworkKernels`]: the public functions, which check their arguments.

use super::{ByteWeights, FloatBlocks, FloatRows, LANES, QuantizedRows};

type MultiplyBytesFn = unsafe fn(&QuantizedRows, &ByteWeights, &mut [f32]);
/// `(rows, matrix, bias, out, stride of out)`
type MultiplyFloatsFn = unsafe fn(FloatRows<'_>, FloatBlocks<'_>, Option<&[f32]>, &mut [f32], usize);
/// `(row, residual, weight, bias, epsilon)`
type NormalizeFn = unsafe fn(&mut [f32], Option<&[f32]>, &[f32], &[f32], f32);
/// `(row, scale)`
type SoftmaxFn = unsafe fn(&mut [f32], f32);
type GeluFn = unsafe fn(&mut [f32]);
/// `(row, bytes)` returns the scale and the zero point.
type QuantizeFn = unsafe fn(&[f32], &mut [u8]) -> (f32, i32);

/// Operations of a neural network with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`NetworkKernels::detect`],
/// [`NetworkKernels::available`] and [`NetworkKernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct NetworkKernels {
    pub(super) name: &'static str,
    pub(super) multiply_bytes: MultiplyBytesFn,
    pub(super) multiply_floats: MultiplyFloatsFn,
    pub(super) normalize: NormalizeFn,
    pub(super) softmax: SoftmaxFn,
    pub(super) gelu: GeluFn,
    pub(super) quantize: QuantizeFn,
}

impl NetworkKernels {
    /// Multiplies quantized rows by weights and adds the biases. `out` is a row-major matrix
    /// `[rows, weights.stride()]`; values beyond the number of outputs are 0.
    ///
    /// # Panics
    ///
    /// If the numbers of inputs differ, or if `out` has a different length.
    pub fn multiply_bytes(&self, rows: &QuantizedRows, weights: &ByteWeights, out: &mut [f32]) {
        let (expected, got) = (weights.inputs(), rows.inputs());
        assert!(expected == got, "product: expected rows of {expected} values, got {got}");
        let (expected, got) = (rows.len() * weights.stride(), out.len());
        assert!(expected == got, "product: expected room for {expected} values, got {got}");
        // SAFETY: `self` exists, so the CPU has the features that `self.multiply_bytes` needs.
        unsafe { (self.multiply_bytes)(rows, weights, out) }
    }

    /// Multiplies rows of floats by a matrix, and adds a value for each column if there is a `bias`. Row i of the
    /// result begins at `out[i * stride]` and has a value for each column of all blocks.
    ///
    /// # Panics
    ///
    /// If the numbers of inputs differ, or if an operand or `out` is too short.
    pub fn multiply_floats(
        &self,
        rows: FloatRows<'_>,
        matrix: FloatBlocks<'_>,
        bias: Option<&[f32]>,
        out: &mut [f32],
        stride: usize,
    ) {
        let (expected, got) = (matrix.inputs, rows.inputs);
        assert!(expected == got, "product: expected rows of {expected} values, got {got}");
        let columns = matrix.blocks * LANES;
        let got = bias.map_or(columns, <[f32]>::len);
        assert!(got == columns, "product: expected {columns} biases, got {got}");
        assert!(stride >= columns, "product: expected a stride of at least {columns}, got {stride}");
        // SAFETY: `self` exists, so the CPU has the features that `self.multiply_floats` needs. It indexes slices with
        // checks.
        unsafe { (self.multiply_floats)(rows, matrix, bias, out, stride) }
    }

    /// Adds `residual` to `row`, if there is one, and normalizes the sum x (Ba et al., 2016, equation 4):
    /// (x − mean) / √(variance + epsilon) · weight + bias.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn normalize(
        &self,
        row: &mut [f32],
        residual: Option<&[f32]>,
        weight: &[f32],
        bias: &[f32],
        epsilon: f32,
    ) {
        let expected = row.len();
        let got = [residual.map_or(expected, <[f32]>::len), weight.len(), bias.len()];
        assert!(got.iter().all(|&got| got == expected), "normalize: expected {expected} values, got {got:?}");
        // SAFETY: `self` exists, so the CPU has the features that `self.normalize` needs.
        unsafe { (self.normalize)(row, residual, weight, bias, epsilon) }
    }

    /// Replaces each value x with exp(`scale` · x), divided by the sum of all these. The relative error of the
    /// exponentials is at most 2⁻²², except that exponentials below e⁻⁸⁷ become 0.
    ///
    /// # Panics
    ///
    /// If `scale` is negative or NaN.
    pub fn softmax(&self, row: &mut [f32], scale: f32) {
        assert!(scale >= 0.0, "softmax: expected a scale of at least 0, got {scale}");
        // SAFETY: `self` exists, so the CPU has the features that `self.softmax` needs.
        unsafe { (self.softmax)(row, scale) }
    }

    /// Replaces each value x with GELU(x) = x · Φ(x), where Φ is the cumulative distribution function of the standard
    /// normal distribution (Hendrycks and Gimpel, 2016, §2). The error of Φ is below 2 · 10⁻⁷.
    pub fn gelu(&self, values: &mut [f32]) {
        // SAFETY: `self` exists, so the CPU has the features that `self.gelu` needs.
        unsafe { (self.gelu)(values) }
    }

    /// Replaces `rows` with the quantized rows of a row-major matrix. Row i begins at `values[i * stride]`; other
    /// values may be between the rows.
    ///
    /// The scale of a row is (maximum − minimum) / 255, where minimum and maximum include 0, and the zero point is the
    /// byte nearest to −minimum / scale, as in ONNX's `DynamicQuantizeLinear`. If any value is NaN or infinite, the
    /// scale is not finite.
    ///
    /// # Panics
    ///
    /// If `stride` is less than the number of values in a row.
    pub fn quantize(&self, values: &[f32], stride: usize, rows: &mut QuantizedRows) {
        let inputs = rows.inputs();
        assert!(stride >= inputs, "rows: expected a stride of at least {inputs}, got {stride}");
        rows.resize(if inputs == 0 { 0 } else { values.len().div_ceil(stride) });
        for (row, values) in values.chunks(stride.max(1)).enumerate().take(rows.len()) {
            // SAFETY: `self` exists, so the CPU has the features that `self.quantize` needs.
            let (scale, zero) = unsafe { (self.quantize)(&values[..inputs], rows.bytes_mut(row)) };
            (rows.scales[row], rows.zeros[row]) = (scale, zero);
        }
    }
}
