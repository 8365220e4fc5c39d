//! Bounds on the rounding errors of single-precision arithmetic (Higham, *Accuracy and Stability of Numerical
//! Algorithms*, 2002, chapters 2 and 3).
//!
//! A rounded operation returns the exact result times 1 + δ, with |δ| ≤ u = 2⁻²⁴. If the result is so small that it is
//! subnormal, the absolute error is at most half of the smallest positive `f32` instead. After n operations, the errors
//! form a product of n factors 1 + δᵢ, which differs from 1 by at most [γₙ](gamma).

/// u = 2⁻²⁴, the unit roundoff of `f32`: the maximum relative error of one rounded operation.
pub const UNIT_ROUNDOFF: f64 = f32::EPSILON as f64 / 2.0;
/// The smallest positive `f32`, 2⁻¹⁴⁹, which is subnormal.
pub const SMALLEST_SUBNORMAL: f64 = (f32::MIN_POSITIVE * f32::EPSILON) as f64;

/// Returns γₙ = n·u / (1 − n·u), a bound on the relative error after n = `roundings` rounded operations (Higham, 2002,
/// lemma 3.1).
///
/// ```
/// use numerics::rounding::{UNIT_ROUNDOFF, gamma};
///
/// assert!(gamma(1) > UNIT_ROUNDOFF && gamma(1) < 1.000_001 * UNIT_ROUNDOFF);
/// ```
#[must_use]
pub fn gamma(roundings: usize) -> f64 {
    let error = roundings as f64 * UNIT_ROUNDOFF;
    error / (1.0 - error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_powers_of_two() {
        assert_eq!(UNIT_ROUNDOFF, 2f64.powi(-24));
        assert_eq!(SMALLEST_SUBNORMAL, 2f64.powi(-149));
        assert_eq!(f64::from(f32::from_bits(1)), SMALLEST_SUBNORMAL);
    }
}
