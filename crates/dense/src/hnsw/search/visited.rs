/// The set of rows that a search has visited, one bit per row. Clearing it takes time proportional to the number of
/// visited rows, not to the size of the index.
#[derive(Debug, Default)]
pub(crate) struct VisitedSet {
    words: Vec<u64>,
    /// The rows in the set.
    rows: Vec<u32>,
}

impl VisitedSet {
    /// Empties the set and prepares it for an index of `num_rows` rows.
    pub fn clear(&mut self, num_rows: usize) {
        for &row in &self.rows {
            self.words[row as usize / 64] = 0;
        }
        self.rows.clear();
        self.words.resize(num_rows.div_ceil(64), 0);
    }

    /// Inserts a row. Returns true if it was not in the set.
    pub fn insert(&mut self, row: u32) -> bool {
        let is_new = self.set(row);
        if is_new {
            self.rows.push(row);
        }
        is_new
    }

    /// Inserts rows, writes the rows that were not in the set to the start of `unvisited`, and returns how many these
    /// are. `unvisited` must be at least as long as `rows`.
    pub fn insert_all(&mut self, rows: impl Iterator<Item = u32>, unvisited: &mut [u32]) -> usize {
        let mut count = 0;
        rows.for_each(|row| {
            // A branch would often be mispredicted: about half of the rows are new.
            unvisited[count] = row;
            count += usize::from(self.set(row));
        });
        self.rows.extend_from_slice(&unvisited[..count]);
        count
    }

    /// Sets the bit of a row, without adding the row to `rows`. Returns true if the bit was not set.
    fn set(&mut self, row: u32) -> bool {
        let (word, bit) = (&mut self.words[row as usize / 64], 1 << (row % 64));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn behaves_like_a_hash_set(searches in prop::collection::vec(prop::collection::vec(0u32..3000, 0..500), 1..4)) {
            let mut visited = VisitedSet::default();
            for (search, rows) in searches.into_iter().enumerate() {
                // The size of the index differs from search to search (3000, 4000, 3300), because indexes grow, and
                // shrink when they are compacted.
                visited.clear(3000 + search * 1000 % 1700);
                let mut set = HashSet::new();
                for rows in rows.chunks(7) {
                    let mut unvisited = [0; 8];
                    let count = visited.insert_all(rows.iter().copied(), &mut unvisited);
                    let expected: Vec<u32> = rows.iter().copied().filter(|&row| set.insert(row)).collect();
                    prop_assert_eq!(&unvisited[..count], expected);
                    prop_assert_eq!(visited.insert(rows[0]), false);
                }
            }
        }
    }
}
