use std::path::Path;

use crate::Error;
use crate::element::Element;
use crate::input::Input;
use crate::open::{Batch, Source};

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
    fn head(&self) -> usize {
        if self.counted { 4 } else { 0 }
    }
}

/// The layout of a file of `f32` numbers and nothing else, of which the dimension must be known.
pub(crate) fn raw(path: &Path, length: u64, dim: Option<usize>) -> Result<Layout, Error> {
    let dim = dim.filter(|&dim| dim > 0).ok_or_else(|| Error::Option {
        name: "dim",
        expected: "the dimension of the vectors, which a raw file does not say".to_owned(),
        got: dim.map_or_else(|| "none".to_owned(), |dim| dim.to_string()),
    })?;
    let row = dim as u64 * 4;
    if !length.is_multiple_of(row) {
        let expected = format!("whole rows of {dim} f32 numbers, {row} bytes each");
        return Err(Error::format(path, expected, format!("{length} bytes")));
    }
    Ok(Layout { offset: 0, rows: length / row, dim, element: Element::F32, counted: false })
}

/// Reads rows of a [`Layout`] in order.
pub(crate) struct FixedRows {
    input: Input,
    layout: Layout,
    next: u64,
    bytes: Vec<u8>,
}

impl FixedRows {
    pub fn new(mut input: Input, layout: Layout) -> Result<Self, Error> {
        input.seek(layout.offset)?;
        Ok(Self { input, layout, next: 0, bytes: Vec::new() })
    }
}

impl Source for FixedRows {
    fn read(&mut self, most: usize, batch: &mut Batch) -> Result<(), Error> {
        let Layout { rows, dim, element, counted, .. } = self.layout;
        let count = usize::try_from(rows - self.next).map_or(most, |left| left.min(most));
        if element == Element::F32 && !counted {
            let start = batch.vectors.len();
            batch.vectors.resize(start + count * dim, 0.0);
            self.input.read_exact(bytemuck::cast_slice_mut(&mut batch.vectors[start..]))?;
        } else {
            let row = dim * element.width() + self.layout.head();
            self.bytes.resize(count * row, 0);
            self.input.read_exact(&mut self.bytes)?;
            for (i, bytes) in self.bytes.chunks_exact(row).enumerate() {
                let (head, numbers) = bytes.split_at(self.layout.head());
                if let Ok(head) = <[u8; 4]>::try_from(head)
                    && u32::from_le_bytes(head) as usize != dim
                {
                    let expected = format!("rows of {dim} numbers, as the first one");
                    let got = format!("{} at row {}", u32::from_le_bytes(head), self.next + i as u64);
                    return Err(Error::format(self.input.path(), expected, got));
                }
                element.append(numbers, &mut batch.vectors);
            }
        }
        self.next += count as u64;
        Ok(())
    }
}
