//! Batches of model inputs that are padded to the same length.

use std::ops::Range;

use tokenize::ModelInput;

/// Several model inputs, padded to the length of the longest: row-major matrices `[rows, length]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Number of inputs.
    pub rows: usize,
    /// Number of tokens of the longest input.
    pub length: usize,
    /// Token ids.
    pub ids: Vec<i64>,
    /// 1 for a token, 0 for padding.
    pub mask: Vec<i64>,
    /// Token types (segment ids): 0 for padding and for the first [`type_0_count`](ModelInput::type_0_count) tokens of
    /// an input, 1 for the other tokens.
    pub types: Vec<i64>,
}

impl Batch {
    /// Joins inputs into a batch and pads them with the token id `padding`.
    #[must_use]
    pub fn new(inputs: &[&ModelInput], padding: u32) -> Self {
        let rows = inputs.len();
        let length = inputs.iter().map(|input| input.ids.len()).max().unwrap_or(0);
        let mut batch = Self {
            rows,
            length,
            ids: vec![i64::from(padding); rows * length],
            mask: vec![0; rows * length],
            types: vec![0; rows * length],
        };
        for (row, input) in inputs.iter().enumerate() {
            let tokens = row * length..row * length + input.ids.len();
            for (to, &from) in batch.ids[tokens.clone()].iter_mut().zip(&input.ids) {
                *to = i64::from(from);
            }
            batch.mask[tokens.clone()].fill(1);
            batch.types[tokens][input.type_0_count..].fill(1);
        }
        batch
    }

    /// The token ids of an input, without padding.
    pub(crate) fn token_ids(&self, row: usize) -> Vec<u32> {
        let tokens = self.ids[row * self.length..].iter().take(self.token_count(row));
        tokens.map(|&id| u32::try_from(id).unwrap_or(u32::MAX)).collect()
    }

    /// Number of tokens of type 0 at the beginning of an input.
    pub(crate) fn type_0_count(&self, row: usize) -> usize {
        let types = self.types[row * self.length..].iter().take(self.token_count(row));
        types.take_while(|&&token_type| token_type == 0).count()
    }

    /// Number of tokens of an input.
    fn token_count(&self, row: usize) -> usize {
        self.mask[row * self.length..][..self.length].iter().take_while(|&&mask| mask == 1).count()
    }
}

/// Groups inputs into batches of at most `max_tokens` tokens, padding included. `lengths` has the number of tokens of
/// each input, in descending order. Returns the range of inputs of each batch. An input longer than `max_tokens` is a
/// batch of its own.
///
/// No input is shorter than half of the longest input in its batch, so less than half of each batch is padding. Many
/// inputs need much less padding: a batch has at most `max_tokens` · (1 − shortest / longest) tokens of padding.
/// Because 1 − x ≤ −ln x, all batches together have at most `max_tokens` · ln(longest / shortest) tokens of padding,
/// where `longest` and `shortest` are the lengths of the longest and the shortest of all inputs.
pub(crate) fn plan_batches(lengths: &[usize], max_tokens: usize) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    while start < lengths.len() {
        // The first input of a batch is its longest one.
        let longest = lengths[start];
        let max_rows = (max_tokens / longest.max(1)).max(1);
        let rows =
            lengths[start..].iter().take(max_rows).take_while(|&&length| 2 * length >= longest).count();
        batches.push(start..start + rows);
        start += rows;
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shorter_rows_are_padded_and_masked() {
        let long = ModelInput { ids: vec![101, 7, 102, 9, 102], type_0_count: 3 };
        let short = ModelInput { ids: vec![101, 8, 102], type_0_count: 3 };
        let batch = Batch::new(&[&long, &short], 5);
        assert_eq!((batch.rows, batch.length), (2, 5));
        assert_eq!(batch.ids, [101, 7, 102, 9, 102, 101, 8, 102, 5, 5]);
        assert_eq!(batch.mask, [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(batch.types, [0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn batches_with_their_padding_do_not_exceed_the_limit() {
        // 2 inputs × 10 tokens ≤ 20; 3 × 6 ≤ 20; one input is left.
        assert_eq!(plan_batches(&[10, 8, 6, 6, 5, 2], 20), [0..2, 2..5, 5..6]);
        assert_eq!(plan_batches(&[50, 3], 20), [0..1, 1..2], "an input beyond the limit is its own batch");
        assert!(plan_batches(&[], 20).is_empty());
    }

    #[test]
    fn an_input_shorter_than_half_of_the_longest_begins_a_new_batch() {
        assert_eq!(plan_batches(&[10, 5, 4, 2, 1], 100), [0..2, 2..4, 4..5]);
    }

    proptest! {
        #[test]
        fn less_than_half_of_a_batch_is_padding(mut lengths in prop::collection::vec(1usize..300, 0..200), tokens in 1usize..3000) {
            lengths.sort_unstable_by_key(|&length| std::cmp::Reverse(length));
            let batches = plan_batches(&lengths, tokens);
            prop_assert_eq!(batches.iter().cloned().flatten().collect::<Vec<_>>(), (0..lengths.len()).collect::<Vec<_>>());
            let mut padding = 0;
            for batch in batches {
                let (rows, longest) = (batch.len(), lengths[batch.start]);
                prop_assert!(rows == 1 || rows * longest <= tokens);
                let batch_padding = rows * longest - lengths[batch].iter().sum::<usize>();
                prop_assert!(2 * batch_padding < rows * longest);
                padding += batch_padding;
            }
            if let (Some(&longest), Some(&shortest)) = (lengths.first(), lengths.last()) {
                let bound = tokens as f64 * (longest as f64 / shortest as f64).ln();
                prop_assert!(padding as f64 <= bound + 1e-6, "{} tokens of padding, bound {}", padding, bound);
            }
        }
    }
}
