//! The definitions in double precision, and how far a kernel may be from them: what tests judge by.
//!
//! ```
//! use kernels::{Kernels, reference};
//!
//! let (a, b) = ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]);
//! let error = f64::from(Kernels::detect().dot(&a, &b)) - reference::dot(&a, &b);
//! assert!(error.abs() <= reference::dot_error(&a, &b));
//! ```

/// Unit roundoff of `f32`: 2⁻²⁴.
const ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;
/// The most that a result too small for a normal `f32` loses: half of the smallest `f32`, 2⁻¹⁵⁰.
const UNDERFLOW: f64 = 0.5 * (f32::MIN_POSITIVE * f32::EPSILON) as f64;

/// Σ aᵢ·bᵢ. Every product is exact; the sum is off by 2⁻⁵³ relative to Σ |aᵢ·bᵢ| a term.
#[must_use]
pub fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// Σ (aᵢ − bᵢ)².
#[must_use]
pub fn squared_l2(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| (f64::from(a) - f64::from(b)).powi(2)).sum()
}

/// A bound on the difference between [`dot`] and an `f32` inner product summed in any order, fused or not:
/// γ₍ₙ₊₁₎ Σ |aᵢ·bᵢ| with γₙ = n·u / (1 − n·u) (Higham, Accuracy and Stability of Numerical Algorithms, 2002,
/// §3.1), and what underflow loses. Each of the n products passes through at most n roundings; one more covers
/// those of the reference.
#[must_use]
pub fn dot_error(a: &[f32], b: &[f32]) -> f64 {
    let magnitude: f64 = a.iter().zip(b).map(|(&a, &b)| (f64::from(a) * f64::from(b)).abs()).sum();
    gamma(a.len() + 1) * magnitude + a.len() as f64 * UNDERFLOW
}

/// A bound on the difference between [`squared_l2`] and an `f32` distance summed in any order: as
/// [`dot_error`], with one rounding of the difference that counts twice when squared. A difference of two
/// floats never underflows.
#[must_use]
pub fn squared_l2_error(a: &[f32], b: &[f32]) -> f64 {
    gamma(a.len() + 3) * squared_l2(a, b) + a.len() as f64 * UNDERFLOW
}

fn gamma(roundings: usize) -> f64 {
    let lost = roundings as f64 * ROUNDOFF;
    lost / (1.0 - lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definitions_hold_on_values_worked_out_by_hand() {
        assert_eq!(dot(&[1.0, -2.0], &[3.0, 4.0]), -5.0); // 3 − 8
        assert_eq!(squared_l2(&[1.0, -2.0], &[3.0, 4.0]), 40.0); // 4 + 36
        assert_eq!(UNDERFLOW, 2f64.powi(-150));
        assert_eq!(ROUNDOFF, 2f64.powi(-24));
    }
}
