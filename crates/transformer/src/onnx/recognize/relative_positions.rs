//! The biases of the attention by relative positions, which MPNet has.

use super::super::error::Unrecognized;
use super::super::graph::ValueId;
use super::Matcher;
use super::layout::Layout;
use crate::weights::RelativePositions;

impl Matcher<'_> {
    /// Removes biases by relative positions from scores without a mask, if there are any, after checking them. Returns
    /// the scores.
    pub fn unbiased(
        &self,
        scores: ValueId,
        heads: usize,
    ) -> Result<(ValueId, Option<RelativePositions>), Unrecognized> {
        let Some((a, b)) = self.operands(scores, "Add") else { return Ok((scores, None)) };
        // One of the addends is looked up in a table.
        if let Some(relative) = self.biases(b, heads)? {
            return Ok((a, Some(relative)));
        }
        let expected = "the sum of scores and of biases by relative positions";
        let relative = self.biases(a, heads)?.ok_or_else(|| self.refuse(scores, expected))?;
        Ok((b, Some(relative)))
    }

    /// Matches biases of the shape `[1 or batch, heads, query, key]`. Returns `None` if the value is not looked up in a
    /// table.
    fn biases(&self, value: ValueId, heads: usize) -> Result<Option<RelativePositions>, Unrecognized> {
        let of_one_text = self.unexpanded(value);
        let floats = self.rearranged(of_one_text);
        // Exporters of quantized models may dequantize rows after their axes are transposed.
        let dequantized = self.dequantized(floats.base);
        let source = self.rearranged(dequantized.map_or(floats.base, |(bytes, _)| bytes));
        let is_scaled = floats.scale != 1.0 || source.scale != 1.0;
        let Some(mut lookup) = self.lookup(source.base).filter(|_| !is_scaled) else { return Ok(None) };
        lookup.quantization = lookup.quantization.or(dequantized.map(|(_, quantization)| quantization));
        let table = self.table(source.base, &lookup, 0..lookup.table.shape[0])?;
        let (buckets, columns) = (table.rows, table.dim);
        let counts = RelativePositions::BUCKET_COUNTS;
        if columns != heads || !counts.contains(&buckets) || !buckets.is_multiple_of(2) {
            let (least, most) = counts.into_inner();
            let expected =
                format!("a table of an even number of rows, from {least} to {most}, and {heads} columns");
            return Err(self.refuse_for(source.base, expected, format!("{buckets} by {columns}")));
        }
        let length = self.probe.length;
        let layout = self.layout_after(Layout::row_major(self.shape(source.base)?), &source)?;
        let layout = self.layout_after(layout, &floats)?;
        if layout != Layout::new(&[(1, 0), (heads, 1), (length, length * heads), (length, heads)]) {
            return Err(self.refuse(of_one_text, "biases with the axes text, head, query and key"));
        }
        let refuse = || self.refuse(lookup.indices, "buckets that depend on the lengths of texts only");
        let numbers = self.constant(lookup.indices).and_then(|indices| indices.ints()).ok_or_else(refuse)?;
        for (at, &got) in numbers.iter().enumerate() {
            let (query, key) = (at / length, at % length);
            let expected = RelativePositions::bucket(buckets, key as isize - query as isize);
            if usize::try_from(got) != Ok(expected) {
                let expected = format!(
                    "the bucket {expected} for token {query} as the query and token {key} as the key"
                );
                return Err(self.refuse_for(lookup.indices, expected, got.to_string()));
            }
        }
        Ok(Some(RelativePositions { heads, buckets, biases: table.to_floats() }))
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
