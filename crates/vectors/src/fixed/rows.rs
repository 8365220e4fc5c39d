use super::layout::Layout;
use crate::Error;
use crate::element::Element;
use crate::input::Input;
use crate::source::{Batch, RowSource};

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

impl RowSource for FixedRows {
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
