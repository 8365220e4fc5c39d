//! Which passage a row of the vector index belongs to.
//!
//! The rows have two parts. First come the rows of the base, the file with the vectors of older passages and their
//! graph. Optimizing the collection leaves out the rows of deleted passages, so the ords of the base can have gaps.
//! Then come the rows of the log, whose ords have no gaps. Ords ascend with the rows, so hits with equal scores have
//! the same order by row and by ord.

use std::path::Path;

use ranking::BitSet;
use storage::{File, FileKind, OpenOptions, Writer};

use crate::Error;

const KIND: FileKind = FileKind { magic: *b"PKORDS\0\0", version: 1, name: "ords of vectors" };

/// Maps rows to ords and back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RowMap {
    /// The ord of each row of the base, in ascending order; `None` if every ord equals its row number.
    base: Option<Vec<u32>>,
    /// The number of rows of the base.
    base_rows: u32,
    /// The ord of the first row of the log.
    first_ord: u32,
}

impl RowMap {
    pub fn new(base: Option<Vec<u32>>, base_rows: u32, first_ord: u32) -> Self {
        Self { base, base_rows, first_ord }
    }

    /// Returns whether every ord equals its row number.
    fn is_identity(&self) -> bool {
        self.base.is_none() && self.first_ord == self.base_rows
    }

    /// Returns the ord of a row.
    pub fn ord(&self, row: u32) -> u32 {
        match &self.base {
            _ if row >= self.base_rows => row - self.base_rows + self.first_ord,
            None => row,
            Some(ords) => ords[row as usize],
        }
    }

    /// Returns the row of an ord. Returns `None` if an optimization has removed the row. The row may be beyond the end
    /// of the log, because the map does not know how many rows the log has.
    pub fn row(&self, ord: u32) -> Option<u32> {
        match &self.base {
            _ if ord >= self.first_ord => Some(ord - self.first_ord + self.base_rows),
            None => (ord < self.base_rows).then_some(ord),
            Some(ords) => ords.binary_search(&ord).ok().map(|row| row as u32),
        }
    }

    /// Returns the rows below `len` whose ords are in `ords`.
    pub fn rows(&self, ords: &BitSet, len: usize) -> BitSet {
        if self.is_identity() {
            return ords.intersection(&BitSet::full(len));
        }
        let words = (0..len).step_by(64).map(|first| {
            let last = (first + 63).min(len - 1);
            let (first_ord, last_ord) = (self.ord(first as u32), self.ord(last as u32));
            if (last_ord - first_ord) as usize == last - first {
                // The ords of this word's rows have no gap, which is true for most words.
                return bits_at(ords.words(), first_ord as usize) & (u64::MAX >> (63 - (last - first)));
            }
            let bits =
                (first..=last).map(|row| u64::from(ords.contains(self.ord(row as u32))) << (row - first));
            bits.fold(0, |word, bit| word | bit)
        });
        BitSet::from_words(words.collect(), len).expect("no row is beyond the last")
    }

    /// Writes the ords of the base to a file.
    pub fn save(path: &Path, ords: &[u32], collection: &str) -> Result<(), Error> {
        let mut writer = Writer::create(path, KIND)?;
        writer.section("ords", bytemuck::cast_slice(ords))?;
        writer.finish(serde_json::json!({"rows": ords.len(), "collection": collection}))?;
        Ok(())
    }

    /// Reads the ords of a base that has `rows` rows. With `verify`, verifies all checksums of the file.
    pub fn read(path: &Path, rows: u64, collection: &str, verify: bool) -> Result<Vec<u32>, Error> {
        let file = File::open_with(path, KIND, OpenOptions { verify, ..OpenOptions::default() })?;
        let ords = file.section_as::<u32>("ords")?.to_vec();
        if file.metadata()["collection"] != collection {
            return Err(Error::corrupt(path, "ords of this collection", "those of another"));
        }
        if ords.len() as u64 != rows || !ords.windows(2).all(|pair| pair[0] < pair[1]) {
            let got = format!("{} others", ords.len());
            return Err(Error::corrupt(path, format!("{rows} ords in ascending order"), got));
        }
        Ok(ords)
    }
}

/// Returns the 64 bits of a bit set that start at bit `first`. Bits beyond the end of the set are 0.
fn bits_at(words: &[u64], first: usize) -> u64 {
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let (at, shift) = (first / 64, first % 64);
    // A shift by 64 would overflow.
    (word(at) >> shift) | if shift == 0 { 0 } else { word(at + 1) << (64 - shift) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_ords_are_mapped_to_each_other() {
        // Rows 0 to 2 belong to the passages with the ords 1, 4 and 5; the log starts at ord 9.
        let map = RowMap::new(Some(vec![1, 4, 5]), 3, 9);
        let ords: Vec<u32> = (0..5).map(|row| map.ord(row)).collect();
        assert_eq!(ords, [1, 4, 5, 9, 10]);
        for ord in 0..12 {
            let expected = ords.iter().position(|&other| other == ord).map(|row| row as u32);
            assert_eq!(map.row(ord).filter(|&row| row < 5), expected, "{ord}");
        }
        let set: BitSet = [4, 9, 11].into_iter().collect();
        assert_eq!(map.rows(&set, 5).iter().collect::<Vec<_>>(), [1, 3]);
        let identity = RowMap::new(None, 0, 0);
        assert_eq!(identity.rows(&set, 10).iter().collect::<Vec<_>>(), [4, 9]);
        assert_eq!((identity.ord(7), identity.row(7)), (7, Some(7)));
    }

    #[test]
    fn sets_of_ords_are_converted_to_sets_of_rows_whichever_ords_are_missing() {
        let mut random = numerics::SplitMix64::new(7);
        for period in [0, 1, 5, 90] {
            // On average, one ord in `period` is missing from the base, or none if `period` is 0. The log starts at an
            // ord from 300 to 369.
            let ords: Vec<u32> =
                (0..300).filter(|_| period == 0 || !random.next_u64().is_multiple_of(period)).collect();
            let first_ord = 300 + (random.next_u64() % 70) as u32;
            let map = RowMap::new(Some(ords.clone()), ords.len() as u32, first_ord);
            let set: BitSet = (0..600).filter(|_| random.next_u64().is_multiple_of(2)).collect();
            for len in [ords.len(), ords.len() + 1, ords.len() + 64, ords.len() + 200] {
                let expected: BitSet = (0..len as u32).filter(|&row| set.contains(map.ord(row))).collect();
                let rows = map.rows(&set, len);
                assert_eq!(rows.iter().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
                assert_eq!(rows.len(), expected.len());
            }
        }
    }

    #[test]
    fn ords_are_read_as_they_were_saved_and_those_of_another_collection_are_refused() -> Result<(), Error> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("base-1.ords");
        RowMap::save(&path, &[1, 4, 5], "this")?;
        assert_eq!(RowMap::read(&path, 3, "this", true)?, [1, 4, 5]);
        assert!(matches!(RowMap::read(&path, 3, "another", true), Err(Error::Corrupt { .. })));
        assert!(matches!(RowMap::read(&path, 2, "this", true), Err(Error::Corrupt { .. })));
        Ok(())
    }
}
