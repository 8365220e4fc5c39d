/// The rows that a walk has seen, a bit each. Emptying it takes as long as the walk before was, not as the index is.
#[derive(Debug, Default)]
pub(crate) struct Visited {
    words: Vec<u64>,
    seen: Vec<u32>,
}

impl Visited {
    /// Empties it, with room for so many rows.
    pub fn clear(&mut self, rows: usize) {
        for &row in &self.seen {
            self.words[row as usize / 64] = 0;
        }
        self.seen.clear();
        self.words.resize(rows.div_ceil(64), 0);
    }

    /// Whether `row` was not in the set.
    pub fn insert(&mut self, row: u32) -> bool {
        let new = self.set(row);
        if new {
            self.seen.push(row);
        }
        new
    }

    /// Puts those of `rows` in the set that were not, and in `fresh`, which has room for all; returns how many.
    pub fn insert_all(&mut self, rows: impl Iterator<Item = u32>, fresh: &mut [u32]) -> usize {
        let mut count = 0;
        rows.for_each(|row| {
            // Half of the rows are new: this has no branch to guess.
            fresh[count] = row;
            count += usize::from(self.set(row));
        });
        self.seen.extend_from_slice(&fresh[..count]);
        count
    }

    fn set(&mut self, row: u32) -> bool {
        let (word, bit) = (&mut self.words[row as usize / 64], 1 << (row % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn behaves_as_a_set(walks in prop::collection::vec(prop::collection::vec(0u32..3000, 0..500), 1..4)) {
            let mut visited = Visited::default();
            for (walk, rows) in walks.into_iter().enumerate() {
                // Indexes grow, and compacted ones are smaller.
                visited.clear(3000 + walk * 1000 % 1700);
                let mut set = HashSet::new();
                for rows in rows.chunks(7) {
                    let mut fresh = [0; 8];
                    let count = visited.insert_all(rows.iter().copied(), &mut fresh);
                    let expected: Vec<u32> = rows.iter().copied().filter(|&row| set.insert(row)).collect();
                    prop_assert_eq!(&fresh[..count], expected);
                    prop_assert_eq!(visited.insert(rows[0]), false);
                }
            }
        }
    }
}
