/// A set of rows, one bit per row. A filtered search takes a row out of the set when it scores the row or reads its
/// adjacency list, so that it does so only once.
#[derive(Debug, Default)]
pub(crate) struct RowBits(Vec<u64>);

impl RowBits {
    /// Replaces the set with the rows whose bits are set in `words`. Rows beyond the words are not in the set.
    /// `num_rows` is the number of rows of the index.
    pub fn set_to(&mut self, words: &[u64], num_rows: usize) {
        self.set_to_words(words, num_rows, |word| word);
    }

    /// Replaces the set with the rows whose bits are not set in `words`. Rows beyond the words are in the set.
    /// `num_rows` is the number of rows of the index.
    pub fn set_to_complement(&mut self, words: &[u64], num_rows: usize) {
        self.set_to_words(words, num_rows, |word| !word);
    }

    /// Replaces the words of the set with the results of `map` for `words`, after padding `words` with zeros.
    fn set_to_words(&mut self, words: &[u64], num_rows: usize, map: impl Fn(u64) -> u64) {
        let padded = words.iter().copied().chain(std::iter::repeat(0)).take(num_rows.div_ceil(64));
        self.0.clear();
        self.0.extend(padded.map(map));
    }

    pub fn insert(&mut self, row: u32) {
        self.0[row as usize / 64] |= 1 << (row % 64);
    }

    pub fn remove(&mut self, row: u32) {
        self.0[row as usize / 64] &= !(1 << (row % 64));
    }

    /// Removes `rows` from the set, and appends the rows that were in the set to `taken`.
    pub fn take(&mut self, rows: &[u32], taken: &mut Vec<u32>) {
        let mut count = taken.len();
        taken.resize(count + rows.len(), 0);
        for &row in rows {
            // A branch would often be mispredicted.
            let (word, bit) = (&mut self.0[row as usize / 64], 1 << (row % 64));
            taken[count] = row;
            count += usize::from(*word & bit != 0);
            *word &= !bit;
        }
        taken.truncate(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowSet;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn rows_are_taken_once_if_they_are_in_the_set_and_never_otherwise(
            allowed in prop::collection::btree_set(0u32..200, 0..150),
            lists in prop::collection::vec(prop::collection::vec(0u32..300, 0..40), 0..8),
        ) {
            let set: RowSet = allowed.iter().copied().collect();
            for complement in [false, true] {
                let mut remaining: BTreeSet<u32> =
                    (0..300).filter(|row| allowed.contains(row) != complement).collect();
                let mut bits = RowBits::default();
                if complement {
                    bits.set_to_complement(set.words(), 300);
                } else {
                    bits.set_to(set.words(), 300);
                }
                for rows in &lists {
                    // `take` appends: the element that the vector already has stays.
                    let mut taken = vec![7];
                    bits.take(rows, &mut taken);
                    let expected = rows.iter().copied().filter(|row| remaining.remove(row));
                    prop_assert_eq!(&taken, &[7].into_iter().chain(expected).collect::<Vec<u32>>());
                }
            }
        }
    }
}
