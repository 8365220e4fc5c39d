//! [`BitSet`]: a set of ords, which are the positions of passages in an index. It is stored as a bitmap. Filters use
//! such sets.

/// A set of ords. Each ord has one bit: bit `ord % 64` of the 64-bit word `ord / 64`. The set grows as needed.
///
/// ```
/// use ranking::BitSet;
///
/// let even: BitSet = (0..100).step_by(2).collect();
/// let odd = BitSet::full(100).difference(&even);
/// assert!(odd.contains(7) && !odd.contains(8) && !odd.contains(101));
/// assert_eq!((odd.len(), even.union(&odd).len()), (50, 100));
/// ```
#[derive(Debug, Clone, Default)]
pub struct BitSet {
    /// The bitmap. It may end with words of 0, and words after the end count as 0.
    words: Vec<u64>,
    /// Number of members.
    len: usize,
}

impl BitSet {
    /// Returns the empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the empty set, with room for the ords below `limit`.
    #[must_use]
    pub fn empty(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)], len: 0 }
    }

    /// Returns the set of all ords below `limit`.
    #[must_use]
    pub fn full(limit: usize) -> Self {
        let mut words = vec![u64::MAX; limit.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !limit.is_multiple_of(64)) {
            *last = (1 << (limit % 64)) - 1;
        }
        Self { words, len: limit }
    }

    /// Returns the set with the given [`words`](Self::words), or `None` if it would contain an ord that is not below
    /// `limit`.
    #[must_use]
    pub fn from_words(words: Vec<u64>, limit: usize) -> Option<Self> {
        let exceeds_limit = |(index, &word): (usize, &u64)| {
            let valid_bits = limit.saturating_sub(index.saturating_mul(64)).min(64);
            valid_bits < 64 && word >> valid_bits != 0
        };
        if words.iter().enumerate().any(exceeds_limit) { None } else { Some(Self::with_words(words)) }
    }

    fn with_words(words: Vec<u64>) -> Self {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, len }
    }

    /// Returns the bits of the set, 64 in each word.
    #[inline]
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Number of members.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether the set has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the fraction of an index's `item_count` items that are in the set; 0 for an empty index. The fraction is
    /// at most 1, even if the set also has ords that the index lacks.
    #[must_use]
    pub fn share(&self, item_count: usize) -> f64 {
        if item_count == 0 { 0.0 } else { (self.len as f64 / item_count as f64).min(1.0) }
    }

    /// Whether `ord` is a member.
    #[inline]
    #[must_use]
    pub fn contains(&self, ord: u32) -> bool {
        self.words.get(ord as usize / 64).is_some_and(|word| word >> (ord % 64) & 1 == 1)
    }

    /// Adds an ord. Returns whether it is new to the set.
    #[inline]
    pub fn insert(&mut self, ord: u32) -> bool {
        let index = ord as usize / 64;
        if index >= self.words.len() {
            self.words.resize(index + 1, 0);
        }
        let bit = 1 << (ord % 64);
        let is_new = self.words[index] & bit == 0;
        self.words[index] |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    /// Returns the ords that are in both sets. The result has as many words as the shorter set.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self::with_words(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }

    /// Returns the ords that are in at least one of the sets. The result has as many words as the longer set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (short, long) = if self.words.len() < other.words.len() { (self, other) } else { (other, self) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(a, b)| *a |= b);
        Self::with_words(words)
    }

    /// Returns the ords that are in this set and not in the other. The result has as many words as this set.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        Self::with_words(self.words.iter().zip(others).map(|(a, b)| a & !b).collect())
    }

    /// Iterates over the members in ascending order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            // Each step clears the lowest bit that is set.
            let bits = std::iter::successors(Some(word), |rest| Some(rest & (rest - 1)));
            let bits = bits.take(word.count_ones() as usize);
            bits.map(move |rest| index as u32 * 64 + rest.trailing_zeros())
        })
    }

    /// Number of bytes that the set occupies on the heap.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }
}

impl FromIterator<u32> for BitSet {
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
    fn words_with_an_ord_that_is_not_below_the_limit_are_refused() {
        let count = |words: &[u64], limit| BitSet::from_words(words.to_vec(), limit).map(|set| set.len());
        assert_eq!(count(&[0b101], 3), Some(2));
        assert_eq!(count(&[0b101], 2), None);
        assert_eq!(count(&[0, 1], 64), None);
        assert_eq!(count(&[u64::MAX, 1], 65), Some(65));
    }

    #[test]
    fn insert_returns_whether_an_ord_is_new() {
        let mut set = BitSet::new();
        assert!(set.insert(130));
        assert!(!set.insert(130));
        assert!(set.contains(130) && !set.contains(129) && !set.contains(1000));
        assert_eq!(set.len(), 1);
    }

    proptest! {
        #[test]
        fn behaves_like_a_btree_set(
            a in prop::collection::btree_set(0u32..300, 0..80),
            b in prop::collection::btree_set(0u32..200, 0..80),
            limit in 0usize..300,
        ) {
            let [x, y] = [&a, &b].map(|ords| ords.iter().copied().collect::<BitSet>());
            let same = |set: BitSet, expected: BTreeSet<u32>| {
                set.len() == expected.len() && set.iter().eq(expected.iter().copied())
            };
            prop_assert!(same(x.clone(), a.clone()));
            prop_assert!(same(x.intersection(&y), &a & &b));
            prop_assert!(same(x.union(&y), &a | &b));
            prop_assert!(same(x.difference(&y), &a - &b));
            prop_assert!(same(BitSet::full(limit), (0..limit as u32).collect()));
            prop_assert!(same(BitSet::empty(limit), BTreeSet::new()));
            prop_assert!(BitSet::from_words(x.words().to_vec(), 300).is_some_and(|set| same(set, a.clone())));
            prop_assert!((0..400).all(|ord| x.contains(ord) == a.contains(&ord)));
            let full = BitSet::full(limit);
            for set in [full.clone(), BitSet::empty(limit).union(&full), full.difference(&x)] {
                prop_assert_eq!(set.words().len(), limit.div_ceil(64));
            }
        }
    }
}
