use crate::element::Element;

/// Rows that lie one after another, all of the same size: NumPy, safetensors, bare numbers, fvecs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Where the first row begins.
    pub offset: u64,
    pub rows: u64,
    pub dim: usize,
    pub element: Element,
    /// Whether each row begins with its length, a 32-bit number.
    pub counted: bool,
}

impl Layout {
    /// `rows` rows after one another; none if they take more bytes than a file can have.
    pub fn of_matrix(offset: u64, rows: u64, dim: usize, element: Element) -> Option<Self> {
        let layout = Self { offset, rows, dim, element, counted: false };
        layout.end().map(|_| layout)
    }

    /// Where the last row ends.
    pub fn end(&self) -> Option<u64> {
        let row =
            (self.dim as u64).checked_mul(self.element.width() as u64)?.checked_add(self.head() as u64)?;
        usize::try_from(row).ok()?;
        self.rows.checked_mul(row)?.checked_add(self.offset)
    }

    /// Bytes of a row before its numbers.
    pub fn head(&self) -> usize {
        if self.counted { 4 } else { 0 }
    }
}
