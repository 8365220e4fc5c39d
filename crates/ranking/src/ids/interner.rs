//! Assigns numbers to ids, so that passages of different runs can be compared by number instead of by text.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::{Error, Hit, PassageIds};

/// Assigns a number to each distinct id, from 0 in the order of first appearance.
///
/// All ids are stored in one string, so that interning many short ids needs few allocations.
///
/// ```
/// use ranking::IdInterner;
///
/// let mut interner = IdInterner::default();
/// assert_eq!(["b", "a", "b"].map(|id| interner.intern(id)), [0, 1, 0]);
/// assert_eq!(interner.id(1), "a");
/// ```
#[derive(Clone, Default)]
pub struct IdInterner {
    /// All ids, one after another.
    joined: String,
    /// The end of each id in `joined`.
    ends: Vec<usize>,
    /// Finds the number of an id by the hash of the id.
    numbers: HashTable<u32>,
    hasher: FxBuildHasher,
}

impl IdInterner {
    /// Returns the number of an id. A new id gets the next number.
    pub fn intern(&mut self, id: &str) -> u32 {
        let Self { joined, ends, numbers, hasher } = self;
        let hash = hasher.hash_one(id);
        if let Some(&number) = numbers.find(hash, |&number| nth(joined, ends, number) == id) {
            return number;
        }
        let number = ends.len() as u32;
        joined.push_str(id);
        ends.push(joined.len());
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(nth(joined, ends, number)));
        number
    }

    /// Returns the id with this number.
    ///
    /// # Panics
    ///
    /// If no id has this number.
    #[must_use]
    pub fn id(&self, number: u32) -> &str {
        nth(&self.joined, &self.ends, number)
    }

    /// Number of distinct ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no id has been interned yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl std::fmt::Debug for IdInterner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IdInterner").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Returns the id with this number. `joined` and `ends` are the fields of an interner.
#[inline]
fn nth<'a>(joined: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &joined[start..ends[number]]
}

/// Looks up the ids of hits whose ords are numbers of the interner.
impl PassageIds for IdInterner {
    fn for_each_id(&self, _list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
        hits.iter().for_each(|hit| visit(self.id(hit.ord)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn ids_are_numbered_in_the_order_of_first_appearance(ids in prop::collection::vec("[ab\u{0}é]{0,3}", 0..300)) {
            let (mut interner, mut expected) = (IdInterner::default(), HashMap::new());
            for id in &ids {
                let next = expected.len() as u32;
                let number = *expected.entry(id.clone()).or_insert(next);
                prop_assert_eq!(interner.intern(id), number);
            }
            prop_assert_eq!(interner.len(), expected.len());
            for (id, &number) in &expected {
                prop_assert_eq!(interner.id(number), id);
            }
        }
    }

    #[test]
    fn an_empty_id_has_its_own_number() {
        let mut interner = IdInterner::default();
        assert!(interner.is_empty());
        assert_eq!(["a", "", "b", ""].map(|id| interner.intern(id)), [0, 1, 2, 1]);
        assert_eq!([interner.id(0), interner.id(1), interner.id(2)], ["a", "", "b"]);
    }
}
