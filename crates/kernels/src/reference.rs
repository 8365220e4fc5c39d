//! Inner products and distances by their definitions, in double precision, and bounds on the rounding errors of the
//! kernels. Tests check that the kernels differ from the definitions by no more than these bounds.
//!
//! ```
//! use kernels::{Kernels, reference};
//!
//! let (a, b) = ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]);
//! let error = f64::from(Kernels::detect().dot(&a, &b)) - reference::dot(&a, &b);
//! assert!(error.abs() <= reference::dot_error(&a, &b));
//! ```

use numerics::rounding::{SMALLEST_SUBNORMAL, gamma};

/// The largest rounding error of an `f32` operation whose result is subnormal.
const UNDERFLOW: f64 = SMALLEST_SUBNORMAL / 2.0;

/// Returns the inner product Σ aᵢ·bᵢ. The products are exact in double precision; the error of each addition is at most
/// about 2⁻⁵³ Σ |aᵢ·bᵢ|.
#[must_use]
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// Returns the squared Euclidean distance Σ (aᵢ − bᵢ)².
#[must_use]
pub fn squared_l2(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum()
}

/// Returns a bound on the difference between [`dot`] and an inner product in `f32` that is summed in any order, with or
/// without fused multiply-adds.
///
/// Each of the n products passes through at most n roundings, so the error is at most [γₙ](numerics::rounding::gamma)
/// Σ |aᵢ·bᵢ| (Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, §3.1). Counting n + 1 roundings covers
/// the much smaller errors of [`dot`] itself. Each product may also lose half of the smallest positive `f32` to
/// underflow.
#[must_use]
pub fn dot_error(a: &[f32], b: &[f32]) -> f64 {
    let magnitude: f64 = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) * f64::from(b)).abs()).sum();
    gamma(a.len() + 1) * magnitude + a.len() as f64 * UNDERFLOW
}

/// Returns a bound on the difference between [`squared_l2`] and a squared distance in `f32` that is summed in any
/// order.
///
/// It has the form of [`dot_error`], with two more roundings: each difference is rounded, and squaring doubles that
/// relative error. The difference of two floats is exact if it is subnormal, so it adds no underflow.
#[must_use]
pub fn squared_l2_error(a: &[f32], b: &[f32]) -> f64 {
    gamma(a.len() + 3) * squared_l2(a, b) + a.len() as f64 * UNDERFLOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_hold_on_hand_computed_values() {
        assert_eq!(dot(&[1.0, -2.0], &[3.0, 4.0]), -5.0); // 3 − 8
        assert_eq!(squared_l2(&[1.0, -2.0], &[3.0, 4.0]), 40.0); // 4 + 36
    }
}
