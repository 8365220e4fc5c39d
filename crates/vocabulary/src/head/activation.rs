//! The activation functions of heads, GELU and its approximation by tanh, with their derivatives.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, SQRT_2};

/// The function between the dense layer and the layer norm of a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x · Φ(x), with Φ the standard normal distribution (Hendrycks and Gimpel, 2016, "Gaussian Error Linear Units").
    Gelu,
    /// x/2 · (1 + tanh(√(2/π) · (x + 0.044715 x³))), the approximation in the same paper.
    GeluTanh,
}

impl Activation {
    /// Returns the activation that has this name in `config.json`.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        match name {
            "gelu" | "gelu_erf" | "gelu_python" => Some(Self::Gelu),
            "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Some(Self::GeluTanh),
            _ => None,
        }
    }

    /// Returns the function's value at `x`.
    #[must_use]
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Gelu => x * normal_distribution(x),
            Self::GeluTanh => 0.5 * x * (1.0 + libm::tanh(tanh_argument(x))),
        }
    }

    /// Returns the function's derivative at `x`.
    #[must_use]
    pub fn derivative(self, x: f64) -> f64 {
        match self {
            Self::Gelu => {
                let density = libm::exp(-0.5 * x * x) / (2.0 * PI).sqrt();
                normal_distribution(x) + x * density
            }
            Self::GeluTanh => {
                let tanh = libm::tanh(tanh_argument(x));
                let slope = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (1.0 + 3.0 * CUBIC_COEFFICIENT * x * x);
                0.5 * (1.0 + tanh) + 0.5 * x * (1.0 - tanh * tanh) * slope
            }
        }
    }
}

/// The coefficient of x³ in the approximation.
const CUBIC_COEFFICIENT: f64 = 0.044_715;

/// The argument of tanh in the approximation.
fn tanh_argument(x: f64) -> f64 {
    // √(2/π) is 2/√π · 1/√2.
    FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (x + CUBIC_COEFFICIENT * x * x * x)
}

/// Φ(x), computed with the complementary error function, which is accurate where Φ is near 0.
fn normal_distribution(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From tables of the normal distribution: Φ(1) = 0.841344746068543, Φ(−2) = 0.022750131948179.
    #[test]
    fn values_agree_with_tables() {
        assert!((Activation::Gelu.value(1.0) - 0.841_344_746_068_543).abs() < 1e-14);
        assert!((Activation::Gelu.value(-2.0) + 2.0 * 0.022_750_131_948_179).abs() < 1e-14);
        assert_eq!(Activation::Gelu.value(0.0), 0.0);
        assert_eq!(Activation::GeluTanh.value(0.0), 0.0);
        // √(2/π) · 1.044715 = 0.833562..., whose tanh is 0.682383...
        assert!((Activation::GeluTanh.value(1.0) - 0.841_191_990_6).abs() < 1e-9);
    }

    #[test]
    fn far_from_zero_the_value_is_the_argument_or_zero() {
        for activation in [Activation::Gelu, Activation::GeluTanh] {
            assert_eq!(activation.value(40.0), 40.0);
            assert!(activation.value(-40.0).abs() < 1e-300);
            assert_eq!(activation.derivative(40.0), 1.0);
            assert!(activation.derivative(-40.0).abs() < 1e-300);
        }
    }

    #[test]
    fn derivatives_agree_with_difference_quotients() {
        for activation in [Activation::Gelu, Activation::GeluTanh] {
            for at in -60..=60 {
                let (x, step) = (f64::from(at) / 10.0, 1e-5);
                let slope = (activation.value(x + step) - activation.value(x - step)) / (2.0 * step);
                // The error of a central difference is step²/6 times the third derivative, which is below 4, plus
                // rounding.
                assert!((activation.derivative(x) - slope).abs() < 1e-9, "{activation:?} at {x}");
            }
        }
    }
}
