//! Products in bfloat16 agree with their definition in `f64`, on all instruction sets.

use kernels::half::{HalfFormat, HalfKernels};
use kernels::matrix::{Bf16Kernels, Matrix};
use numerics::SplitMix64;

fn random(seed: u64, count: usize) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| 2.0 * random.roughly_normal()).collect()
}

/// Rounds values to bfloat16.
fn rounded(values: &[f32]) -> Vec<f64> {
    let (kernels, mut halves, mut wide) = (HalfKernels::detect(), vec![0; values.len()], values.to_vec());
    kernels.narrow(HalfFormat::Bf16, values, &mut halves);
    kernels.widen(HalfFormat::Bf16, &halves, &mut wide);
    wide.into_iter().map(f64::from).collect()
}

fn at(matrix: &Matrix<'_>, row: usize, column: usize) -> usize {
    let [row_stride, column_stride] = matrix.strides();
    row * row_stride + column * column_stride
}

/// Multiplies with all instruction sets, and compares the results with the definition. `gap` is the number of values
/// between the rows of the product.
fn check(a: Matrix<'_>, b: Matrix<'_>, gap: usize, adds: bool) {
    let (rows, columns, depth) = (a.rows(), b.columns(), a.columns());
    let stride = columns + gap;
    let before = random(9, rows * stride);
    let [left, right] = [a, b].map(|matrix| rounded(matrix.values()));
    for products in Bf16Kernels::available() {
        let what = format!("{} {rows} x {depth} x {columns}, {adds}", products.name());
        let mut found = before.clone();
        products.multiply(a, b, &mut found, stride, adds);
        for (row, (found, before)) in
            found.chunks(stride.max(1)).zip(before.chunks(stride.max(1))).enumerate()
        {
            assert_eq!(found[columns..], before[columns..], "{what}: values between rows are kept");
            for column in 0..columns {
                let (mut sum, mut magnitudes) = (0.0, 0.0);
                for inner in 0..depth {
                    let product = left[at(&a, row, inner)] * right[at(&b, inner, column)];
                    sum += product;
                    magnitudes += product.abs();
                }
                let before = if adds { f64::from(before[column]) } else { 0.0 };
                // Each of the additions rounds a partial sum, which is at most the sum of the magnitudes.
                let bound = (magnitudes + before.abs()) * (depth + 1) as f64 * f64::from(f32::EPSILON);
                let error = (f64::from(found[column]) - sum - before).abs();
                assert!(error <= bound, "{what}: {row}, {column}: {} {}", found[column], sum + before);
            }
        }
        let mut again = before.clone();
        products.multiply(a, b, &mut again, stride, adds);
        assert!(found.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()), "{what}: same bits");
    }
}

#[test]
fn products_agree_with_their_definition() {
    // Sizes around the multiples of the sizes of tiles and blocks.
    let shapes = [
        (1, 1, 1),
        (4, 2, 16),
        (5, 3, 17),
        (12, 32, 32),
        (13, 33, 33),
        (23, 511, 31),
        (25, 513, 65),
        (193, 64, 40),
        (3, 1030, 5),
        (7, 9, 2050),
        (2, 0, 3),
        (0, 4, 3),
        (2, 3, 0),
        (2, 0, 0),
    ];
    for (rows, depth, columns) in shapes {
        let (left, right) = (random(1, rows * depth), random(2, depth * columns));
        let a = [Matrix::new(&left, rows, depth), Matrix::new(&left, depth, rows).transposed()];
        let b = [Matrix::new(&right, depth, columns), Matrix::new(&right, columns, depth).transposed()];
        for a in a {
            for b in b {
                for (gap, adds) in [(0, false), (3, true)] {
                    check(a, b, gap, adds);
                }
            }
        }
    }
}

#[test]
fn rows_with_gaps_are_multiplied() {
    let (left, right) = (random(3, 20 * 40), random(4, 30 * 50));
    check(Matrix::with_stride(&left, 20, 30, 40), Matrix::with_stride(&right, 30, 45, 50), 2, false);
    let a = Matrix::with_stride(&left, 20, 30, 40).transposed();
    check(a, Matrix::with_stride(&right, 20, 45, 50), 0, true);
}

#[test]
fn values_that_are_not_finite_reach_the_product() {
    for products in Bf16Kernels::available() {
        for value in [f32::NAN, f32::INFINITY, f32::MAX] {
            let mut out = [0.0; 4];
            let (a, b) = ([1.0, value, 2.0, 3.0], [1.0, 0.5, 1.0, -1.0]);
            products.multiply(Matrix::new(&a, 2, 2), Matrix::new(&b, 2, 2), &mut out, 2, false);
            // The largest numbers round to infinity.
            let is_nan = value.is_nan();
            assert!(
                if is_nan { out[0].is_nan() } else { out[0] == f32::INFINITY },
                "{} {out:?}",
                products.name()
            );
            assert!(
                if is_nan { out[1].is_nan() } else { out[1] == f32::NEG_INFINITY },
                "{} {out:?}",
                products.name()
            );
            assert_eq!(out[2..], [5.0, -2.0]);
        }
    }
}

#[test]
#[should_panic(expected = "product: expected 3 rows, got 2")]
fn inner_sizes_must_be_equal() {
    let values = [0.0; 6];
    let (a, b) = (Matrix::new(&values, 2, 3), Matrix::new(&values, 2, 3));
    Bf16Kernels::available()[0].multiply(a, b, &mut [0.0; 6], 3, false);
}
