//! The layout of rows of 4-bit codes, and queries that match it. The [module](super) draws the layout.

/// Number of codes in a block.
pub const BLOCK_DIM: usize = 128;
/// Number of bytes in a block.
pub const BLOCK_BYTES: usize = BLOCK_DIM / 2;

/// A query of signed bytes, padded with zeros to whole blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Int4Query {
    values: Vec<i8>,
    sum: i32,
}

impl Int4Query {
    /// Makes a query from the given values.
    ///
    /// # Panics
    ///
    /// If there are no values, or more than 2²⁰. This limit ensures that no inner product overflows 32 bits:
    /// 15 · 128 · 2²⁰ < 2³¹.
    #[must_use]
    pub fn new(values: &[i8]) -> Self {
        let got = values.len();
        assert!((1..=1 << 20).contains(&got), "query: expected 1 to {} values, got {got}", 1 << 20);
        let mut query = Self { values: vec![0; got.next_multiple_of(BLOCK_DIM)], sum: 0 };
        query.set(values);
        query
    }

    /// Replaces the values.
    ///
    /// # Panics
    ///
    /// If the new values do not fill the same number of blocks as the old ones.
    pub fn set(&mut self, values: &[i8]) {
        assert_eq!(
            values.len().next_multiple_of(BLOCK_DIM),
            self.values.len(),
            "query: expected values that fill the same number of blocks"
        );
        self.values[..values.len()].copy_from_slice(values);
        self.values[values.len()..].fill(0);
        self.sum = values.iter().map(|&value| i32::from(value)).sum();
    }

    /// Replaces the values with the first `dim` codes of a row, centered on 0: a code c becomes 2c − 15. The remaining
    /// values become zeros.
    ///
    /// # Panics
    ///
    /// If the row does not have [`row_bytes`](Self::row_bytes) bytes, or has fewer than `dim` codes.
    pub fn set_to_row(&mut self, row: &[u8], dim: usize) {
        let (expected, got) = (self.row_bytes(), row.len());
        assert!(expected == got, "query: expected a row of {expected} bytes, got {got}");
        let value = |code: u8| (2 * code).cast_signed() - 15;
        for (values, block) in self.values.chunks_exact_mut(BLOCK_DIM).zip(row.chunks_exact(BLOCK_BYTES)) {
            let (low, high) = values.split_at_mut(BLOCK_BYTES);
            low.iter_mut().zip(block).for_each(|(to, byte)| *to = value(byte & 15));
            high.iter_mut().zip(block).for_each(|(to, byte)| *to = value(byte >> 4));
        }
        self.values[dim..].fill(0);
        self.sum = self.values.iter().map(|&value| i32::from(value)).sum();
    }

    /// Returns the sum of all values.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> i32 {
        self.sum
    }

    /// Returns the number of bytes of a row with as many blocks as the query. The query can only be multiplied with
    /// rows of this size.
    #[inline]
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.values.len() / 2
    }

    /// Returns the values, padded with zeros to whole blocks.
    #[inline]
    #[must_use]
    pub fn values(&self) -> &[i8] {
        &self.values
    }
}

/// Packs codes of 0 to 15 into a row and fills the rest of the row with zeros.
///
/// # Panics
///
/// If the row is too short for the codes.
pub fn pack(codes: &[u8], row: &mut [u8]) {
    assert!(
        codes.len() <= 2 * row.len(),
        "pack: expected at most {} codes, got {}",
        2 * row.len(),
        codes.len()
    );
    row.fill(0);
    for (block, codes) in row.chunks_mut(BLOCK_BYTES).zip(codes.chunks(BLOCK_DIM)) {
        let (low, high) = codes.split_at(codes.len().min(BLOCK_BYTES));
        for (byte, code) in block.iter_mut().zip(low) {
            *byte = code & 15;
        }
        for (byte, code) in block.iter_mut().zip(high) {
            *byte |= code << 4;
        }
    }
}

/// Unpacks the first `codes.len()` codes of a row into `codes`.
///
/// # Panics
///
/// If the row has fewer codes.
pub fn unpack(row: &[u8], codes: &mut [u8]) {
    assert!(
        codes.len() <= 2 * row.len(),
        "unpack: expected at most {} codes, got {}",
        2 * row.len(),
        codes.len()
    );
    for (block, codes) in row.chunks(BLOCK_BYTES).zip(codes.chunks_mut(BLOCK_DIM)) {
        let (low, high) = codes.split_at_mut(codes.len().min(BLOCK_BYTES));
        low.iter_mut().zip(block).for_each(|(code, byte)| *code = byte & 15);
        high.iter_mut().zip(block).for_each(|(code, byte)| *code = byte >> 4);
    }
}
