//! Filters that stay valid while their index changes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use dense::RowSet;
use parking_lot::{RwLock, RwLockReadGuard};

/// The rows that a filter allows.
///
/// The set changes only while the index is locked for writing, so during a search, the row numbers of the filter are
/// those of the index.
#[derive(Debug)]
pub struct RowFilter {
    rows: RwLock<RowSet>,
    len: AtomicU32,
}

impl RowFilter {
    pub(in crate::index) fn new(rows: RowSet) -> Self {
        Self { len: AtomicU32::new(rows.len() as u32), rows: RwLock::new(rows) }
    }

    /// The allowed rows.
    pub fn rows(&self) -> RwLockReadGuard<'_, RowSet> {
        self.rows.read()
    }

    /// Number of allowed rows, including rows that were deleted or replaced since the last compaction. Never waits.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "no caller needs `is_empty`")]
    pub fn len(&self) -> u32 {
        self.len.load(Ordering::Relaxed)
    }

    /// Also allows each new row that replaced an allowed old row. `replaced` has pairs (old row, new row).
    fn follow(&self, replaced: &[(u32, u32)]) {
        self.change(|rows| {
            for &(old, new) in replaced {
                if rows.contains(old) {
                    rows.insert(new);
                }
            }
        });
    }

    /// Renumbers the allowed rows after a compaction, in which the `live` rows become rows 0, 1, ….
    fn compact(&self, live: &RowSet) {
        self.change(|rows| {
            let kept = live.iter().zip(0..).filter(|&(old, _)| rows.contains(old));
            *rows = kept.map(|(_, new)| new).collect();
        });
    }

    fn change(&self, work: impl FnOnce(&mut RowSet)) {
        let mut rows = self.rows.write();
        work(&mut rows);
        self.len.store(rows.len() as u32, Ordering::Relaxed);
    }
}

/// The filters of one index that callers still hold.
#[derive(Debug, Default)]
pub(in crate::index) struct FilterList(Vec<Weak<RowFilter>>);

impl FilterList {
    pub fn push(&mut self, filter: &Arc<RowFilter>) {
        self.0.retain(|filter| filter.strong_count() > 0);
        self.0.push(Arc::downgrade(filter));
    }

    /// See [`RowFilter::follow`].
    pub fn follow(&self, replaced: &[(u32, u32)]) {
        self.for_each(|filter| filter.follow(replaced));
    }

    /// See [`RowFilter::compact`].
    pub fn compact(&self, live: &RowSet) {
        self.for_each(|filter| filter.compact(live));
    }

    fn for_each(&self, work: impl Fn(&RowFilter)) {
        self.0.iter().filter_map(Weak::upgrade).for_each(|filter| work(&filter));
    }
}
