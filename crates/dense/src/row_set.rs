/// Rows of an index by their ords, a bit each: deleted ones, or those that a [filter](crate::Filter) allows.
///
/// ```
/// use control::Control;
/// use dense::{FlatIndex, RowSet, Similarity};
///
/// let mut index = FlatIndex::new(1, Similarity::Dot, serde_json::Value::Null)?;
/// index.add(vec!["a".into(), "b".into(), "c".into()], &[3.0, 2.0, 1.0])?;
/// let allowed: RowSet = ["c", "b", "nobody"].iter().filter_map(|id| index.ord(id)).collect();
/// assert_eq!((allowed.len(), allowed.share(index.len())), (2, 2.0 / 3.0));
///
/// let filter = |row| allowed.contains(row);
/// let hits = index.search_filtered(&[1.0], 5, Some(&filter), &Control::new())?;
/// assert_eq!(hits.iter().map(|hit| index.id(hit.ord)).collect::<Vec<_>>(), ["b", "c"]);
/// # Ok::<(), dense::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct RowSet {
    /// As long as the last row that was ever in it needs.
    words: Vec<u64>,
    len: usize,
}

impl RowSet {
    /// No rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The first `rows` rows.
    #[must_use]
    pub fn first(rows: usize) -> Self {
        let mut words = vec![u64::MAX; rows.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !rows.is_multiple_of(64)) {
            *last = (1 << (rows % 64)) - 1;
        }
        Self { words, len: rows }
    }

    /// From the words of a file; none if a bit beyond `rows` is set.
    pub(crate) fn from_words(words: &[u64], rows: usize) -> Option<Self> {
        let beyond = |(at, &word): (usize, &u64)| {
            let valid = rows.saturating_sub(at.saturating_mul(64)).min(64);
            valid < 64 && word >> valid != 0
        };
        if words.iter().enumerate().any(beyond) {
            return None;
        }
        Some(Self::of_words(words.to_vec()))
    }

    fn of_words(words: Vec<u64>) -> Self {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, len }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// How many rows are in it.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no row is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Which share of an index's `rows` are in it, from 0 to 1; 0 of none.
    #[must_use]
    pub fn share(&self, rows: usize) -> f64 {
        if rows == 0 { 0.0 } else { (self.len as f64 / rows as f64).min(1.0) }
    }

    /// Whether a row is in it.
    #[must_use]
    pub fn contains(&self, ord: u32) -> bool {
        self.words.get(ord as usize / 64).is_some_and(|word| word >> (ord % 64) & 1 == 1)
    }

    /// Puts a row in it; whether it was not in it before.
    pub fn insert(&mut self, ord: u32) -> bool {
        let at = ord as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let bit = 1 << (ord % 64);
        let new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        self.len += usize::from(new);
        new
    }

    /// The rows that are in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self::of_words(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }

    /// The rows that are in either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        let (short, long) = if self.words.len() < other.words.len() { (self, other) } else { (other, self) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(a, b)| *a |= b);
        Self::of_words(words)
    }

    /// The rows that are in this one and not in the other.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        Self::of_words(self.words.iter().zip(others).map(|(a, b)| a & !b).collect())
    }

    /// The rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let bits = std::iter::successors(Some(word), |rest| Some(rest & (rest - 1)));
            let bits = bits.take(word.count_ones() as usize);
            bits.map(move |rest| at as u32 * 64 + rest.trailing_zeros())
        })
    }

    /// Bytes on the heap.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

impl FromIterator<u32> for RowSet {
    fn from_iter<T: IntoIterator<Item = u32>>(ords: T) -> Self {
        let mut set = Self::new();
        ords.into_iter().for_each(|ord| {
            set.insert(ord);
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn a_bit_beyond_the_rows_is_refused() {
        assert_eq!(RowSet::from_words(&[0b101], 3).map(|set| set.len()), Some(2));
        assert!(RowSet::from_words(&[0b101], 2).is_none());
        assert!(RowSet::from_words(&[0, 1], 64).is_none());
        assert!(RowSet::from_words(&[u64::MAX, 1], 65).is_some());
    }

    #[test]
    fn a_row_is_put_in_once() {
        let mut set = RowSet::new();
        assert!(set.insert(130));
        assert!(!set.insert(130));
        assert!(set.contains(130) && !set.contains(129) && !set.contains(1000));
        assert_eq!(set.len(), 1);
    }

    proptest! {
        #[test]
        fn behaves_as_a_set_of_numbers(
            a in prop::collection::btree_set(0u32..300, 0..80),
            b in prop::collection::btree_set(0u32..200, 0..80),
            rows in 0usize..300,
        ) {
            let [x, y] = [&a, &b].map(|ords| ords.iter().copied().collect::<RowSet>());
            let same = |set: RowSet, expected: BTreeSet<u32>| {
                set.len() == expected.len() && set.iter().eq(expected.iter().copied())
            };
            prop_assert!(same(x.clone(), a.clone()));
            prop_assert!(same(x.and(&y), &a & &b));
            prop_assert!(same(x.or(&y), &a | &b));
            prop_assert!(same(x.without(&y), &a - &b));
            prop_assert!(same(RowSet::first(rows), (0..rows as u32).collect()));
            prop_assert!((0..400).all(|ord| x.contains(ord) == a.contains(&ord)));
        }
    }
}
