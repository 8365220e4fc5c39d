//! The mask of the attention: padding must have no weight, and all tokens must attend to all tokens.

use super::super::error::Unrecognized;
use super::super::graph::{Input, ValueId};
use super::super::probe::{BATCH, InputSet, Known};
use super::Matcher;

/// A score with this addend or a lower one has the weight 0: exp(−10⁴) is 0 as a 32-bit float.
const MAX_PADDING_ADDEND: f32 = -1e4;

impl Matcher<'_> {
    /// Removes the mask from scores before the softmax, after checking it. Returns the scores.
    pub fn unmasked(&self, scores: ValueId) -> Result<ValueId, Unrecognized> {
        if let Some((a, b)) = self.operands(scores, "Add") {
            let (scores, mask) = if self.probe.known(a).is_some() { (b, a) } else { (a, b) };
            let known = self.known(mask)?;
            let addends = known.tensor.floats().ok_or_else(|| self.refuse(mask, "floats"))?;
            self.check_mask(mask, known, |index, is_padding| {
                if is_padding { addends[index] <= MAX_PADDING_ADDEND } else { addends[index] == 0.0 }
            })?;
            return Ok(scores);
        }
        if let Some(node) = self.node(scores, "Where")
            && let (Some(condition), Some(a), Some(b)) = (node.input(0), node.input(1), node.input(2))
        {
            // Either of the branches is the constant for padding.
            let padding_if = self.scalar(a).is_some();
            let (padding, scores) = if padding_if { (a, b) } else { (b, a) };
            if self.scalar(padding).is_none_or(|padding| padding > MAX_PADDING_ADDEND || padding.is_nan()) {
                return Err(
                    self.refuse(scores, format!("scores of at most {MAX_PADDING_ADDEND} for padding"))
                );
            }
            let known = self.known(condition)?;
            let conditions = known.tensor.bools().ok_or_else(|| self.refuse(condition, "booleans"))?;
            self.check_mask(condition, known, |index, is_padding| {
                (conditions[index] == padding_if) == is_padding
            })?;
            return Ok(scores);
        }
        Err(self.refuse(scores, "scores of the attention with a mask"))
    }

    /// Checks the values of a mask, whose shape is broadcast to `[batch, heads, query, key]`.
    fn check_mask(
        &self,
        mask: ValueId,
        known: &Known,
        is_valid: impl Fn(usize, bool) -> bool,
    ) -> Result<(), Unrecognized> {
        if !known.inputs.is_subset(InputSet::of(Input::Mask)) {
            return Err(self.refuse(mask, "a mask that depends on the input `attention_mask` only"));
        }
        let length = self.probe.length;
        let shape = &known.tensor.shape;
        let &[BATCH, _, queries, keys] = shape.as_slice() else {
            let expected = "a mask with the axes batch, heads, queries and keys";
            return Err(self.refuse_for(mask, expected, format!("the shape {shape:?}")));
        };
        if keys != length || !(queries == 1 || queries == length) {
            let expected = format!("a mask for {length} keys");
            return Err(self.refuse_for(mask, expected, format!("the shape {shape:?}")));
        }
        let values_of_text = known.tensor.len() / BATCH;
        for index in 0..known.tensor.len() {
            let (text, query, key) = (index / values_of_text, index / keys % queries, index % keys);
            let is_padding = self.probe.is_padding(text, key);
            if !is_valid(index, is_padding) {
                let (expected, got) = if is_padding {
                    ("a mask that hides padding", "attended to")
                } else {
                    ("a mask that hides padding only", "hidden or given another weight")
                };
                let got = format!("token {key} {got} by token {query}");
                return Err(self.refuse_for(mask, expected, got));
            }
        }
        Ok(())
    }
}
