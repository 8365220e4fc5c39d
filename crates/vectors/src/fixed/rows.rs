//! Reads rows of a fixed size.

use super::layout::Layout;
use crate::Error;
use crate::element::Element;
use crate::input::Input;
use crate::source::{Batch, RowSource};

/// Reads rows of a [`Layout`] in order.
pub(crate) struct FixedRows {
    input: Input,
    layout: Layout,
    /// Number of the next row in the file, from 0.
    next_row: u64,
    /// Buffer for rows that have to be converted, or that begin with their dimension.
    bytes: Vec<u8>,
}

impl FixedRows {
    pub fn new(mut input: Input, layout: Layout) -> Result<Self, Error> {
        input.seek(layout.offset)?;
        Ok(Self { input, layout, next_row: 0, bytes: Vec::new() })
    }
}

impl RowSource for FixedRows {
    fn read(&mut self, max_rows: usize, batch: &mut Batch) -> Result<(), Error> {
        let Layout { rows, dim, element, has_row_lengths, .. } = self.layout;
        let count = usize::try_from(rows - self.next_row).map_or(max_rows, |left| left.min(max_rows));
        if element == Element::F32 && !has_row_lengths {
            let start = batch.vectors.len();
            batch.vectors.resize(start + count * dim, 0.0);
            self.input.read_exact(bytemuck::cast_slice_mut(&mut batch.vectors[start..]))?;
        } else {
            let row_bytes = dim * element.width() + self.layout.row_header_bytes();
            self.bytes.resize(count * row_bytes, 0);
            self.input.read_exact(&mut self.bytes)?;
            for (i, bytes) in self.bytes.chunks_exact(row_bytes).enumerate() {
                let (header, numbers) = bytes.split_at(self.layout.row_header_bytes());
                if let Ok(length) = <[u8; 4]>::try_from(header)
                    && u32::from_le_bytes(length) as usize != dim
                {
                    let expected = format!("rows of {dim} numbers, like the first one");
                    let got = format!("{} at row {}", u32::from_le_bytes(length), self.next_row + i as u64);
                    return Err(Error::format(self.input.path(), expected, got));
                }
                element.append(numbers, &mut batch.vectors);
            }
        }
        self.next_row += count as u64;
        Ok(())
    }
}
