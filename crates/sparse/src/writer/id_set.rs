//! A compact set of ids. The writer has one set of the ids that were added since the last commit, and one of the ids
//! that were deleted since then.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

/// A set of ids that stores only a 128-bit hash of each (SipHash with two random keys), which takes 17 to 35 bytes per
/// id, however long the id is. The probability that any two of 2^32 ids have the same hash is 2^-65.
#[derive(Debug, Default)]
pub(crate) struct IdSet {
    keys: [RandomState; 2],
    hashes: HashSet<u128, BuildHasherDefault<LowHalf>>,
}

impl IdSet {
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    pub fn contains(&self, id: &str) -> bool {
        self.hashes.contains(&self.hash(id))
    }

    /// Adds an id. Returns true if it was not in the set.
    pub fn insert(&mut self, id: &str) -> bool {
        self.hashes.insert(self.hash(id))
    }

    /// Removes an id. Returns true if it was in the set.
    pub fn remove(&mut self, id: &str) -> bool {
        self.hashes.remove(&self.hash(id))
    }

    /// Removes all ids and frees the memory.
    pub fn clear(&mut self) {
        self.hashes = HashSet::default();
    }

    fn hash(&self, id: &str) -> u128 {
        let [high, low] = self.keys.each_ref().map(|key| u128::from(key.hash_one(id)));
        high << 64 | low
    }
}

/// Uses the low half of a value as its hash, because the value is a hash already.
#[derive(Default)]
struct LowHalf(u64);

impl Hasher for LowHalf {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
    }

    fn write_u128(&mut self, value: u128) {
        self.0 = value as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_id_set_behaves_like_a_set_of_strings(operations in prop::collection::vec((0..3u8, "[ab]{0,3}"), 0..60)) {
            let (mut set, mut reference) = (IdSet::default(), HashSet::new());
            for (operation, id) in operations {
                match operation {
                    0 => prop_assert_eq!(set.insert(&id), reference.insert(id)),
                    1 => prop_assert_eq!(set.remove(&id), reference.remove(&id)),
                    _ => prop_assert_eq!(set.contains(&id), reference.contains(&id)),
                }
            }
        }
    }

    #[test]
    fn similar_ids_are_distinct() {
        let mut set = IdSet::default();
        assert!((0..100_000).all(|id| set.insert(&id.to_string())));
        assert!((0..100_000).all(|id| !set.insert(&id.to_string())));
        set.clear();
        assert!(!set.contains("7"));
    }
}
