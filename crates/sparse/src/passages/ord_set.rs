//! Collects the ords of the passages of all segments into one bit set.
//!
//! A segment's passages are usually in the order of their ords, and there are few gaps between the ords. So passages
//! are inserted in blocks of 64: if the ords of a block have no gaps, the block is one word of bits, which only has to
//! be shifted to its place in the set.

use ranking::BitSet;
use tantivy::DocId;

use super::file::PassageFile;

/// A set of ords that is being filled.
pub(crate) struct OrdSet {
    words: Vec<u64>,
    /// All ords are below this.
    limit: u32,
}

impl OrdSet {
    /// Returns the empty set, for ords below `limit`.
    pub fn new(limit: u32) -> Self {
        Self { words: vec![0; (limit as usize).div_ceil(64)], limit }
    }

    /// Inserts the ords of a segment's passages: those whose bits are set in `docs`, or all if `docs` is `None`.
    pub fn insert_passages(&mut self, passages: &PassageFile, docs: Option<&[u64]>) {
        let count = passages.len();
        for (block_index, start) in (0..count).step_by(64).enumerate() {
            let block_len = (count - start).min(64);
            let all = u64::MAX >> (64 - block_len);
            let block = docs.map_or(all, |words| words.get(block_index).copied().unwrap_or_default() & all);
            if block == 0 {
                continue;
            }
            let first = start as DocId;
            let [first_ord, last_ord] = [first, first + block_len as DocId - 1].map(|doc| passages.ord(doc));
            // Ords are distinct. So if they ascend, this difference between the first and the last ord means that there
            // are no gaps.
            if passages.has_ascending_ords() && last_ord.wrapping_sub(first_ord) as usize == block_len - 1 {
                self.insert_block(first_ord, block);
            } else {
                let docs = (0..64).filter(|bit| block >> bit & 1 == 1);
                docs.for_each(|bit| self.insert_block(passages.ord(first + bit), 1));
            }
        }
    }

    /// Returns the set.
    pub fn finish(mut self) -> BitSet {
        let limit = self.limit as usize;
        // Ords beyond the limit can come only from a corrupt file.
        if let Some(last) = self.words.last_mut().filter(|_| !limit.is_multiple_of(64)) {
            *last &= (1 << (limit % 64)) - 1;
        }
        BitSet::from_words(self.words, limit).unwrap_or_default()
    }

    /// Inserts one ord for each bit that is set: `first_ord` plus the position of the bit.
    fn insert_block(&mut self, first_ord: u32, bits: u64) {
        let (index, shift) = (first_ord as usize / 64, first_ord % 64);
        if let Some(word) = self.words.get_mut(index) {
            *word |= bits << shift;
        }
        if let Some(word) = self.words.get_mut(index + 1).filter(|_| shift > 0) {
            *word |= bits >> (64 - shift);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tantivy::directory::OwnedBytes;

    use super::*;
    use crate::passages::builder::PassageFileBuilder;

    /// Returns an open passage file with these ords.
    fn file(ords: &[u32]) -> PassageFile {
        let mut builder = PassageFileBuilder::default();
        ords.iter().for_each(|&ord| builder.push(ord, "id"));
        let mut bytes = Vec::new();
        builder.write(&mut bytes).expect("writing to a vector cannot fail");
        PassageFile::open(OwnedBytes::new(bytes), ords.len() as u32).expect("an intact file")
    }

    /// Ords with and without gaps, in ascending order, in descending order, or in two ascending runs.
    fn ords() -> impl Strategy<Value = Vec<u32>> {
        (0..200u32, prop::collection::vec(prop_oneof![40 => Just(1u32), 1 => 2..90u32], 0..300), 0..3u8)
            .prop_map(|(first, steps, order)| {
                let ascending = steps.iter().scan(first, |ord, step| {
                    *ord += step;
                    Some(*ord)
                });
                let mut ords: Vec<u32> = ascending.collect();
                match order {
                    0 => ords.reverse(),
                    // As after a merge of two segments, the second of which has the smaller ords.
                    1 => ords.rotate_left(first as usize % steps.len().max(1)),
                    _ => {}
                }
                ords
            })
    }

    proptest! {
        #[test]
        fn the_set_has_the_ords_of_the_passages_whose_bits_are_set(
            segments in prop::collection::vec((ords(), any::<u64>()), 0..3),
        ) {
            let limit = segments.iter().flat_map(|(ords, _)| ords).max().map_or(0, |max| max + 1);
            let (mut all, mut some) = (OrdSet::new(limit), OrdSet::new(limit));
            let mut expected = Vec::new();
            for (ords, pattern) in &segments {
                let is_set = |at: &usize| pattern >> (at % 61) & 1 == 1;
                let docs: BitSet = (0..ords.len()).filter(is_set).map(|at| at as u32).collect();
                all.insert_passages(&file(ords), None);
                some.insert_passages(&file(ords), Some(docs.words()));
                expected.extend(docs.iter().map(|doc| ords[doc as usize]));
            }
            let members = |set: BitSet| set.iter().collect::<Vec<_>>();
            let sorted = |mut ords: Vec<u32>| {
                ords.sort_unstable();
                ords.dedup();
                ords
            };
            let all_ords = segments.iter().flat_map(|(ords, _)| ords).copied().collect();
            prop_assert_eq!(members(all.finish()), sorted(all_ords));
            prop_assert_eq!(members(some.finish()), sorted(expected));
        }
    }

    #[test]
    fn ords_beyond_the_limit_are_ignored() {
        let mut set = OrdSet::new(70);
        set.insert_passages(&file(&[68, 69, 70, 71]), None);
        set.insert_passages(&file(&[5, 1_000, 64]), None);
        assert_eq!(set.finish().iter().collect::<Vec<_>>(), [5, 64, 68, 69]);
    }
}
