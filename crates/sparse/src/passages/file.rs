//! Reads the passage file of a segment: [`PassageFile`] maps passages to ords and ids, and ords to passages.
//!
//! All integers are little-endian:
//!
//! ```text
//! header        magic 8 bytes │ number of passages u32 │ flags u32
//! ords          u32 for each passage; with CONTIGUOUS_ORDS only the ord of the first passage
//! by_ord        only with UNSORTED_ORDS: the passages (u32 `DocId`s) in the order of their ords
//! id ends       where the id of each passage ends in `ids`, u32 each; with LARGE u64 each
//! ids           all ids, one after the other
//! checksum      written by tantivy
//! ```

use std::ops::RangeInclusive;

use tantivy::DocId;
use tantivy::directory::OwnedBytes;

pub(super) const MAGIC: [u8; 8] = *b"PKPASSG3";
const HEADER_BYTES: usize = 16;
/// The ords are not in ascending order, as after a merge of segments whose ords overlap.
pub(super) const UNSORTED_ORDS: u32 = 1;
/// Each passage's ord is the previous passage's ord plus 1.
pub(super) const CONTIGUOUS_ORDS: u32 = 2;
/// The ids have 2^32 bytes or more in total.
pub(super) const LARGE: u32 = 4;

/// An open passage file.
#[derive(Debug, Clone)]
pub(crate) struct PassageFile {
    bytes: OwnedBytes,
    /// Number of passages, including deleted ones.
    count: usize,
    flags: u32,
    /// The ord of the first passage if the ords are contiguous, otherwise 0.
    first_ord: u32,
    id_ends_start: usize,
    ids_start: usize,
}

impl PassageFile {
    /// Opens the file of a segment with `max_doc` passages. Checks magic, length and number of passages; the error says
    /// what was found instead.
    pub fn open(bytes: OwnedBytes, max_doc: DocId) -> Result<Self, String> {
        let file = Self::open_any(bytes)?;
        if file.count != max_doc as usize {
            return Err(format!("{} passages in a segment of {max_doc}", file.count));
        }
        Ok(file)
    }

    /// Does the same as [`open`](Self::open), for a file of a segment with an unknown number of passages.
    pub fn open_any(bytes: OwnedBytes) -> Result<Self, String> {
        if bytes.len() < HEADER_BYTES || bytes[..8] != MAGIC {
            return Err("a file that does not start like a passage file".to_owned());
        }
        let count = read_u32(&bytes, 8) as usize;
        let flags = read_u32(&bytes, 12);
        let ords = if flags & CONTIGUOUS_ORDS > 0 { 1 } else { count };
        let id_ends_start = HEADER_BYTES + 4 * (ords + if flags & UNSORTED_ORDS > 0 { count } else { 0 });
        let ids_start = id_ends_start + count * if flags & LARGE > 0 { 8 } else { 4 };
        let length = bytes.len();
        if ids_start > length {
            return Err(format!("{length} bytes for {count} passages"));
        }
        let first_ord = if flags & CONTIGUOUS_ORDS > 0 { read_u32(&bytes, HEADER_BYTES) } else { 0 };
        let file = Self { bytes, count, flags, first_ord, id_ends_start, ids_start };
        let id_bytes = count.checked_sub(1).map_or(0, |last| file.id_end(last));
        if Some(length as u64) != id_bytes.checked_add(ids_start as u64) {
            return Err(format!("{length} bytes for {count} passages"));
        }
        Ok(file)
    }

    /// Returns the number of passages of the segment, including deleted ones.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the ord of a passage.
    #[inline]
    pub fn ord(&self, doc: DocId) -> u32 {
        if self.flags & CONTIGUOUS_ORDS > 0 {
            return self.first_ord.wrapping_add(doc);
        }
        read_u32(&self.bytes, HEADER_BYTES + 4 * doc as usize)
    }

    /// Returns the id of a passage; `None` if the file is corrupt.
    pub fn id(&self, doc: DocId) -> Option<&str> {
        let doc = doc as usize;
        let start = if doc == 0 { 0 } else { self.id_end(doc - 1) };
        let ids = &self.bytes[self.ids_start..];
        let id = ids.get(usize::try_from(start).ok()?..usize::try_from(self.id_end(doc)).ok()?)?;
        std::str::from_utf8(id).ok()
    }

    /// Returns true if the ords are in ascending order.
    pub fn has_ascending_ords(&self) -> bool {
        self.flags & UNSORTED_ORDS == 0
    }

    /// Returns the passage with this ord, even if it is deleted; `None` if there is none.
    pub fn find(&self, ord: u32) -> Option<DocId> {
        // If the ords have no gaps, the rank of an ord, counted from 0, is the ord minus the smallest ord.
        let guess = ord.checked_sub(*self.ord_range()?.start())? as usize;
        if guess < self.count {
            let doc = self.by_ord(guess);
            if self.ord(doc) == ord {
                return Some(doc);
            }
        }
        // Ords are distinct, so the rank cannot be above the guess.
        let (mut low, mut high) = (0, self.count.min(guess));
        while low < high {
            let middle = (low + high) / 2;
            if self.ord(self.by_ord(middle)) < ord {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = (low < self.count).then(|| self.by_ord(low))?;
        (self.ord(found) == ord).then_some(found)
    }

    /// Returns the smallest and the largest ord; `None` if the segment is empty.
    pub fn ord_range(&self) -> Option<RangeInclusive<u32>> {
        let last = self.count.checked_sub(1)?;
        Some(self.ord(self.by_ord(0))..=self.ord(self.by_ord(last)))
    }

    /// Returns the passage with the `rank`-th smallest ord, counting from 0.
    fn by_ord(&self, rank: usize) -> DocId {
        if self.has_ascending_ords() {
            return rank as DocId;
        }
        // This part of the file is not validated when the file is opened. A corrupt entry must not point past the
        // segment.
        let ords = if self.flags & CONTIGUOUS_ORDS > 0 { 1 } else { self.count };
        read_u32(&self.bytes, HEADER_BYTES + 4 * (ords + rank)).min(self.count as u32 - 1)
    }

    /// Returns where the id of a passage ends in `ids`.
    fn id_end(&self, doc: usize) -> u64 {
        if self.flags & LARGE > 0 {
            return read_u64(&self.bytes, self.id_ends_start + 8 * doc);
        }
        u64::from(read_u32(&self.bytes, self.id_ends_start + 4 * doc))
    }
}

fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn read_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passages::builder::PassageFileBuilder;

    /// Returns the content of a file with passages that have these ords and ids.
    fn file(passages: &[(u32, &str)]) -> Vec<u8> {
        let mut builder = PassageFileBuilder::default();
        passages.iter().for_each(|&(ord, id)| builder.push(ord, id));
        let mut bytes = Vec::new();
        builder.write(&mut bytes).expect("writing to a vector cannot fail");
        bytes
    }

    #[test]
    fn ids_are_found_by_passage_and_passages_by_ord() {
        for passages in [&[(3, "a"), (5, "bé"), (9, "")][..], &[(9, "x"), (3, "yy"), (5, "z")], &[]] {
            let open = PassageFile::open(OwnedBytes::new(file(passages)), passages.len() as u32)
                .expect("an intact file");
            assert_eq!(open.len(), passages.len());
            for (&(ord, id), doc) in passages.iter().zip(0..) {
                assert_eq!((open.ord(doc), open.id(doc), open.find(ord)), (ord, Some(id), Some(doc)));
            }
            assert_eq!(open.find(4), None);
            assert_eq!(open.ord_range(), (!passages.is_empty()).then_some(3..=9));
        }
    }

    #[test]
    fn a_file_of_the_wrong_length_is_rejected() {
        let intact = file(&[(9, "x"), (3, "yy")]);
        for length in 0..intact.len() {
            assert!(
                PassageFile::open(OwnedBytes::new(intact[..length].to_vec()), 2).is_err(),
                "{length} bytes"
            );
        }
        assert!(PassageFile::open(OwnedBytes::new([&intact[..], b"!"].concat()), 2).is_err());
    }

    #[test]
    fn corrupt_by_ord_entries_do_not_lead_to_passages_past_the_segment() {
        let mut bytes = file(&[(9, "x"), (3, "yy"), (5, "z")]);
        // After the ords of the three passages.
        let by_ord_start = HEADER_BYTES + 3 * 4;
        bytes[by_ord_start..by_ord_start + 4].fill(0xff);
        let open = PassageFile::open(OwnedBytes::new(bytes), 3).expect("a file of the right length");
        (0..20).for_each(|ord| assert!(open.find(ord).is_none_or(|doc| doc < 3)));
    }
}
