//! Products of matrices of `f32`, with any strides, and the transpose of a matrix. The crate `gemm` computes products;
//! this module checks that the operands are within their slices, so that callers need no `unsafe`. [`Bf16Kernels`] computes
//! products of operands that are rounded to bfloat16.
//!
//! ```
//! use kernels::matrix::{Matrix, multiply};
//!
//! let a = [1.0, 2.0, 3.0, 4.0]; // [[1, 2], [3, 4]]
//! let b = [1.0, 0.0, 1.0, 1.0]; // [[1, 0], [1, 1]]
//! let mut product = [0.0; 4];
//! multiply(Matrix::new(&a, 2, 2), Matrix::new(&b, 2, 2).transposed(), &mut product, 2, false);
//! assert_eq!(product, [1.0, 3.0, 3.0, 7.0]);
//! ```

mod bf16;

use gemm::Parallelism;

pub use self::bf16::Bf16Kernels;

/// A matrix in a slice: the value in row i and column j is at i · `row_stride` + j · `column_stride`.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    /// A row-major matrix without gaps, at the beginning of a slice.
    ///
    /// # Panics
    ///
    /// If the slice is too short.
    #[must_use]
    pub fn new(values: &'a [f32], rows: usize, columns: usize) -> Self {
        Self::with_stride(values, rows, columns, columns)
    }

    /// A row-major matrix whose rows begin at multiples of `stride`, at the beginning of a slice.
    ///
    /// # Panics
    ///
    /// If the slice is too short.
    #[must_use]
    pub fn with_stride(values: &'a [f32], rows: usize, columns: usize, stride: usize) -> Self {
        check(values.len(), rows, columns, stride);
        Self { values, rows, columns, row_stride: stride, column_stride: 1 }
    }

    /// Number of rows.
    #[must_use]
    #[inline]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    #[inline]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The slice that contains the values; it can be longer than the matrix.
    #[must_use]
    #[inline]
    pub fn values(&self) -> &'a [f32] {
        self.values
    }

    /// Returns `[row_stride, column_stride]`: the value in row i and column j is `values()[i * row_stride + j *
    /// column_stride]`.
    #[must_use]
    #[inline]
    pub fn strides(&self) -> [usize; 2] {
        [self.row_stride, self.column_stride]
    }

    /// The transposed matrix, of the same values.
    #[must_use]
    pub fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// Multiplies two matrices, on the calling thread. The product is stored in `out`, row-major, with rows that begin at
/// multiples of `stride`. With `adds`, it is added to the values that are there.
///
/// On one machine, the result has the same bits in every call.
///
/// # Panics
///
/// If the inner sizes differ, or if `out` is too short.
pub fn multiply(a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], stride: usize, adds: bool) {
    assert!(a.columns == b.rows, "product: expected {} rows, got {}", a.columns, b.rows);
    check(out.len(), a.rows, b.columns, stride);
    let factor_of_out = if adds { 1.0 } else { 0.0 };
    // A slice has at most `isize::MAX` bytes, and no stride of a matrix with two rows is longer than its slice.
    let [out_stride, a_row, a_column, b_row, b_column] =
        [stride, a.row_stride, a.column_stride, b.row_stride, b.column_stride].map(|stride| stride as isize);
    // SAFETY: the values of all matrices are within their slices: `check` compared the last one, which has the greatest
    // position, when the operands were made, and for `out` above. Transposing keeps the set of positions. `out` is
    // borrowed mutably, so it does not overlap with the operands.
    unsafe {
        gemm::gemm(
            a.rows,
            b.columns,
            a.columns,
            out.as_mut_ptr(),
            1,
            out_stride,
            adds,
            a.values.as_ptr(),
            a_column,
            a_row,
            b.values.as_ptr(),
            b_column,
            b_row,
            factor_of_out,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Returns the transpose of a row-major matrix `[rows, columns]`, which has `columns` rows.
///
/// # Panics
///
/// If the number of values is not `rows` times `columns`.
#[must_use]
pub fn transpose<T: Copy + Default>(values: &[T], rows: usize, columns: usize) -> Vec<T> {
    /// Number of rows and columns of a tile, which fits in the L1 cache.
    const TILE: usize = 32;
    let expected = rows.saturating_mul(columns);
    assert!(values.len() == expected, "transpose: expected {expected} values, got {}", values.len());
    let mut transposed = vec![T::default(); values.len()];
    for first_row in (0..rows).step_by(TILE) {
        for first_column in (0..columns).step_by(TILE) {
            for row in first_row..rows.min(first_row + TILE) {
                for column in first_column..columns.min(first_column + TILE) {
                    transposed[column * rows + row] = values[row * columns + column];
                }
            }
        }
    }
    transposed
}

/// Panics unless a slice of some length has all values of a row-major matrix, and its rows do not overlap.
fn check(length: usize, rows: usize, columns: usize, stride: usize) {
    assert!(rows < 2 || stride >= columns, "matrix: expected a stride of at least {columns}, got {stride}");
    let has_values = rows > 0 && columns > 0;
    let last_row = rows.saturating_sub(1).checked_mul(stride);
    let needed = if has_values { last_row.and_then(|start| start.checked_add(columns)) } else { Some(0) };
    // A matrix whose size overflows fits in no slice.
    let expected = needed.unwrap_or(usize::MAX);
    assert!(length >= expected, "matrix: expected at least {expected} values, got {length}");
}

#[cfg(test)]
mod tests {
    use super::transpose;

    #[test]
    fn columns_become_rows() {
        assert_eq!(transpose(&[1, 2, 3, 4, 5, 6], 2, 3), [1, 4, 2, 5, 3, 6]);
        let (rows, columns) = (70, 33);
        let values: Vec<usize> = (0..rows * columns).collect();
        let transposed = transpose(&values, rows, columns);
        for row in 0..rows {
            for column in 0..columns {
                assert_eq!(transposed[column * rows + row], values[row * columns + column]);
            }
        }
        assert_eq!(transpose(&transposed, columns, rows), values);
    }
}
