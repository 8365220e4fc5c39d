//! Queries that are multiplied with rows of sign bits.

/// Number of bits in a word of a row.
pub const WORD_DIM: usize = 64;
/// Maximum number of values of a query. With NEON, each 16-bit lane of an accumulator adds 2 of every 16 values. Up to
/// this number of values, no lane can overflow: the sum of 2 · 1,984 / 16 = 248 values of at least −128 is at least
/// −31,744.
pub const MAX_DIM: usize = 1984;

/// A query of signed bytes, padded with zeros to whole words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignQuery {
    values: Vec<i8>,
    sum: i32,
}

impl SignQuery {
    /// Makes a query from the given values.
    ///
    /// # Panics
    ///
    /// If there are no values, or more than [`MAX_DIM`].
    #[must_use]
    pub fn new(values: &[i8]) -> Self {
        let got = values.len();
        assert!((1..=MAX_DIM).contains(&got), "query: expected 1 to {MAX_DIM} values, got {got}");
        let sum = values.iter().map(|&value| i32::from(value)).sum();
        let mut values = values.to_vec();
        values.resize(got.next_multiple_of(WORD_DIM), 0);
        Self { values, sum }
    }

    /// Returns the sum of all values.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> i32 {
        self.sum
    }

    /// Returns the number of bytes at the start of each row that hold the bits for the query's values.
    #[inline]
    #[must_use]
    pub fn bit_bytes(&self) -> usize {
        self.values.len() / 8
    }

    /// Returns the values in blocks, each of which matches one word of bits.
    #[inline]
    pub(super) fn words(&self) -> &[[i8; WORD_DIM]] {
        self.values.as_chunks().0
    }
}
