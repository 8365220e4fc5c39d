//! Self-attention with several heads (Vaswani et al., 2017, §3.2).

use super::super::error::Unrecognized;
use super::super::graph::ValueId;
use super::super::probe::BATCH;
use super::layout::Layout;
use super::{LANES, Matcher, check_sizes};
use crate::weights::{Linear, RelativePositionBiases};

/// What an attention computes before its heads are combined.
pub(super) struct Attention {
    /// The queries, keys and values.
    pub linears: [Linear; 3],
    /// Number of heads.
    pub heads: usize,
    /// The factor of the products of queries and keys.
    pub scale: f32,
    /// The relative position biases, if there are any.
    pub relative_position_biases: Option<RelativePositionBiases>,
}

/// A value whose axes were split, merged or permuted, and that may have been multiplied by a constant.
pub(super) struct Rearranged {
    /// The value before that.
    pub base: ValueId,
    /// The results of the nodes that changed the axes, from the first to the last.
    steps: Vec<ValueId>,
    /// The factor of all values.
    pub scale: f64,
}

impl Matcher<'_> {
    /// Matches the attention whose combined heads are `context`. Queries, keys and values must be linear functions of
    /// `hidden`.
    pub fn attention(
        &self,
        context: ValueId,
        hidden: ValueId,
        dim: usize,
    ) -> Result<Attention, Unrecognized> {
        let context = self.rearranged(context);
        let expected = "the product of attention weights and values";
        let (weights, value) =
            self.operands(context.base, "MatMul").ok_or_else(|| self.refuse(context.base, expected))?;
        let shape = self.shape(context.base)?;
        let length = self.probe.length;
        let heads = match *shape {
            [BATCH, heads @ (1..), rows, head_dim]
                if rows == length && heads.checked_mul(head_dim) == Some(dim) =>
            {
                heads
            }
            _ => {
                let expected = format!("the shape [{BATCH}, heads, {length}, {dim} / heads]");
                return Err(self.refuse_for(context.base, expected, format!("{shape:?}")));
            }
        };
        let head_dim = dim / heads;
        if !head_dim.is_multiple_of(LANES) {
            let expected = format!("a size of attention heads that is a multiple of {LANES}");
            return Err(self.refuse_for(context.base, expected, head_dim.to_string()));
        }
        // Size and stride of each axis in hidden states.
        let batch_axis = (BATCH, length * dim);
        let (head_axis, row_axis, dim_axis) = ((heads, head_dim), (length, dim), (head_dim, 1));
        let split = Layout::new(&[batch_axis, head_axis, row_axis, dim_axis]);
        let transposed = Layout::new(&[batch_axis, head_axis, dim_axis, row_axis]);

        let combined = self.layout_after(split.clone(), &context)?;
        if !combined.is_row_major(dim) || context.scale != 1.0 {
            return Err(self.refuse(context.base, "heads that are combined to hidden states"));
        }
        let scores = self.unmasked(self.softmax_input(weights)?)?;
        let (scores, relative_position_biases) = self.without_relative_position_biases(scores, heads)?;
        let (scores, mut scale) = self.unscaled(scores);
        let expected = "the product of queries and keys";
        let (query, key) = self.operands(scores, "MatMul").ok_or_else(|| self.refuse(scores, expected))?;

        let mut linear = |value: ValueId, expected_layout: &Layout, is_scaled: bool| {
            let source = self.rearranged(value);
            let layout = self.layout_after(Layout::row_major(self.shape(source.base)?), &source)?;
            if layout != *expected_layout {
                return Err(self.refuse(value, format!("{heads} heads of {head_dim} dimensions each")));
            }
            if is_scaled {
                scale *= source.scale;
            } else if source.scale != 1.0 {
                return Err(self.refuse(value, "values without a factor"));
            }
            let (linear, input) = self.required_linear(source.base)?;
            if input != hidden {
                return Err(self.refuse(source.base, "a linear function of the layer's input"));
            }
            check_sizes(self, source.base, &linear, dim, dim)?;
            Ok(linear)
        };
        let linears =
            [linear(query, &split, true)?, linear(key, &transposed, true)?, linear(value, &split, false)?];
        let scale = scale as f32;
        if !(scale.is_finite() && scale > 0.0) {
            return Err(self.refuse_for(scores, "a positive factor of the scores", scale.to_string()));
        }
        Ok(Attention { linears, heads, scale, relative_position_biases })
    }

    /// Follows a value back through nodes that change its axes or multiply it by a constant.
    pub fn rearranged(&self, value: ValueId) -> Rearranged {
        let mut result = Rearranged { base: value, steps: Vec::new(), scale: 1.0 };
        // Ends because the graph has no cycles.
        loop {
            let (unscaled, scale) = self.unscaled(result.base);
            result.scale *= scale;
            result.base = unscaled;
            match self.graph.producer(unscaled) {
                Some((node, 0))
                    if matches!(
                        node.op.as_str(),
                        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" | "Transpose"
                    ) =>
                {
                    let Some(input) = node.input(0) else { break };
                    result.steps.push(unscaled);
                    result.base = input;
                }
                _ => break,
            }
        }
        result.steps.reverse();
        result
    }

    /// The layout after the steps of a rearranged value.
    pub fn layout_after(&self, start: Layout, value: &Rearranged) -> Result<Layout, Unrecognized> {
        value.steps.iter().try_fold(start, |layout, &step| {
            let shape = self.shape(step)?;
            self.graph
                .producer(step)
                .and_then(|(node, _)| layout.after(node, shape))
                .ok_or_else(|| self.refuse(step, "axes that are split or merged to attention heads"))
        })
    }

    /// Removes factors that are constant scalars. Returns the value without them, and their product.
    fn unscaled(&self, mut value: ValueId) -> (ValueId, f64) {
        let mut scale = 1.0;
        loop {
            if let Some((factor, constant)) = self.with_constant(value, "Mul")
                && let Some(constant) = self.scalar(constant)
            {
                scale *= f64::from(constant);
                value = factor;
            } else if let Some((dividend, divisor)) = self.operands(value, "Div")
                && let Some(divisor) = self.scalar(divisor)
            {
                scale /= f64::from(divisor);
                value = dividend;
            } else {
                return (value, scale);
            }
        }
    }

    /// Matches a softmax over the keys, and returns its input. Some exporters replace the weights of texts without
    /// tokens, which are not numbers, with zeros.
    fn softmax_input(&self, weights: ValueId) -> Result<ValueId, Unrecognized> {
        let cleaned = || {
            let node = self.node(weights, "Where")?;
            let (condition, zero, source) = (node.input(0)?, node.input(1)?, node.input(2)?);
            let tested = self.node(condition, "IsNaN")?.input(0)?;
            (tested == source && self.scalar(zero)? == 0.0).then_some(source)
        };
        let weights = cleaned().unwrap_or(weights);
        let refuse = || self.refuse(weights, "the softmax over the keys");
        let node = self.node(weights, "Softmax").ok_or_else(refuse)?;
        let input = node.input(0).ok_or_else(refuse)?;
        let default_axis = if self.graph.opset < 13 { 1 } else { -1 };
        let axis = node.int("axis").unwrap_or(default_axis);
        if self.is_last_axis(input, axis) { Ok(input) } else { Err(refuse()) }
    }
}
