//! Caches the statistics of terms in a commit, and their ordinals in the term dictionaries of the segments. Looking up
//! a term again then costs one access to a hash table, instead of one search of the dictionary per segment.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use foldhash::fast::RandomState;

/// Number of shards, each with its own lock. Threads that look up different terms rarely wait for each other.
const SHARDS: usize = 16;

/// Maximum number of terms per shard. A term takes about 120 bytes. A full shard is cleared.
const MAX_TERMS_PER_SHARD: usize = 4096;

type Shard = HashMap<Box<str>, CachedTerm, RandomState>;

struct CachedTerm {
    statistics: TermStatistics,
    /// The term's ordinal in each segment.
    ords: Box<[u32]>,
}

/// How frequent a term is in a commit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermStatistics {
    /// Number of passages with the term (its document frequency).
    pub doc_freq: u64,
    /// Inverse document frequency.
    pub idf: f32,
}

/// Maps terms to their statistics in one commit and to their ordinals.
pub(crate) struct TermCache {
    shards: [RwLock<Shard>; SHARDS],
}

/// The value in place of an ordinal if a segment does not have the term.
pub(crate) const NO_TERM_ORD: u32 = u32::MAX;

impl TermCache {
    pub fn new() -> Self {
        Self { shards: std::array::from_fn(|_| RwLock::default()) }
    }

    /// Appends the term's ordinal in each segment to `to`, and returns the term's statistics. If the term is not in the
    /// cache, calls `find`, which must append the ordinals and return the statistics.
    pub fn look_up<E>(
        &self,
        term: &str,
        to: &mut Vec<u32>,
        find: impl FnOnce(&mut Vec<u32>) -> Result<TermStatistics, E>,
    ) -> Result<TermStatistics, E> {
        // The sum of the bytes spreads the terms well enough and is cheaper than a second hash.
        let byte_sum = term.bytes().fold(0usize, |sum, byte| sum.wrapping_add(usize::from(byte)));
        let shard = &self.shards[byte_sum % SHARDS];
        if let Some(cached) = shard.read().unwrap_or_else(PoisonError::into_inner).get(term) {
            to.extend_from_slice(&cached.ords);
            return Ok(cached.statistics);
        }
        let start = to.len();
        let statistics = find(to)?;
        let mut terms = shard.write().unwrap_or_else(PoisonError::into_inner);
        if terms.len() == MAX_TERMS_PER_SHARD {
            terms.clear();
        }
        terms.insert(term.into(), CachedTerm { statistics, ords: to[start..].into() });
        Ok(statistics)
    }
}
