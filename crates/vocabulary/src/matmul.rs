use kernels::{Batch, Kernels, Score};

/// The left side of matrix products, laid out for many right ones: `[rows, inner]`.
///
/// A product's value depends on its row and its column alone, whatever stands beside them; see [`kernels`].
pub(crate) struct Left {
    batch: Batch,
    rows: usize,
    inner: usize,
}

/// A product, row after row.
#[derive(Default)]
pub(crate) struct Product {
    values: Vec<f32>,
    /// From one row to the next.
    stride: usize,
    columns: usize,
}

impl Left {
    pub fn new(values: &[f32], inner: usize) -> Self {
        let batch = Batch::new(Kernels::detect(), Score::Dot, inner, values);
        Self { batch, rows: values.len() / inner, inner }
    }

    /// `product = left · rightᵀ`, where `right` is `[columns, inner]`.
    pub fn times(&mut self, right: &[f32], product: &mut Product) {
        let inner = self.inner;
        let columns = right.len() / inner;
        let most = self.batch.rows_at_once();
        // Parts of rows are written whole.
        let stride = columns.next_multiple_of(most.next_multiple_of(4));
        let room = self.batch.score_buffer_len(stride, stride).max(self.rows * stride);
        product.values.resize(room, 0.0);
        (product.stride, product.columns) = (stride, columns);
        for (at, part) in right.chunks(most * inner).enumerate() {
            let part: Vec<&[f32]> = part.chunks_exact(inner).collect();
            self.batch.score_all(&part, &[], stride, &mut product.values[at * most..]);
        }
    }

    /// The product by itself, `[rows, columns]`.
    pub fn product(&mut self, right: &[f32]) -> Vec<f32> {
        let mut product = Product::default();
        self.times(right, &mut product);
        product.rows_mut().take(self.rows).flat_map(|row| row.iter().copied()).collect()
    }
}

impl Product {
    /// Its rows, and behind them room that only fills.
    pub fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        let columns = self.columns;
        self.values.chunks_mut(self.stride).map(move |row| {
            let length = row.len().min(columns);
            &mut row[..length]
        })
    }
}

/// The transpose of `[rows, columns]`.
pub(crate) fn transposed(matrix: &[f32], columns: usize) -> Vec<f32> {
    let rows = matrix.len() / columns;
    (0..columns * rows).map(|at| matrix[at % rows * columns + at / rows]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_those_of_the_definition_whatever_the_shapes() {
        for (rows, inner, columns) in [(1, 1, 1), (2, 3, 4), (7, 9, 8), (3, 400, 37), (20, 13, 100)] {
            // Small whole numbers: every sum is exact.
            let value = |i: usize| ((i * 7 + 3) % 11) as f32 - 5.0;
            let a: Vec<f32> = (0..rows * inner).map(value).collect();
            let b: Vec<f32> = (0..columns * inner).map(|i| value(i + 5)).collect();
            let product = Left::new(&a, inner).product(&b);
            assert_eq!(product.len(), rows * columns);
            for (at, &value) in product.iter().enumerate() {
                let (row, column) = (at / columns, at % columns);
                let expected: f32 = (0..inner).map(|i| a[row * inner + i] * b[column * inner + i]).sum();
                assert_eq!(value, expected);
            }
        }
    }

    #[test]
    fn a_transpose_has_columns_for_rows() {
        assert_eq!(transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
