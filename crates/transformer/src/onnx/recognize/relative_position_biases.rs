//! Relative position biases, which MPNet has.

use super::super::error::Unrecognized;
use super::super::graph::ValueId;
use super::Matcher;
use super::layout::Layout;
use crate::weights::RelativePositionBiases;

impl Matcher<'_> {
    /// Removes relative position biases from attention scores without a mask, if there are any, after checking them.
    /// Returns the scores.
    pub fn without_relative_position_biases(
        &self,
        scores: ValueId,
        heads: usize,
    ) -> Result<(ValueId, Option<RelativePositionBiases>), Unrecognized> {
        let Some((a, b)) = self.operands(scores, "Add") else { return Ok((scores, None)) };
        // One of the addends is looked up in a table.
        if let Some(biases) = self.relative_position_biases(b, heads)? {
            return Ok((a, Some(biases)));
        }
        let expected = "the sum of attention scores and relative position biases";
        let biases = self.relative_position_biases(a, heads)?.ok_or_else(|| self.refuse(scores, expected))?;
        Ok((b, Some(biases)))
    }

    /// Matches relative position biases of the shape `[1 or batch, heads, query, key]`. Returns `None` if the value is not
    /// looked up in a table.
    fn relative_position_biases(
        &self,
        value: ValueId,
        heads: usize,
    ) -> Result<Option<RelativePositionBiases>, Unrecognized> {
        let unexpanded = self.unexpanded(value);
        let floats = self.rearranged(unexpanded);
        // Exporters of quantized models may dequantize rows after their axes are transposed.
        let dequantized = self.dequantized(floats.base);
        let source = self.rearranged(dequantized.map_or(floats.base, |(bytes, _)| bytes));
        let is_scaled = floats.scale != 1.0 || source.scale != 1.0;
        let Some(mut lookup) = self.lookup(source.base).filter(|_| !is_scaled) else { return Ok(None) };
        if let Some((_, quantization)) = dequantized
            && lookup.quantization.replace(quantization).is_some()
        {
            return Err(self.refuse(source.base, "biases that are dequantized once"));
        }
        const BUCKETS: usize = RelativePositionBiases::BUCKETS;
        if lookup.table.shape != [BUCKETS, heads] {
            let expected = format!("a table of {BUCKETS} rows and {heads} columns");
            return Err(self.refuse_for(
                source.base,
                expected,
                format!("the shape {:?}", lookup.table.shape),
            ));
        }
        let length = self.probe.length;
        let layout = self.layout_after(Layout::row_major(self.shape(source.base)?), &source)?;
        let layout = self.layout_after(layout, &floats)?;
        if layout != Layout::new(&[(1, 0), (heads, 1), (length, length * heads), (length, heads)]) {
            return Err(self.refuse(unexpanded, "biases with the axes text, head, query and key"));
        }
        let refuse = || self.refuse(lookup.indices, "buckets that depend on the lengths of texts only");
        let buckets = self.constant(lookup.indices).and_then(|indices| indices.ints()).ok_or_else(refuse)?;
        for (at, &got) in buckets.iter().enumerate() {
            let (query, key) = (at / length, at % length);
            let expected = RelativePositionBiases::bucket(key as isize - query as isize);
            if usize::try_from(got) != Ok(expected) {
                let expected = format!("the bucket {expected} for the query {query} and the key {key}");
                return Err(self.refuse_for(lookup.indices, expected, got.to_string()));
            }
        }
        let values = self.table(source.base, &lookup, 0..BUCKETS)?.to_floats();
        Ok(Some(RelativePositionBiases { heads, values }))
    }

    /// The value for one text of a value that is expanded to all texts of the batch.
    fn unexpanded(&self, value: ValueId) -> ValueId {
        let before = || {
            let input = self.node(value, "Expand")?.input(0)?;
            let (from, to) = (self.probe.shape(input)?, self.probe.shape(value)?);
            (from.len() == to.len() && from.first() == Some(&1) && from[1..] == to[1..]).then_some(input)
        };
        before().unwrap_or(value)
    }
}
