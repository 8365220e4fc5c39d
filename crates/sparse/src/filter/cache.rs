//! What filters have found in a commit, which never changes.

use std::sync::{Arc, Mutex, PoisonError};

use ranking::BitSet;

use crate::filter::expression::Filter;

/// Bytes that filters and their sets may hold: sixty sets over eight million passages.
const MOST_BYTES: usize = 64 << 20;

/// Filters looked through for each search.
const MOST_FILTERS: usize = 64;

/// The filters used last, with a set of passages for each segment.
#[derive(Default)]
pub(crate) struct FilterCache {
    /// Used last comes last.
    entries: Mutex<Vec<Entry>>,
}

struct Entry {
    filter: Filter,
    sets: Arc<[BitSet]>,
    bytes: usize,
}

impl FilterCache {
    pub fn get(&self, filter: &Filter) -> Option<Arc<[BitSet]>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().rposition(|entry| entry.filter == *filter)?;
        entries[at..].rotate_left(1);
        entries.last().map(|entry| Arc::clone(&entry.sets))
    }

    /// Keeps the sets of a filter that is not here, unless they alone are too large.
    pub fn put(&self, filter: &Filter, sets: &Arc<[BitSet]>) {
        let bytes = filter.bytes() + sets.iter().map(bytes).sum::<usize>();
        if bytes > MOST_BYTES {
            return;
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.iter().any(|entry| entry.filter == *filter) {
            return;
        }
        entries.push(Entry { filter: filter.clone(), sets: Arc::clone(sets), bytes });
        let mut total: usize = entries.iter().map(|entry| entry.bytes).sum();
        let mut out = entries.len().saturating_sub(MOST_FILTERS);
        total -= entries[..out].iter().map(|entry| entry.bytes).sum::<usize>();
        while total > MOST_BYTES {
            total -= entries[out].bytes;
            out += 1;
        }
        entries.drain(..out);
    }
}

fn bytes(set: &BitSet) -> usize {
    size_of::<BitSet>() + set.memory_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(id: usize) -> Filter {
        Filter::Ids(vec![id.to_string()])
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let cache = FilterCache::default();
        let sets: Arc<[BitSet]> = [BitSet::empty(10)].into();
        (0..MOST_FILTERS).for_each(|id| cache.put(&filter(id), &sets));
        assert!(Arc::ptr_eq(&cache.get(&filter(0)).expect("a kept set"), &sets));
        cache.put(&filter(MOST_FILTERS), &sets);
        assert!(cache.get(&filter(1)).is_none());
        assert!([0, 2, MOST_FILTERS].iter().all(|&id| cache.get(&filter(id)).is_some()));
    }

    #[test]
    fn memory_is_bounded() {
        let cache = FilterCache::default();
        // 24 MB each: two fit.
        let sets: Arc<[BitSet]> = [BitSet::empty(192_000_000)].into();
        (0..3).for_each(|id| cache.put(&filter(id), &sets));
        assert!(cache.get(&filter(0)).is_none() && cache.get(&filter(1)).is_some());
        let large = Filter::Ids(vec!["x".repeat(MOST_BYTES)]);
        cache.put(&large, &sets);
        assert!(cache.get(&large).is_none() && cache.get(&filter(2)).is_some());
    }
}
