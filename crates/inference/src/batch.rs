use std::ops::Range;

use tokenize::ModelInput;

/// Model inputs of several texts, filled up to the longest: `[rows, length]`, row-major.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Texts.
    pub rows: usize,
    /// Tokens of the longest.
    pub length: usize,
    /// Vocabulary ids.
    pub ids: Vec<i64>,
    /// 1 for a token, 0 for filling.
    pub mask: Vec<i64>,
    /// Token types; 0 for filling.
    pub types: Vec<i64>,
}

impl Batch {
    /// Puts inputs side by side, in the order given.
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

/// Cuts texts that are sorted by length, longest first, into batches of at most `tokens` tokens, filling
/// included; a longer text is a batch of its own.
pub(crate) fn plan(lengths: &[usize], tokens: usize) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    while start < lengths.len() {
        // The first of a batch is its longest.
        let rows = (tokens / lengths[start].max(1)).clamp(1, lengths.len() - start);
        batches.push(start..start + rows);
        start += rows;
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shorter_rows_are_filled_and_masked() {
        let long = ModelInput { ids: vec![101, 7, 102, 9, 102], first_type: 3 };
        let short = ModelInput { ids: vec![101, 8, 102], first_type: 3 };
        let batch = Batch::new(&[&long, &short], 5);
        assert_eq!((batch.rows, batch.length), (2, 5));
        assert_eq!(batch.ids, [101, 7, 102, 9, 102, 101, 8, 102, 5, 5]);
        assert_eq!(batch.mask, [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
        assert_eq!(batch.types, [0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn batches_hold_so_many_tokens_that_filling_included_they_fit() {
        // 2 × 10 ≤ 20; 3 × 6 ≤ 20; 1 left.
        assert_eq!(plan(&[10, 8, 6, 6, 5, 2], 20), [0..2, 2..5, 5..6]);
        assert_eq!(plan(&[50, 3], 20), [0..1, 1..2], "too long a text goes alone");
        assert!(plan(&[], 20).is_empty());
    }
}
