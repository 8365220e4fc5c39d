//! Collects the passages of a new segment and writes its passage file; [`super::file`] describes the format.

use std::io::{self, Write};

use super::file::{CONTIGUOUS_ORDS, LARGE, MAGIC, UNSORTED_ORDS};

/// The passages of a segment that is being written, in the order of their `DocId`s.
#[derive(Debug, Default)]
pub(crate) struct PassageFileBuilder {
    ords: Vec<u32>,
    /// Where each id ends in `ids`.
    id_ends: Vec<u64>,
    /// All ids, one after the other.
    ids: Vec<u8>,
}

impl PassageFileBuilder {
    /// Appends the next passage.
    pub fn push(&mut self, ord: u32, id: &str) {
        self.ords.push(ord);
        self.ids.extend_from_slice(id.as_bytes());
        self.id_ends.push(self.ids.len() as u64);
    }

    /// Returns the number of bytes of memory that the builder takes.
    pub fn bytes(&self) -> usize {
        4 * self.ords.capacity() + 8 * self.id_ends.capacity() + self.ids.capacity()
    }

    /// Writes the file.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        self.write_as(u32::try_from(self.ids.len()).is_err(), to)
    }

    /// Does the same as [`write`](Self::write), with id ends of 8 bytes if `is_large`.
    pub(super) fn write_as(&self, is_large: bool, to: &mut impl Write) -> io::Result<()> {
        let is_unsorted = !self.ords.is_sorted();
        let is_contiguous =
            self.ords.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) && !self.ords.is_empty();
        let flags = [(is_unsorted, UNSORTED_ORDS), (is_contiguous, CONTIGUOUS_ORDS), (is_large, LARGE)];
        let flags: u32 = flags.iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).sum();
        to.write_all(&MAGIC)?;
        to.write_all(&(self.ords.len() as u32).to_le_bytes())?;
        to.write_all(&flags.to_le_bytes())?;
        let ords = if is_contiguous { &self.ords[..1] } else { &self.ords };
        ords.iter().try_for_each(|ord| to.write_all(&ord.to_le_bytes()))?;
        if is_unsorted {
            let mut by_ord: Vec<u32> = (0..self.ords.len() as u32).collect();
            by_ord.sort_unstable_by_key(|&doc| self.ords[doc as usize]);
            by_ord.iter().try_for_each(|doc| to.write_all(&doc.to_le_bytes()))?;
        }
        for end in &self.id_ends {
            match u32::try_from(*end) {
                Ok(end) if !is_large => to.write_all(&end.to_le_bytes())?,
                _ => to.write_all(&end.to_le_bytes())?,
            }
        }
        to.write_all(&self.ids)
    }
}
