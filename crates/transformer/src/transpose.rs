//! The transpose of a matrix: [`transpose`].

/// Number of rows and columns of a tile, so that the cache lines of a tile stay in the L1 cache.
const TILE: usize = 32;

/// The transpose of a row-major matrix.
pub(crate) fn transpose<T: Copy + Default>(values: &[T], rows: usize, columns: usize) -> Vec<T> {
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
