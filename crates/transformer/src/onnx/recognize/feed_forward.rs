//! The activation function of the feed-forward network: GELU (Hendrycks and Gimpel, 2016), computed with erf.

use std::f64::consts::FRAC_1_SQRT_2;

use super::super::error::Unrecognized;
use super::super::graph::ValueId;
use super::Matcher;

/// Largest difference of a constant from its exact value. Exporters round 1 / √2 in different ways.
const TOLERANCE: f64 = 1e-5;

impl Matcher<'_> {
    /// Matches GELU and returns its input x. The function is ½ · x · (1 + erf(x / √2)), as one operator, or with the
    /// factors in any order.
    pub fn gelu(&self, value: ValueId) -> Result<ValueId, Unrecognized> {
        let value = self.rows(value);
        let refuse = || self.refuse(value, "the activation function GELU, computed with erf");
        if let Some(node) = self.node(value, "Gelu") {
            let is_exact = node.text("approximate").is_none_or(|name| name == b"none");
            return node.input(0).filter(|_| is_exact).ok_or_else(refuse);
        }
        let factors = self.product(value, None).ok_or_else(refuse)?.factors;
        let matched = factors.into_iter().find_map(|factor| Some((factor, self.erf_argument(factor)?)));
        let (factor, input) = matched.ok_or_else(refuse)?;
        // Now that the input is known, it is not taken for a part of the product if it is a product itself.
        let product = self.product(value, Some(input)).ok_or_else(refuse)?;
        let is_gelu = (product.constant - 0.5).abs() <= TOLERANCE
            && (product.factors == [factor, input] || product.factors == [input, factor]);
        if is_gelu { Ok(input) } else { Err(refuse()) }
    }

    /// Matches 1 + erf(x / √2), and returns x.
    fn erf_argument(&self, value: ValueId) -> Option<ValueId> {
        let (erf, one) = self.with_constant(value, "Add")?;
        let scaled = self.node(erf, "Erf")?.input(0)?;
        let (input, factor) = if let Some((input, factor)) = self.with_constant(scaled, "Mul") {
            (input, f64::from(self.scalar(factor)?))
        } else {
            let (input, divisor) = self.operands(scaled, "Div")?;
            (input, 1.0 / f64::from(self.scalar(divisor)?))
        };
        (self.scalar(one)? == 1.0 && (factor - FRAC_1_SQRT_2).abs() <= TOLERANCE).then_some(input)
    }
}
