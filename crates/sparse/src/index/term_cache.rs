//! Caches the ordinals of terms, so that looking up a term again costs one access to a hash table instead of one search
//! per segment.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Number of parts with a lock each. Threads that look up different terms seldom wait for each other.
const SHARDS: usize = 16;

/// Maximum number of terms per shard, of about 100 bytes each. A full shard is cleared.
const MAX_TERMS_PER_SHARD: usize = 4096;

type OrdsByTerm = HashMap<Box<str>, Box<[u32]>>;

/// Maps terms to their ordinals in the term dictionary of each segment of one commit.
pub(crate) struct TermCache {
    shards: [RwLock<OrdsByTerm>; SHARDS],
}

/// Stands for the ordinal of a term that a segment does not have.
pub(crate) const NO_ORD: u32 = u32::MAX;

impl TermCache {
    pub fn new() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()) }
    }

    /// Appends the term's ordinal in each segment to `to`. `find` appends them if they are not in the cache.
    pub fn ords<E>(
        &self,
        term: &str,
        to: &mut Vec<u32>,
        find: impl FnOnce(&mut Vec<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        // Good enough to spread the terms, and cheaper than a second hash.
        let letters = term.bytes().fold(0usize, |sum, letter| sum.wrapping_add(usize::from(letter)));
        let shard = &self.shards[letters % SHARDS];
        if let Some(ords) = shard.read().unwrap_or_else(PoisonError::into_inner).get(term) {
            to.extend_from_slice(ords);
            return Ok(());
        }
        let start = to.len();
        find(to)?;
        let mut terms = shard.write().unwrap_or_else(PoisonError::into_inner);
        if terms.len() == MAX_TERMS_PER_SHARD {
            terms.clear();
        }
        terms.insert(term.into(), to[start..].into());
        Ok(())
    }
}
