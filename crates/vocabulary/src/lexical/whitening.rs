use nalgebra::{DMatrix, SymmetricEigen};
use rayon::prelude::*;

use crate::matmul::LeftMatrix;

/// Rows that are multiplied at once.
const BLOCK_ROWS: usize = 256;
/// Rows of a covariance that one thread sums at a time.
const SHARE: usize = 16;
/// Directions with less than this share of the greatest variance are rounding, and are left out.
const LEAST_VARIANCE: f64 = 1e-10;

/// How whitened vectors lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whitening {
    /// x ↦ (x − μ) U Λ^(−1/2): along the principal directions, that of the greatest variance first (Su et al., 2021, "Whitening
    /// Sentence Representations", algorithm 1; Jung et al., 2022).
    Principal,
    /// x ↦ (x − μ) U Λ^(−1/2) Uᵀ: turned back, so that they stay as near as can be to what they were (Kessy et al., 2018,
    /// "Optimal Whitening and Decorrelation", ZCA). Products of two are those of the other way.
    Aligned,
}

/// Takes the mean off the rows `[rows, dim]`, and the correlations, in place: their mean is 0 and their covariance 1 afterwards,
/// in all directions in which they vary; in others they are 0. Sums are of double precision, in a fixed order.
///
/// # Panics
///
/// If the rows are not of that dimension.
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
    let matrix = matrix(covariance(rows, &mean), whitening);
    // Column-major `[dim, dim]`: the transpose has a row for each number of the result.
    let matrix: Vec<f32> = matrix.transpose().iter().map(|&value| value as f32).collect();
    rows.par_chunks_mut(BLOCK_ROWS * dim).for_each(|block| {
        let centred = block.iter().zip(mean.iter().cycle());
        let centred: Vec<f32> = centred.map(|(&value, mean)| (f64::from(value) - mean) as f32).collect();
        block.copy_from_slice(&LeftMatrix::new(&centred, dim).multiply(&matrix));
    });
}

/// The mean of the products of two numbers of a row less their means, for all pairs.
fn covariance(rows: &[f32], mean: &[f64]) -> DMatrix<f64> {
    let dim = mean.len();
    let count = (rows.len() / dim) as f64;
    let mut sums = vec![0.0; dim * dim];
    sums.par_chunks_mut(SHARE * dim).enumerate().for_each(|(share, sums)| {
        let first = share * SHARE;
        let mut centred = vec![0.0; dim];
        for row in rows.chunks_exact(dim) {
            for ((centred, &value), mean) in centred.iter_mut().zip(row).zip(mean) {
                *centred = f64::from(value) - mean;
            }
            // From the diagonal on: the other half is the same.
            let centred = &centred[first..];
            for (at, sums) in sums.chunks_exact_mut(dim).enumerate() {
                let with = centred[at] / count;
                sums[first..].iter_mut().zip(centred).for_each(|(sum, value)| *sum += with * value);
            }
        }
    });
    DMatrix::from_fn(dim, dim, |i, j| sums[i.min(j) * dim + i.max(j)])
}

/// What a centered column is multiplied by: Λ^(−1/2) Uᵀ, or U Λ^(−1/2) Uᵀ.
fn matrix(covariance: DMatrix<f64>, whitening: Whitening) -> DMatrix<f64> {
    let dim = covariance.nrows();
    let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(covariance);
    let mut order: Vec<usize> = (0..dim).collect();
    order.sort_by(|&a, &b| eigenvalues[b].total_cmp(&eigenvalues[a]));
    let least = eigenvalues.max() * LEAST_VARIANCE;
    let mut scaled = DMatrix::zeros(dim, dim);
    for (at, &which) in order.iter().enumerate() {
        if eigenvalues[which] > least {
            let direction = eigenvectors.column(which);
            // A direction and its opposite are the same one: of its longest part the sign is plus.
            let sign = direction[direction.icamax()].signum();
            scaled.row_mut(at).tr_copy_from(&(direction * (sign / eigenvalues[which].sqrt())));
        }
    }
    match whitening {
        Whitening::Principal => scaled,
        Whitening::Aligned => {
            // Uᵀ with the same signs and order is Λ^(1/2) of what is scaled.
            let mut back = DMatrix::zeros(dim, dim);
            for (at, &which) in order.iter().enumerate() {
                let direction = eigenvectors.column(which);
                back.column_mut(at).copy_from(&(direction * direction[direction.icamax()].signum()));
            }
            back * scaled
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Correlated rows: the second number follows the first, the third is their sum, the fourth is noise.
    fn rows(count: usize) -> Vec<f32> {
        let noise = |i: usize| ((i * 7919 + 13) % 1009) as f32 / 504.5 - 1.0;
        (0..count)
            .flat_map(|i| {
                let (a, b, c) = (noise(i), noise(i * 31 + 7), noise(i * 101 + 3));
                [3.0 + 5.0 * a, 4.0 * a + b, 3.0 + 9.0 * a + b, 0.1 * c]
            })
            .collect()
    }

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
    fn covariance_is_one_where_there_is_any() {
        let mut principal = rows(3000);
        whiten(&mut principal, 4, Whitening::Principal);
        for (at, value) in covariance(&principal, 4).into_iter().enumerate() {
            // The third number is the sum of the first two: three directions of four have variance.
            let expected = if at % 5 == 0 && at < 15 { 1.0 } else { 0.0 };
            assert!((value - expected).abs() < 1e-4, "{at}: {value}");
        }
        let mean: f32 = principal.iter().sum::<f32>() / 3000.0;
        assert!(mean.abs() < 1e-3);
    }

    #[test]
    fn both_ways_have_the_same_products_and_one_stays_near() {
        let (mut principal, mut aligned) = (rows(500), rows(500));
        // Without the sum, so that every direction has variance.
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
            let with = |rows: &[f32]| -> f32 {
                let values = rows.iter().skip(at).step_by(4).zip(before.iter().skip(at).step_by(4));
                values.map(|(after, before)| after * before).sum()
            };
            assert!(with(&aligned) > 0.0, "number {at} turned round");
        }
        for (at, value) in covariance(&aligned, 4).into_iter().enumerate() {
            let expected = if at % 5 == 0 { 1.0 } else { 0.0 };
            assert!((value - expected).abs() < 1e-4, "{at}: {value}");
        }
    }
}
