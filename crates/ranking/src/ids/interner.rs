//! Assigns numbers to strings: to ids, so that passages of different runs can be compared by number, or to terms.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::{Error, Hit, PassageIds};

/// Assigns a number to each distinct string, from 0 in the order of first appearance.
///
/// All strings are stored in one, so that interning many short strings needs few allocations.
///
/// ```
/// use ranking::Interner;
///
/// let mut interner = Interner::default();
/// assert_eq!(["b", "a", "b"].map(|id| interner.intern(id)), [0, 1, 0]);
/// assert_eq!(interner.get(1), "a");
/// ```
#[derive(Clone, Default)]
pub struct Interner {
    /// All strings, one after another.
    joined: String,
    /// The end of each string in `joined`.
    ends: Vec<usize>,
    /// Finds the number of a string by its hash.
    numbers: HashTable<u32>,
    hasher: FxBuildHasher,
}

impl Interner {
    /// Returns the number of a string. A new string gets the next number.
    pub fn intern(&mut self, text: &str) -> u32 {
        let Self { joined, ends, numbers, hasher } = self;
        let hash = hasher.hash_one(text);
        if let Some(&number) = numbers.find(hash, |&number| nth(joined, ends, number) == text) {
            return number;
        }
        let number = ends.len() as u32;
        joined.push_str(text);
        ends.push(joined.len());
        numbers.insert_unique(hash, number, |&number| hasher.hash_one(nth(joined, ends, number)));
        number
    }

    /// Returns the string with this number.
    ///
    /// # Panics
    ///
    /// If no string has this number.
    #[must_use]
    pub fn get(&self, number: u32) -> &str {
        nth(&self.joined, &self.ends, number)
    }

    /// Number of distinct strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Number of bytes of memory that the interner takes.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let Self { joined, ends, numbers, .. } = self;
        joined.capacity() + size_of::<usize>() * ends.capacity() + numbers.allocation_size()
    }

    /// Whether no string has been interned yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

impl std::fmt::Debug for Interner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Interner").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Returns the string with this number. `joined` and `ends` are the fields of an interner.
#[inline]
fn nth<'a>(joined: &'a str, ends: &[usize], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &joined[start..ends[number]]
}

/// Looks up the ids of hits whose ords are numbers of the interner.
impl PassageIds for Interner {
    fn for_each_id(&self, _list: usize, hits: &[Hit], visit: &mut dyn FnMut(&str)) -> Result<(), Error> {
        hits.iter().for_each(|hit| visit(self.get(hit.ord)));
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
        fn strings_are_numbered_in_the_order_of_first_appearance(ids in prop::collection::vec("[ab\u{0}é]{0,3}", 0..300)) {
            let (mut interner, mut expected) = (Interner::default(), HashMap::new());
            for id in &ids {
                let next = expected.len() as u32;
                let number = *expected.entry(id.clone()).or_insert(next);
                prop_assert_eq!(interner.intern(id), number);
            }
            prop_assert_eq!(interner.len(), expected.len());
            for (id, &number) in &expected {
                prop_assert_eq!(interner.get(number), id);
            }
        }
    }

    #[test]
    fn an_empty_string_has_its_own_number() {
        let mut interner = Interner::default();
        assert!(interner.is_empty());
        assert_eq!(["a", "", "b", ""].map(|id| interner.intern(id)), [0, 1, 2, 1]);
        assert_eq!([interner.get(0), interner.get(1), interner.get(2)], ["a", "", "b"]);
    }
}
