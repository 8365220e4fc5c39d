//! The operands of matrix products: [`QuantizedRows`] and [`FloatRows`], which weights multiply, and [`FloatBlocks`],
//! the second operand of products of floats.

use super::LANES;

/// Rows of activations as unsigned bytes, with a scale and a zero point for each row: a byte b stands for
/// (b − zero point) · scale.
///
/// Each row has its own scale, so its bytes do not depend on the other rows. (The operator `DynamicQuantizeLinear` of
/// ONNX has one scale for a whole batch.) [`NetworkKernels::quantize`](super::NetworkKernels::quantize) makes the rows.
#[derive(Debug, Clone, Default)]
pub struct QuantizedRows {
    inputs: usize,
    /// The bytes of each row, followed by zeros up to a multiple of four.
    bytes: Vec<u8>,
    pub(super) scales: Vec<f32>,
    pub(super) zeros: Vec<i32>,
}

impl QuantizedRows {
    /// Makes an empty list of rows of `inputs` values.
    #[must_use]
    pub fn new(inputs: usize) -> Self {
        Self { inputs, ..Self::default() }
    }

    /// Number of values in a row.
    #[must_use]
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.scales.len()
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    /// Makes room for a number of rows. The caller sets their bytes, scales and zero points.
    pub(super) fn resize(&mut self, rows: usize) {
        // The bytes between rows are always at the same places, so they stay 0.
        self.bytes.resize(rows * self.inputs.next_multiple_of(4), 0);
        self.scales.resize(rows, 0.0);
        self.zeros.resize(rows, 0);
    }

    /// The bytes of a row, for writing.
    pub(super) fn bytes_mut(&mut self, row: usize) -> &mut [u8] {
        &mut self.bytes[row * self.inputs.next_multiple_of(4)..][..self.inputs]
    }

    /// The bytes of a row, in chunks of four.
    pub(super) fn row(&self, row: usize) -> &[[u8; 4]] {
        let steps = self.inputs.div_ceil(4);
        &self.bytes.as_chunks().0[row * steps..][..steps]
    }
}

/// Rows of floats: row i begins at `values[i * stride]`.
#[derive(Debug, Clone, Copy)]
pub struct FloatRows<'a> {
    /// The values of all rows.
    pub values: &'a [f32],
    /// Number of rows.
    pub rows: usize,
    /// Number of values that are multiplied in each row.
    pub inputs: usize,
    /// Distance between the beginnings of two rows.
    pub stride: usize,
}

impl<'a> FloatRows<'a> {
    /// A row.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &'a [f32] {
        &self.values[row * self.stride..][..self.inputs]
    }
}

/// The second operand of a product of floats: a matrix in blocks of sixteen columns. The sixteen values of input i in
/// block b begin at `values[b * block_stride + i * input_stride]`.
#[derive(Debug, Clone, Copy)]
pub struct FloatBlocks<'a> {
    /// The values of all blocks.
    pub values: &'a [f32],
    /// Number of rows of the matrix.
    pub inputs: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Distance between the beginnings of two blocks.
    pub block_stride: usize,
    /// Distance between two inputs.
    pub input_stride: usize,
}

impl<'a> FloatBlocks<'a> {
    /// The values of an input in a block.
    #[inline(always)]
    pub(super) fn lanes(&self, block: usize, input: usize) -> &'a [f32; LANES] {
        let start = block * self.block_stride + input * self.input_stride;
        self.values[start..start + LANES].first_chunk().expect("the slice has this length")
    }
}
