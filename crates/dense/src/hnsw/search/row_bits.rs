#[derive(Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// Those of a set, or its inverse; rows beyond it are not in it.
    pub fn set_to(&mut self, words: &[u64], rows: usize, inverse: bool) {
        let all = words.iter().copied().chain(std::iter::repeat(0)).take(rows.div_ceil(64));
        self.0.clear();
        self.0.extend(all.map(|word| if inverse { !word } else { word }));
    }

    pub fn insert(&mut self, row: u32) {
        self.0[row as usize / 64] |= 1 << (row % 64);
    }

    pub fn remove(&mut self, row: u32) {
        self.0[row as usize / 64] &= !(1 << (row % 64));
    }

    /// Appends those of `rows` to `taken` that are in the set, and removes them from it.
    pub fn take(&mut self, rows: &[u32], taken: &mut Vec<u32>) {
        let mut count = taken.len();
        taken.resize(count + rows.len(), 0);
        for &row in rows {
            // Nobody can guess what is allowed: this has no branch.
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
        fn rows_are_taken_once(
            allowed in prop::collection::btree_set(0u32..200, 0..150),
            asked in prop::collection::vec(prop::collection::vec(0u32..300, 0..40), 0..8),
        ) {
            let set: RowSet = allowed.iter().copied().collect();
            for inverse in [false, true] {
                let mut left: BTreeSet<u32> = (0..300).filter(|row| allowed.contains(row) != inverse).collect();
                let mut bits = Bits::default();
                bits.set_to(set.words(), 300, inverse);
                for rows in &asked {
                    let mut taken = vec![7];
                    bits.take(rows, &mut taken);
                    let expected = rows.iter().copied().filter(|row| left.remove(row));
                    prop_assert_eq!(&taken, &[7].into_iter().chain(expected).collect::<Vec<u32>>());
                }
            }
        }
    }
}
