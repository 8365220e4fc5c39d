//! Remembers where terms were found, so that a term that is asked for again costs one look into a hash table.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Parts with a lock each, so that threads seldom wait for each other.
const SHARDS: usize = 16;

/// Terms that a part remembers; about 100 bytes each. A full part is emptied.
const ROOM: usize = 4096;

type Numbers = HashMap<Box<str>, Box<[u32]>>;

/// For terms of one commit their numbers in each segment, [`ABSENT`] where there are none.
pub(crate) struct TermCache {
    shards: [RwLock<Numbers>; SHARDS],
}

/// The number of a term that a segment does not have.
pub(crate) const ABSENT: u32 = u32::MAX;

impl TermCache {
    pub fn new() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()) }
    }

    /// Appends the numbers of a term, found by `find` if they are not remembered.
    pub fn numbers<E>(
        &self,
        term: &str,
        to: &mut Vec<u32>,
        find: impl FnOnce(&mut Vec<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Spread well enough without hashing twice.
        let letters = term.bytes().fold(0usize, |sum, letter| sum.wrapping_add(usize::from(letter)));
        let shard = &self.shards[letters % SHARDS];
        if let Some(numbers) = shard.read().unwrap_or_else(PoisonError::into_inner).get(term) {
            to.extend_from_slice(numbers);
            return Ok(());
        }
        let start = to.len();
        find(to)?;
        let mut terms = shard.write().unwrap_or_else(PoisonError::into_inner);
        if terms.len() == ROOM {
            terms.clear();
        }
        terms.insert(term.into(), to[start..].into());
        Ok(())
    }
}
