//! Whitening: an affine transformation after which the coordinates of a set of vectors have mean 0, variance 1 and no
//! correlations. The two forms are described at [`Whitening`].

use nalgebra::{DMatrix, SymmetricEigen};
use rayon::prelude::*;

use crate::matmul::LeftMatrix;

/// Number of rows that one parallel task multiplies by the whitening matrix.
const BLOCK_ROWS: usize = 256;
/// Number of rows of the covariance matrix that one parallel task computes.
const ROWS_PER_TASK: usize = 16;
/// Directions with at most this fraction of the largest variance are taken for rounding noise; rows become 0 in them.
const MIN_VARIANCE: f64 = 1e-10;

/// The transformation of a row x. μ is the mean of the rows, and U Λ Uᵀ is the eigendecomposition of their covariance:
/// the columns of U are the eigenvectors, and Λ is the diagonal matrix of the eigenvalues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whitening {
    /// x ↦ (x − μ) U Λ^(−1/2): coordinates along the principal directions, largest variance first (Su et al., 2021,
    /// "Whitening Sentence Representations for Better Semantics and Faster Retrieval", algorithm 1).
    Principal,
    /// x ↦ (x − μ) U Λ^(−1/2) Uᵀ: rotated back, so that vectors stay as close as possible to the centered ones (ZCA in
    /// Kessy et al., 2018, "Optimal Whitening and Decorrelation"). Dot products of whitened vectors are the same as
    /// with `Principal`.
    Aligned,
}

/// Whitens the rows `[rows, dim]` in place. Afterwards, their mean is 0 and their covariance is the identity in all
/// directions in which they vary; in other directions they are 0. Sums are computed in double precision and in a fixed
/// order.
///
/// # Panics
///
/// If the number of values is not a multiple of `dim`, or `dim` is 0.
pub fn whiten(rows: &mut [f32], dim: usize, whitening: Whitening) {
    assert!(dim > 0 && rows.len().is_multiple_of(dim), "whiten: expected rows of dimension {dim}");
    if rows.is_empty() {
        return;
    }
    let count = (rows.len() / dim) as f64;
    let mut mean = vec![0.0; dim];
    for row in rows.chunks_exact(dim) {
        mean.iter_mut().zip(row).for_each(|(mean, &value)| *mean += f64::from(value) / count);
    }
    let matrix = whitening_matrix(covariance(rows, &mean), whitening);
    // nalgebra is column-major, so iterating over the transpose gives the matrix row by row, one row per output
    // coordinate.
    let matrix: Vec<f32> = matrix.transpose().iter().map(|&value| value as f32).collect();
    rows.par_chunks_mut(BLOCK_ROWS * dim).for_each(|block| {
        let centered = block.iter().zip(mean.iter().cycle());
        let centered: Vec<f32> = centered.map(|(&value, mean)| (f64::from(value) - mean) as f32).collect();
        block.copy_from_slice(&LeftMatrix::new(&centered, dim).multiply(&matrix));
    });
}

/// Returns the covariance matrix of the rows.
fn covariance(rows: &[f32], mean: &[f64]) -> DMatrix<f64> {
    let dim = mean.len();
    let count = (rows.len() / dim) as f64;
    let mut sums = vec![0.0; dim * dim];
    sums.par_chunks_mut(ROWS_PER_TASK * dim).enumerate().for_each(|(task, sums)| {
        let first = task * ROWS_PER_TASK;
        let mut centered = vec![0.0; dim];
        for row in rows.chunks_exact(dim) {
            for ((centered, &value), mean) in centered.iter_mut().zip(row).zip(mean) {
                *centered = f64::from(value) - mean;
            }
            // Columns before `first` are skipped: the others include the upper triangle, which is enough because the
            // matrix is symmetric.
            let centered = &centered[first..];
            for (at, sums) in sums.chunks_exact_mut(dim).enumerate() {
                let factor = centered[at] / count;
                sums[first..].iter_mut().zip(centered).for_each(|(sum, value)| *sum += factor * value);
            }
        }
    });
    DMatrix::from_fn(dim, dim, |i, j| sums[i.min(j) * dim + i.max(j)])
}

/// Returns the matrix that whitens a centered column vector: Λ^(−1/2) Uᵀ or U Λ^(−1/2) Uᵀ.
fn whitening_matrix(covariance: DMatrix<f64>, whitening: Whitening) -> DMatrix<f64> {
    let dim = covariance.nrows();
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..dim).collect();
    order.sort_by(|&a, &b| eigenvalues[b].total_cmp(&eigenvalues[a]));
    let min_variance = eigenvalues.max() * MIN_VARIANCE;
    let mut scaled = DMatrix::zeros(dim, dim);
    for (at, &index) in order.iter().enumerate() {
        if eigenvalues[index] > min_variance {
            let direction = eigenvectors.column(index);
            // The sign of an eigenvector is arbitrary. Make its component of largest magnitude positive.
            let sign = direction[direction.icamax()].signum();
            scaled.row_mut(at).tr_copy_from(&(direction * (sign / eigenvalues[index].sqrt())));
        }
    }
    match whitening {
        Whitening::Principal => scaled,
        Whitening::Aligned => {
            // U, with its columns in the same order and with the same signs as the rows of `scaled`.
            let mut rotation = DMatrix::zeros(dim, dim);
            for (at, &index) in order.iter().enumerate() {
                let direction = eigenvectors.column(index);
                rotation.column_mut(at).copy_from(&(direction * direction[direction.icamax()].signum()));
            }
            rotation * scaled
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Correlated rows: the second coordinate depends on the first, the third is their sum, and the fourth is noise.
    fn rows(count: usize) -> Vec<f32> {
        let noise = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0;
        (0..count)
            .flat_map(|i| {
                let (a, b, c) = (noise(i), noise(i * 31 + 7), noise(i * 101 + 3));
                [3.0 + 5.0 * a, 4.0 * a + b, 3.0 + 9.0 * a + b, 0.1 * c]
            })
            .collect()
    }

    /// The covariance matrix of the rows, computed entry by entry from its definition.
    fn covariance(rows: &[f32], dim: usize) -> Vec<f64> {
        let count = (rows.len() / dim) as f64;
        let mean = |i: usize| rows.iter().skip(i).step_by(dim).map(|&x| f64::from(x)).sum::<f64>() / count;
        let means: Vec<f64> = (0..dim).map(mean).collect();
        let pair = |at: usize| -> f64 {
            let (i, j) = (at / dim, at % dim);
            let products = rows.chunks_exact(dim);
            let products =
                products.map(|row| (f64::from(row[i]) - means[i]) * (f64::from(row[j]) - means[j]));
            products.sum::<f64>() / count
        };
        (0..dim * dim).map(pair).collect()
    }

    #[test]
    fn the_covariance_is_the_identity_in_directions_with_variance() {
        let mut principal = rows(3000);
        whiten(&mut principal, 4, Whitening::Principal);
        for (at, value) in covariance(&principal, 4).into_iter().enumerate() {
            // The third coordinate is the sum of the first two, so only three directions have variance. Multiples of 5
            // are the positions on the diagonal of a 4 × 4 matrix, and 15 is the last of them.
            let expected = if at % 5 == 0 && at < 15 { 1.0 } else { 0.0 };
            assert!((value - expected).abs() < 1e-4, "{at}: {value}");
        }
        let mean: f32 = principal.iter().sum::<f32>() / 3000.0;
        assert!(mean.abs() < 1e-3);
    }

    #[test]
    fn both_forms_have_the_same_dot_products_and_aligned_coordinates_correlate_with_the_originals() {
        let (mut principal, mut aligned) = (rows(500), rows(500));
        // Change the third coordinate, so that every direction has variance.
        for rows in [&mut principal, &mut aligned] {
            rows.iter_mut().enumerate().filter(|(i, _)| i % 4 == 2).for_each(|(i, x)| *x += (i % 13) as f32);
        }
        let before = aligned.clone();
        whiten(&mut principal, 4, Whitening::Principal);
        whiten(&mut aligned, 4, Whitening::Aligned);
        for i in 0..100 {
            let product =
                |rows: &[f32]| -> f32 { (0..4).map(|at| rows[i * 4 + at] * rows[1000 - i * 4 + at]).sum() };
            assert!((product(&principal) - product(&aligned)).abs() < 1e-3);
        }
        for at in 0..4 {
            // The dot product of one coordinate before whitening with the same coordinate after it, over all rows.
            let dot_with_original = |rows: &[f32]| -> f32 {
                let values = rows.iter().skip(at).step_by(4).zip(before.iter().skip(at).step_by(4));
                values.map(|(after, before)| after * before).sum()
            };
            assert!(dot_with_original(&aligned) > 0.0, "coordinate {at} has the opposite direction");
        }
        for (at, value) in covariance(&aligned, 4).into_iter().enumerate() {
            let expected = if at % 5 == 0 { 1.0 } else { 0.0 };
            assert!((value - expected).abs() < 1e-4, "{at}: {value}");
        }
    }
}
