/// Which rows are deleted, a bit each.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tombstones {
    /// As long as the last deleted row needs.
    words: Vec<u64>,
    count: usize,
}

impl Tombstones {
    /// From the words of a file; none if a bit beyond `rows` is set.
    pub fn from_words(words: &[u64], rows: usize) -> Option<Self> {
        let beyond = |(at, &word): (usize, &u64)| {
            let valid = rows.saturating_sub(at.saturating_mul(64)).min(64);
            valid < 64 && word >> valid != 0
        };
        if words.iter().enumerate().any(beyond) {
            return None;
        }
        let count = words.iter().map(|word| word.count_ones() as usize).sum();
        Some(Self { words: words.to_vec(), count })
    }

    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many rows are deleted.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn contains(&self, ord: u32) -> bool {
        self.words.get(ord as usize / 64).is_some_and(|word| word >> (ord % 64) & 1 == 1)
    }

    /// Whether the row was not deleted before.
    pub fn insert(&mut self, ord: u32) -> bool {
        let at = ord as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let bit = 1 << (ord % 64);
        let new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        self.count += usize::from(new);
        new
    }

    /// Bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_beyond_the_rows_is_refused() {
        assert_eq!(Tombstones::from_words(&[0b101], 3).map(|deleted| deleted.count()), Some(2));
        assert!(Tombstones::from_words(&[0b101], 2).is_none());
        assert!(Tombstones::from_words(&[0, 1], 64).is_none());
        assert!(Tombstones::from_words(&[u64::MAX, 1], 65).is_some());
    }

    #[test]
    fn a_row_is_deleted_once() {
        let mut deleted = Tombstones::default();
        assert!(deleted.insert(130));
        assert!(!deleted.insert(130));
        assert!(deleted.contains(130) && !deleted.contains(129) && !deleted.contains(1000));
        assert_eq!(deleted.count(), 1);
    }
}
