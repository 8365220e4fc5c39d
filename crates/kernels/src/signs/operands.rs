/// Values that a word of bits is for.
pub const WORD_DIM: usize = 64;
/// The most values: where 16 bits add up pairs of each sixteen values, they hold the sums of so many.
pub const MOST_DIM: usize = 1984;

/// A query of signed bytes, with zeros up to whole words.
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
    /// If there are none, or more than [`MOST_DIM`].
    #[must_use]
    pub fn new(values: &[i8]) -> Self {
        let got = values.len();
        assert!((1..=MOST_DIM).contains(&got), "query: expected 1 to {MOST_DIM} values, got {got}");
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

    /// Bytes of bits that this is a query for.
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
