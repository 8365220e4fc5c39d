//! The passage file of a segment: insertion numbers, ids, and exact counts.
//!
//! Little-endian: magic 8 bytes, passages u32, flags u32, tokens u64, passages with tokens u64; then the ord of
//! each passage u32, or with flag 2 that of the first, from which the others count on; with flag 1 the passages in
//! the order of their ords, u32 each; the end of each id, u32, or with flag 4 u64; the ids. The engine appends a
//! checksum.

use std::io::{self, Write};

use tantivy::DocId;
use tantivy::directory::OwnedBytes;

const MAGIC: [u8; 8] = *b"PKPASSG2";
const HEADER: usize = 32;
const PERMUTED: u32 = 1;
const COUNTED: u32 = 2;
const LARGE: u32 = 4;

/// An open passage file. Positions are those of the segment.
#[derive(Debug, Clone)]
pub(crate) struct Passages {
    bytes: OwnedBytes,
    count: usize,
    flags: u32,
    /// Of the first passage, where the others count on from it.
    first_ord: u32,
    ends_at: usize,
    names_at: usize,
    /// Tokens of all passages, deleted ones too.
    pub tokens: u64,
    /// Passages with at least one token, deleted ones too.
    pub with_tokens: u64,
}

impl Passages {
    /// Checks magic and length; `Err` says what is wrong.
    pub fn open(bytes: OwnedBytes) -> Result<Self, String> {
        if bytes.len() < HEADER || bytes[..8] != MAGIC {
            return Err("a file that does not begin like a passage file".to_owned());
        }
        let count = read_u32(&bytes, 8) as usize;
        let flags = read_u32(&bytes, 12);
        let (tokens, with_tokens) = (read_u64(&bytes, 16), read_u64(&bytes, 24));
        let ords = if flags & COUNTED > 0 { 1 } else { count };
        let ends_at = HEADER + 4 * (ords + if flags & PERMUTED > 0 { count } else { 0 });
        let names_at = ends_at + count * if flags & LARGE > 0 { 8 } else { 4 };
        let length = bytes.len();
        if names_at > length {
            return Err(format!("{length} bytes for {count} passages"));
        }
        let first_ord = if flags & COUNTED > 0 { read_u32(&bytes, HEADER) } else { 0 };
        let passages = Self { bytes, count, flags, first_ord, ends_at, names_at, tokens, with_tokens };
        let names = count.checked_sub(1).map_or(0, |last| passages.end(last));
        if names_at as u64 + names != length as u64 {
            return Err(format!("{length} bytes for {count} passages"));
        }
        Ok(passages)
    }

    /// Passages of the segment, deleted ones too.
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn ord(&self, doc: DocId) -> u32 {
        if self.flags & COUNTED > 0 {
            return self.first_ord.wrapping_add(doc);
        }
        read_u32(&self.bytes, HEADER + 4 * doc as usize)
    }

    /// The id of a passage; `None` if the file is damaged.
    pub fn id(&self, doc: DocId) -> Option<&str> {
        let doc = doc as usize;
        let start = if doc == 0 { 0 } else { self.end(doc - 1) };
        let names = &self.bytes[self.names_at..];
        std::str::from_utf8(names.get(usize::try_from(start).ok()?..usize::try_from(self.end(doc)).ok()?)?)
            .ok()
    }

    /// Where the passage with this ord is.
    pub fn find(&self, ord: u32) -> Option<DocId> {
        // Where no ord is missing, the passage is as far from the first as its ord.
        let (first, _) = self.ord_range()?;
        let guess = ord.checked_sub(first)? as usize;
        if guess < self.count {
            let doc = self.by_ord(guess);
            if self.ord(doc) == ord {
                return Some(doc);
            }
        }
        // Ords differ, so the one looked for stands no further than the guess.
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

    /// The smallest and the largest ord.
    pub fn ord_range(&self) -> Option<(u32, u32)> {
        let last = self.count.checked_sub(1)?;
        Some((self.ord(self.by_ord(0)), self.ord(self.by_ord(last))))
    }

    fn by_ord(&self, rank: usize) -> DocId {
        if self.flags & PERMUTED > 0 {
            return read_u32(&self.bytes, HEADER + 4 * (self.count + rank));
        }
        rank as DocId
    }

    fn end(&self, doc: usize) -> u64 {
        if self.flags & LARGE > 0 {
            return read_u64(&self.bytes, self.ends_at + 8 * doc);
        }
        u64::from(read_u32(&self.bytes, self.ends_at + 4 * doc))
    }
}

/// Passages of a segment in the making.
#[derive(Debug, Default)]
pub(crate) struct PassagesBuilder {
    ords: Vec<u32>,
    ends: Vec<u64>,
    names: Vec<u8>,
}

impl PassagesBuilder {
    /// Appends the next passage.
    pub fn push(&mut self, ord: u32, id: &str) {
        self.ords.push(ord);
        self.names.extend_from_slice(id.as_bytes());
        self.ends.push(self.names.len() as u64);
    }

    pub fn len(&self) -> usize {
        self.ords.len()
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        4 * self.ords.capacity() + 8 * self.ends.capacity() + self.names.capacity()
    }

    pub fn write(&self, tokens: u64, with_tokens: u64, to: &mut impl Write) -> io::Result<()> {
        self.write_as(u32::try_from(self.names.len()).is_err(), tokens, with_tokens, to)
    }

    fn write_as(&self, large: bool, tokens: u64, with_tokens: u64, to: &mut impl Write) -> io::Result<()> {
        let permuted = !self.ords.is_sorted();
        let counted =
            self.ords.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) && !self.ords.is_empty();
        let flags = [(permuted, PERMUTED), (counted, COUNTED), (large, LARGE)];
        let flags: u32 = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum();
        to.write_all(&MAGIC)?;
        to.write_all(&(self.ords.len() as u32).to_le_bytes())?;
        to.write_all(&flags.to_le_bytes())?;
        to.write_all(&tokens.to_le_bytes())?;
        to.write_all(&with_tokens.to_le_bytes())?;
        let ords = if counted { &self.ords[..1] } else { &self.ords };
        ords.iter().try_for_each(|ord| to.write_all(&ord.to_le_bytes()))?;
        if permuted {
            let mut by_ord: Vec<u32> = (0..self.ords.len() as u32).collect();
            by_ord.sort_unstable_by_key(|&doc| self.ords[doc as usize]);
            by_ord.iter().try_for_each(|doc| to.write_all(&doc.to_le_bytes()))?;
        }
        for end in &self.ends {
            match u32::try_from(*end) {
                Ok(end) if !large => to.write_all(&end.to_le_bytes())?,
                _ => to.write_all(&end.to_le_bytes())?,
            }
        }
        to.write_all(&self.names)
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

    fn file(passages: &[(u32, &str)]) -> Vec<u8> {
        file_of(passages, false)
    }

    fn file_of(passages: &[(u32, &str)], large: bool) -> Vec<u8> {
        let mut builder = PassagesBuilder::default();
        passages.iter().for_each(|&(ord, id)| builder.push(ord, id));
        let mut bytes = Vec::new();
        builder.write_as(large, 11, 2, &mut bytes).expect("a vector takes all");
        bytes
    }

    #[test]
    fn ids_are_found_by_place_and_places_by_ord() {
        for passages in [&[(3, "a"), (5, "bé"), (9, "")][..], &[(9, "x"), (3, "yy"), (5, "z")], &[]] {
            let open = Passages::open(OwnedBytes::new(file(passages))).expect("a sound file");
            assert_eq!((open.len(), open.tokens, open.with_tokens), (passages.len(), 11, 2));
            for (&(ord, id), doc) in passages.iter().zip(0..) {
                assert_eq!((open.ord(doc), open.id(doc), open.find(ord)), (ord, Some(id), Some(doc)));
            }
            assert_eq!(open.find(4), None);
            assert_eq!(open.ord_range(), (!passages.is_empty()).then_some((3, 9)));
        }
    }

    #[test]
    fn a_file_of_another_length_is_refused() {
        let sound = file(&[(9, "x"), (3, "yy")]);
        for length in 0..sound.len() {
            assert!(Passages::open(OwnedBytes::new(sound[..length].to_vec())).is_err(), "{length} bytes");
        }
        assert!(Passages::open(OwnedBytes::new([&sound[..], b"!"].concat())).is_err());
    }
}
