//! Layer normalizations, as one operator or as its parts.

use super::super::error::Unrecognized;
use super::super::graph::ValueId;
use super::Matcher;
use crate::weights::Norm;

/// The default of the attribute `epsilon`.
const DEFAULT_EPSILON: f32 = 1e-5;

impl Matcher<'_> {
    /// Matches a layer normalization, and returns its input.
    pub fn required_norm(&self, value: ValueId) -> Result<(Norm, ValueId), Unrecognized> {
        let expected = "a layer normalization over the last axis with constant parameters";
        self.norm(value).ok_or_else(|| self.refuse(value, expected))
    }

    /// Matches a layer normalization, and returns its input.
    pub fn norm(&self, value: ValueId) -> Option<(Norm, ValueId)> {
        let value = self.rows(value);
        let dim = *self.probe.shape(value)?.last()?;
        let Some(node) = self.node(value, "LayerNormalization") else {
            return self.decomposed_norm(value, dim);
        };
        let input = node.input(0)?;
        if !self.is_last_axis(input, node.int("axis").unwrap_or(-1)) {
            return None;
        }
        let weight = self.vector(node.input(1)?, dim)?;
        let bias = match node.input(2) {
            Some(bias) => self.vector(bias, dim)?,
            None => vec![0.0; dim],
        };
        let epsilon = node.float("epsilon").unwrap_or(DEFAULT_EPSILON);
        Some((Norm { weight, bias, epsilon }, self.rows(input)))
    }

    /// Matches (x − mean) / √(variance + ε) · weight + bias, which exporters write for operator sets before 17.
    fn decomposed_norm(&self, value: ValueId, dim: usize) -> Option<(Norm, ValueId)> {
        let (scaled, bias) = self.with_constant(value, "Add")?;
        let (normalized, weight) = self.with_constant(scaled, "Mul")?;
        let (centered, deviation) = self.operands(normalized, "Div")?;
        let input = self.centered(centered)?;
        let (variance, epsilon) = self.with_constant(self.node(deviation, "Sqrt")?.input(0)?, "Add")?;
        let square = self.mean_of(variance)?;
        let root = match self.operands(square, "Pow") {
            Some((base, exponent)) => {
                let exponent = self.constant(exponent)?;
                let is_two = exponent.floats() == Some(&[2.0]) || exponent.ints() == Some(&[2]);
                is_two.then_some(base)?
            }
            None => {
                let (a, b) = self.operands(square, "Mul")?;
                (a == b).then_some(a)?
            }
        };
        // Some exporters subtract the mean twice.
        if root != centered && self.centered(root)? != input {
            return None;
        }
        let norm = Norm {
            weight: self.vector(weight, dim)?,
            bias: self.vector(bias, dim)?,
            epsilon: self.scalar(epsilon)?,
        };
        Some((norm, self.rows(input)))
    }

    /// Matches x − mean(x), and returns x.
    fn centered(&self, value: ValueId) -> Option<ValueId> {
        let (input, mean) = self.operands(value, "Sub")?;
        (self.mean_of(mean)? == input).then_some(input)
    }

    /// Matches the mean over the last axis, and returns its input.
    fn mean_of(&self, value: ValueId) -> Option<ValueId> {
        let node = self.node(value, "ReduceMean")?;
        let input = node.input(0)?;
        let axes = match node.input(1) {
            Some(axes) => self.constant(axes)?.ints()?,
            None => node.ints("axes")?,
        };
        let is_kept = node.int("keepdims").unwrap_or(1) != 0;
        matches!(axes, [axis] if is_kept && self.is_last_axis(input, *axis)).then_some(input)
    }

    /// Whether an axis is the last one of a value.
    pub fn is_last_axis(&self, value: ValueId, axis: i64) -> bool {
        axis == -1 || self.probe.shape(value).is_some_and(|shape| axis == shape.len() as i64 - 1)
    }
}
