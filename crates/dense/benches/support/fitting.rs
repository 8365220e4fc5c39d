//! Fits cost models to times: least squares with few unknowns, medians, rounding.

/// Returns the coefficients c ≥ 0 that minimize Σ (c·x / y − 1)² over the pairs (x, y): the sum of the squared relative
/// errors. Every y is positive. A coefficient whose components of x are all 0 is 0.
///
/// Uses cyclic coordinate descent, which converges because the sum is convex.
pub fn least_squares<const N: usize>(pairs: &[([f64; N], f64)]) -> [f64; N] {
    const SWEEPS: usize = 100_000;
    // The gradient is 2 (A c − b), with A = Σ x xᵀ / y² and b = Σ x / y.
    let (mut a, mut b) = ([[0.0; N]; N], [0.0; N]);
    for (x, y) in pairs {
        for (row, sums) in a.iter_mut().enumerate() {
            sums.iter_mut().zip(x).for_each(|(sum, other)| *sum += x[row] * other / (y * y));
            b[row] += x[row] / y;
        }
    }
    let mut c = [0.0; N];
    for _ in 0..SWEEPS {
        for at in 0..N {
            if a[at][at] > 0.0 {
                let product: f64 = a[at].iter().zip(&c).map(|(a, c)| a * c).sum();
                c[at] = f64::max(0.0, c[at] + (b[at] - product) / a[at][at]);
            }
        }
    }
    c
}

/// Returns the median; the larger one of the two in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Rounds to two significant digits.
pub fn round(value: f64) -> f64 {
    format!("{value:.1e}").parse().expect("a number")
}
