//! A set of ords, stored as a bitmap.

/// A set of ords with one bit for each: bit `ord % 64` of word `ord / 64`. It grows as needed.
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
    /// May be shorter or longer than the members need: missing words are 0.
    words: Vec<u64>,
    len: usize,
}

impl BitSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The empty set, with words for the ords below `limit`.
    #[must_use]
    pub fn empty(limit: usize) -> Self {
        Self { words: vec![0; limit.div_ceil(64)], len: 0 }
    }

    /// All ords below `limit`.
    #[must_use]
    pub fn full(limit: usize) -> Self {
        let mut words = vec![u64::MAX; limit.div_ceil(64)];
        if let Some(last) = words.last_mut().filter(|_| !limit.is_multiple_of(64)) {
            *last = (1 << (limit % 64)) - 1;
        }
        Self { words, len: limit }
    }

    /// The set with these [`words`](Self::words), or `None` if it has an ord that is not below `limit`.
    #[must_use]
    pub fn from_words(words: Vec<u64>, limit: usize) -> Option<Self> {
        let has_ord_beyond = |(at, &word): (usize, &u64)| {
            let valid = limit.saturating_sub(at.saturating_mul(64)).min(64);
            valid < 64 && word >> valid != 0
        };
        if words.iter().enumerate().any(has_ord_beyond) { None } else { Some(Self::with_words(words)) }
    }

    fn with_words(words: Vec<u64>) -> Self {
        let len = words.iter().map(|word| word.count_ones() as usize).sum();
        Self { words, len }
    }

    /// The bits of the set, 64 in each word.
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

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The fraction of an index of `count` items that is in the set, from 0 to 1; 0 for an empty index.
    #[must_use]
    pub fn share(&self, count: usize) -> f64 {
        if count == 0 { 0.0 } else { (self.len as f64 / count as f64).min(1.0) }
    }

    /// Whether `ord` is a member.
    #[inline]
    #[must_use]
    pub fn contains(&self, ord: u32) -> bool {
        self.words.get(ord as usize / 64).is_some_and(|word| word >> (ord % 64) & 1 == 1)
    }

    /// Adds an ord. Returns whether it is new.
    #[inline]
    pub fn insert(&mut self, ord: u32) -> bool {
        let at = ord as usize / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let bit = 1 << (ord % 64);
        let is_new = self.words[at] & bit == 0;
        self.words[at] |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    /// The ords that are in both sets. It has the words of the shorter one.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self::with_words(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }

    /// The ords that are in at least one of the sets. It has the words of the longer one.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (short, long) = if self.words.len() < other.words.len() { (self, other) } else { (other, self) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(a, b)| *a |= b);
        Self::with_words(words)
    }

    /// The ords that are in this set and not in the other. It has as many words as this set.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        Self::with_words(self.words.iter().zip(others).map(|(a, b)| a & !b).collect())
    }

    /// The members in ascending order.
    #[inline]
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
    fn words_with_an_ord_beyond_the_limit_are_refused() {
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
        fn behaves_as_a_set_of_numbers(
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
            for set in [BitSet::full(limit), BitSet::empty(limit).union(&BitSet::full(limit)), BitSet::full(limit).difference(&x)] {
                prop_assert_eq!(set.words().len(), limit.div_ceil(64));
            }
        }
    }
}
