/// Rows of as many bytes each, one after another, for kernels that multiply codes of less than a byte.
#[derive(Debug, Clone, Copy)]
pub struct ByteRows<'a> {
    bytes: &'a [u8],
    row_bytes: usize,
}

impl<'a> ByteRows<'a> {
    /// Rows of `row_bytes` bytes each.
    ///
    /// # Panics
    ///
    /// If a row has no bytes, or the last one is cut off.
    #[must_use]
    pub fn new(bytes: &'a [u8], row_bytes: usize) -> Self {
        let got = bytes.len();
        let whole = row_bytes > 0 && got.is_multiple_of(row_bytes);
        assert!(whole, "rows: expected rows of {row_bytes} bytes, got {got}");
        Self { bytes, row_bytes }
    }

    /// Bytes of each row.
    #[must_use]
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The bytes of a row.
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
    #[should_panic(expected = "rows: expected rows of 64 bytes, got 100")]
    fn a_row_that_is_cut_off_is_refused() {
        let _ = ByteRows::new(&[0; 100], 64);
    }
}
