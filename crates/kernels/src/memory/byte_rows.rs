//! Rows of bytes, which hold 4-bit codes or sign bits.

/// Rows of the same number of bytes, stored one after another.
#[derive(Debug, Clone, Copy)]
pub struct ByteRows<'a> {
    bytes: &'a [u8],
    row_bytes: usize,
}

impl<'a> ByteRows<'a> {
    /// Interprets `bytes` as rows of `row_bytes` bytes each.
    ///
    /// # Panics
    ///
    /// If `row_bytes` is 0 or does not divide the number of bytes.
    #[must_use]
    pub fn new(bytes: &'a [u8], row_bytes: usize) -> Self {
        let got = bytes.len();
        let has_whole_rows = row_bytes > 0 && got.is_multiple_of(row_bytes);
        assert!(has_whole_rows, "rows: expected whole rows of {row_bytes} bytes, got {got} bytes");
        Self { bytes, row_bytes }
    }

    /// Returns the number of bytes of each row.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// Returns the bytes of row `ord`.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[inline]
    #[must_use]
    pub fn row(&self, ord: u32) -> &'a [u8] {
        &self.bytes[ord as usize * self.row_bytes..][..self.row_bytes]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "rows: expected whole rows of 64 bytes, got 100 bytes")]
    fn a_truncated_row_is_refused() {
        let _ = ByteRows::new(&[0; 100], 64);
    }
}
