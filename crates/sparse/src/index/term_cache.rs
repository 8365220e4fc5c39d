//! Caches the ordinals of terms in the term dictionaries of segments, so that looking up a term again costs one access
//! to a hash table instead of one search of the dictionary per segment.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Number of shards, each with its own lock. Threads that look up different terms rarely wait for each other.
const SHARDS: usize = 16;

/// Maximum number of terms per shard. A term takes about 100 bytes. A full shard is cleared.
const MAX_TERMS_PER_SHARD: usize = 4096;

type OrdsByTerm = HashMap<Box<str>, Box<[u32]>>;

/// Maps terms to their ordinals in the term dictionary of each segment of one commit.
pub(crate) struct TermCache {
    shards: [RwLock<OrdsByTerm>; SHARDS],
}

/// The value in place of an ordinal if a segment does not have the term.
pub(crate) const NO_TERM_ORD: u32 = u32::MAX;

impl TermCache {
    pub fn new() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()) }
    }

    /// Appends the term's ordinal in each segment to `to`. Calls `find` to append them if they are not in the cache.
    pub fn term_ords<E>(
        &self,
        term: &str,
        to: &mut Vec<u32>,
        find: impl FnOnce(&mut Vec<u32>) -> Result<(), E>,
    ) -> Result<(), E> {
        // The sum of the bytes spreads the terms well enough and is cheaper than a second hash.
        let byte_sum = term.bytes().fold(0usize, |sum, byte| sum.wrapping_add(usize::from(byte)));
        let shard = &self.shards[byte_sum % SHARDS];
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
