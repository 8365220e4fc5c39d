//! Matrix products with the SIMD kernels, for a left matrix that is multiplied by many right matrices.

use kernels::{Batch, Kernels, Score};

/// The left matrix of a product, `[rows, inner]`, in the layout of the kernels.
///
/// Each value of a product has the same bits whatever the shapes of the matrices are; it depends only on one row of
/// each matrix (see [`kernels`]).
pub(crate) struct LeftMatrix {
    batch: Batch,
    rows: usize,
    inner: usize,
}

/// A matrix product, row-major. Each row is followed by unused values up to `stride`.
#[derive(Default)]
pub(crate) struct Product {
    values: Vec<f32>,
    /// Distance between the starts of two consecutive rows, in values.
    stride: usize,
    columns: usize,
}

impl LeftMatrix {
    /// Copies the matrix `[rows, inner]` into the layout of the kernels.
    pub fn new(values: &[f32], inner: usize) -> Self {
        let batch = Batch::new(Kernels::detect(), Score::Dot, inner, values);
        Self { batch, rows: values.len() / inner, inner }
    }

    /// Computes `product = left · rightᵀ`, where `right` is `[columns, inner]`. `product` is overwritten, so its
    /// buffer can be reused.
    pub fn multiply_into(&mut self, right: &[f32], product: &mut Product) {
        let inner = self.inner;
        let columns = right.len() / inner;
        let max_rows = self.batch.rows_at_once();
        // The kernels always write complete groups of columns.
        let stride = columns.next_multiple_of(max_rows.next_multiple_of(4));
        let buffer_len = self.batch.score_buffer_len(stride, stride).max(self.rows * stride);
        product.values.resize(buffer_len, 0.0);
        (product.stride, product.columns) = (stride, columns);
        for (at, part) in right.chunks(max_rows * inner).enumerate() {
            let part: Vec<&[f32]> = part.chunks_exact(inner).collect();
            self.batch.score_all(&part, &[], stride, &mut product.values[at * max_rows..]);
        }
    }

    /// Returns `left · rightᵀ`, `[rows, columns]`, where `right` is `[columns, inner]`.
    pub fn multiply(&mut self, right: &[f32]) -> Vec<f32> {
        let mut product = Product::default();
        self.multiply_into(right, &mut product);
        product.rows_mut().take(self.rows).flat_map(|row| row.iter().copied()).collect()
    }
}

impl Product {
    /// Returns the rows, then unused rows: the kernels always write complete groups of rows.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let columns = self.columns;
        self.values.chunks_mut(self.stride).map(move |row| {
            let length = row.len().min(columns);
            &mut row[..length]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_the_definition_for_any_shapes() {
        for (rows, inner, columns) in [(1, 1, 1), (2, 3, 4), (7, 9, 8), (3, 400, 37), (20, 13, 100)] {
            // Small integers, so that every sum is exact.
            let value = |i: usize| ((i * 7 + 3) % 11) as f32 - 5.0;
            let a: Vec<f32> = (0..rows * inner).map(value).collect();
            let b: Vec<f32> = (0..columns * inner).map(|i| value(i + 5)).collect();
            let product = LeftMatrix::new(&a, inner).multiply(&b);
            assert_eq!(product.len(), rows * columns);
            for (at, &value) in product.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                let expected: f32 = (0..inner).map(|i| a[row * inner + i] * b[column * inner + i]).sum();
                assert_eq!(value, expected);
            }
        }
    }
}
