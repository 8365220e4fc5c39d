//! Sets of a segment's passages.

use tantivy::DocId;

/// Passages of one segment, a bit for each: bit `d % 64` of word `d / 64` is the passage at `d`. What it says of
/// deleted passages means nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PassageSet {
    words: Vec<u64>,
    max_doc: DocId,
}

impl PassageSet {
    /// The empty set of a segment of `max_doc` passages, deleted ones too.
    pub fn new(max_doc: DocId) -> Self {
        Self { words: vec![0; max_doc.div_ceil(64) as usize], max_doc }
    }

    /// `ceil(max_doc / 64)` words; bits from `max_doc` on are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    #[inline]
    pub fn contains(&self, doc: DocId) -> bool {
        self.words[doc as usize / 64] >> (doc % 64) & 1 == 1
    }

    /// Passages in it, deleted ones too.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn insert(&mut self, doc: DocId) {
        self.words[doc as usize / 64] |= 1 << (doc % 64);
    }

    pub fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(other.words()).for_each(|(word, other)| *word &= other);
    }

    pub fn unite(&mut self, other: &Self) {
        self.words.iter_mut().zip(other.words()).for_each(|(word, other)| *word |= other);
    }

    /// Makes it the set of all that it lacks.
    pub fn complement(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        let rest = self.max_doc % 64;
        if let Some(last) = self.words.last_mut().filter(|_| rest > 0) {
            *last &= (1 << rest) - 1;
        }
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.words[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_what_was_put_in() {
        for max_doc in [0, 1, 63, 64, 65, 130] {
            let set = |step| {
                let mut set = PassageSet::new(max_doc);
                (0..max_doc).step_by(step).for_each(|doc| set.insert(doc));
                set
            };
            let check = |set: &PassageSet, contains: &dyn Fn(DocId) -> bool| {
                assert!((0..max_doc).all(|doc| set.contains(doc) == contains(doc)));
                let count = (0..max_doc).filter(|&doc| contains(doc)).count();
                assert_eq!((set.len(), set.is_empty()), (count, count == 0));
                assert_eq!(set.words().len(), max_doc.div_ceil(64) as usize);
            };
            let (twos, threes) = (set(2), set(3));
            let mut both = twos.clone();
            both.intersect(&threes);
            check(&both, &|doc| doc % 6 == 0);
            let mut either = twos.clone();
            either.unite(&threes);
            check(&either, &|doc| doc % 2 == 0 || doc % 3 == 0);
            either.complement();
            check(&either, &|doc| doc % 2 > 0 && doc % 3 > 0);
            check(&PassageSet::new(max_doc), &|_| false);
        }
    }
}
