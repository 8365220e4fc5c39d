//! A cache of evaluated filters. Each open commit has its own cache. A commit never changes, so entries never become
//! invalid.

use std::sync::{Arc, Mutex, PoisonError};

use ranking::BitSet;

use crate::filter::expression::Filter;

/// Maximum number of bytes of all filters and their sets together: enough for about sixty sets over eight million
/// passages.
const MAX_BYTES: usize = 64 << 20;

/// Maximum number of cached filters. A lookup may compare its filter with all of them.
const MAX_FILTERS: usize = 64;

/// The most recently used filters. Each entry has the set of matching passages of each segment.
#[derive(Default)]
pub(crate) struct FilterCache {
    /// The most recently used entry is the last.
    entries: Mutex<Vec<Entry>>,
}

struct Entry {
    filter: Filter,
    /// One set per segment.
    sets: Arc<[BitSet]>,
    /// Memory of the filter and its sets.
    bytes: usize,
}

impl FilterCache {
    /// Returns the sets of a filter; `None` if it is not cached.
    pub fn get(&self, filter: &Filter) -> Option<Arc<[BitSet]>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let at = entries.iter().rposition(|entry| entry.filter == *filter)?;
        entries[at..].rotate_left(1);
        entries.last().map(|entry| Arc::clone(&entry.sets))
    }

    /// Adds a filter with its sets, unless it is already cached, or takes too much memory together with its sets.
    pub fn put(&self, filter: &Filter, sets: &Arc<[BitSet]>) {
        let bytes = filter.bytes() + sets.iter().map(set_bytes).sum::<usize>();
        if bytes > MAX_BYTES {
            return;
        }
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.iter().any(|entry| entry.filter == *filter) {
            return;
        }
        entries.push(Entry { filter: filter.clone(), sets: Arc::clone(sets), bytes });
        let mut total: usize = entries.iter().map(|entry| entry.bytes).sum();
        let mut removed = entries.len().saturating_sub(MAX_FILTERS);
        total -= entries[..removed].iter().map(|entry| entry.bytes).sum::<usize>();
        while total > MAX_BYTES {
            total -= entries[removed].bytes;
            removed += 1;
        }
        entries.drain(..removed);
    }
}

fn set_bytes(set: &BitSet) -> usize {
    size_of::<BitSet>() + set.memory_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a filter that differs for each id.
    fn filter(id: usize) -> Filter {
        Filter::Ids(vec![id.to_string()])
    }

    #[test]
    fn the_least_recently_used_filter_is_dropped_first() {
        let cache = FilterCache::default();
        let sets: Arc<[BitSet]> = [BitSet::empty(10)].into();
        (0..MAX_FILTERS).for_each(|id| cache.put(&filter(id), &sets));
        assert!(Arc::ptr_eq(&cache.get(&filter(0)).expect("a cached set"), &sets));
        cache.put(&filter(MAX_FILTERS), &sets);
        assert!(cache.get(&filter(1)).is_none());
        assert!([0, 2, MAX_FILTERS].iter().all(|&id| cache.get(&filter(id)).is_some()));
    }

    #[test]
    fn memory_is_bounded() {
        let cache = FilterCache::default();
        // A set takes 24 MB, so two fit.
        let sets: Arc<[BitSet]> = [BitSet::empty(192_000_000)].into();
        (0..3).for_each(|id| cache.put(&filter(id), &sets));
        assert!(cache.get(&filter(0)).is_none() && cache.get(&filter(1)).is_some());
        let large = Filter::Ids(vec!["x".repeat(MAX_BYTES)]);
        cache.put(&large, &sets);
        assert!(cache.get(&large).is_none() && cache.get(&filter(2)).is_some());
    }
}
