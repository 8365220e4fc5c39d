//! Where the rows of a file are.

use crate::element::Element;

/// Where the rows of a file are, and the type of their numbers. All rows have the same size and follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Byte offset of the first row.
    pub offset: u64,
    pub rows: u64,
    pub dim: usize,
    pub element: Element,
    /// Whether each row begins with its dimension as a 32-bit integer.
    pub has_row_lengths: bool,
}

impl Layout {
    /// Returns the layout of a matrix `[rows, dim]`, or `None` if it would take more bytes than a file can have.
    pub fn matrix(offset: u64, rows: u64, dim: usize, element: Element) -> Option<Self> {
        let layout = Self { offset, rows, dim, element, has_row_lengths: false };
        layout.end().map(|_| layout)
    }

    /// Returns the byte offset of the end of the last row, or `None` if it exceeds 64 bits or a row exceeds the address
    /// space.
    pub fn end(&self) -> Option<u64> {
        let row = (self.dim as u64)
            .checked_mul(self.element.width() as u64)?
            .checked_add(self.row_header_bytes() as u64)?;
        usize::try_from(row).ok()?;
        self.rows.checked_mul(row)?.checked_add(self.offset)
    }

    /// Returns the number of bytes of a row before its numbers.
    pub fn row_header_bytes(&self) -> usize {
        if self.has_row_lengths { 4 } else { 0 }
    }
}
