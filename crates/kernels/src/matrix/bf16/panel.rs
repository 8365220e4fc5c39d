//! A part of an operand that is packed.

use std::ops::Range;

use crate::matrix::Matrix;

/// Some rows of a matrix, in a range of columns. The columns are the inner dimension of the product; a panel of the second
/// operand consists of rows of its transpose.
#[derive(Debug)]
pub(super) struct Panel<'a> {
    pub matrix: Matrix<'a>,
    /// The first row.
    pub first: usize,
    /// Number of rows, at most `width`.
    pub rows: usize,
    pub inner: Range<usize>,
    /// Number of rows of a whole panel.
    pub width: usize,
}

impl Panel<'_> {
    /// The slice that begins with the value at a row and an inner position of the panel.
    pub fn values_from(&self, row: usize, inner: usize) -> &[f32] {
        let [row_stride, inner_stride] = self.matrix.strides();
        &self.matrix.values()[(self.first + row) * row_stride + (self.inner.start + inner) * inner_stride..]
    }
}
