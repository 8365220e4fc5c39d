/// Number of bits in a word.
pub const WORD_DIM: usize = 64;
/// Maximum number of values. NEON adds one pair of each sixteen values to a 16-bit lane, which cannot overflow: the
/// 2 · 1,984 / 16 = 248 values of at least −128 add up to at least −31,744.
pub const MAX_DIM: usize = 1984;

/// A query of signed bytes, padded with zeros to whole words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignQuery {
    values: Vec<i8>,
    sum: i32,
}

impl SignQuery {
    /// A query of these values.
    ///
    /// # Panics
    ///
    /// If there are none, or more than [`MAX_DIM`].
    #[must_use]
    pub fn new(values: &[i8]) -> Self {
        let got = values.len();
        assert!((1..=MAX_DIM).contains(&got), "query: expected 1 to {MAX_DIM} values, got {got}");
        let sum = values.iter().map(|&value| i32::from(value)).sum();
        let mut values = values.to_vec();
        values.resize(got.next_multiple_of(WORD_DIM), 0);
        Self { values, sum }
    }

    /// The sum of all values.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> i32 {
        self.sum
    }

    /// Number of bytes of the words of bits that the query can be multiplied with.
    #[inline]
    #[must_use]
    pub fn bit_bytes(&self) -> usize {
        self.values.len() / 8
    }

    #[inline]
    pub(super) fn words(&self) -> &[[i8; WORD_DIM]] {
        self.values.as_chunks().0
    }
}
