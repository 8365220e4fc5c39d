//! Batches of model inputs, padded to one length.

use std::ops::Range;

use tokenize::ModelInput;

/// The model inputs of several texts, padded to the longest: `[rows, length]`, row-major.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Number of texts.
    pub rows: usize,
    /// Number of tokens of the longest text.
    pub length: usize,
    /// Token ids.
    pub ids: Vec<i64>,
    /// 1 for a token, 0 for padding.
    pub mask: Vec<i64>,
    /// Token types (segment ids); 0 for padding.
    pub types: Vec<i64>,
}

impl Batch {
    /// Pads inputs with the token `padding`.
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
            batch.types[tokens][input.first_type..].fill(1);
        }
        batch
    }
}

/// Groups texts, which are sorted by length, longest first, into batches of at most `max_tokens` tokens, padding included. A
/// longer text is a batch of its own.
///
/// No text is shorter than half of the longest in its batch, so less than half of every batch is padding. For many texts it
/// is far less: the padding of a batch is at most `max_tokens` · (1 − shortest / longest), and that of all batches together at
/// most `max_tokens` · ln(longest / shortest).
pub(crate) fn plan_batches(lengths: &[usize], max_tokens: usize) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    while start < lengths.len() {
        // Texts are sorted, so the first one is the longest of its batch.
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
        let long = ModelInput { ids: vec![101, 7, 102, 9, 102], first_type: 3 };
        let short = ModelInput { ids: vec![101, 8, 102], first_type: 3 };
        let batch = Batch::new(&[&long, &short], 5);
        assert_eq!((batch.rows, batch.length), (2, 5));
        assert_eq!(batch.ids, [101, 7, 102, 9, 102, 101, 8, 102, 5, 5]);
        assert_eq!(batch.mask, [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(batch.types, [0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn batches_fit_the_token_limit_with_their_padding() {
        // 2 × 10 ≤ 20; 3 × 6 ≤ 20; one text is left.
        assert_eq!(plan_batches(&[10, 8, 6, 6, 5, 2], 20), [0..2, 2..5, 5..6]);
        assert_eq!(plan_batches(&[50, 3], 20), [0..1, 1..2], "a text above the limit is alone");
        assert!(plan_batches(&[], 20).is_empty());
    }

    #[test]
    fn a_text_shorter_than_half_of_the_longest_begins_a_batch() {
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
