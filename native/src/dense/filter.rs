use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, Weak};

use dense::RowSet;
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use super::opened::Opened;
use crate::error::Failure;
use crate::run::{Hits, Ids};
use crate::task::{Outcome, call};

/// The rows that a filter allows. They change only while the writer has the index for itself.
pub struct FilterRows {
    rows: RwLock<RowSet>,
    size: AtomicU32,
}

impl FilterRows {
    pub fn new(rows: RowSet) -> Self {
        Self { size: AtomicU32::new(rows.len() as u32), rows: RwLock::new(rows) }
    }

    pub fn rows(&self) -> RwLockReadGuard<'_, RowSet> {
        self.rows.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allows the rows that stand in the place of allowed ones.
    pub fn follow(&self, replaced: &[(u32, u32)]) {
        self.change(|rows| {
            for &(old, new) in replaced {
                if rows.contains(old) {
                    rows.insert(new);
                }
            }
        });
    }

    /// Only the `live` rows stay, one after another.
    pub fn compact(&self, live: &RowSet) {
        self.change(|rows| {
            let kept = live.iter().zip(0..).filter(|&(old, _)| rows.contains(old));
            *rows = kept.map(|(_, new)| new).collect();
        });
    }

    fn change(&self, work: impl FnOnce(&mut RowSet)) {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        work(&mut rows);
        self.size.store(rows.len() as u32, Ordering::Relaxed);
    }
}

/// Some of an index's rows, to search among. It does not keep the index open.
#[napi]
pub struct NativeFilter {
    pub(super) index: Weak<Opened>,
    pub(super) rows: Arc<FilterRows>,
    pub(super) unknown: u32,
}

#[napi]
impl NativeFilter {
    /// How many rows it allows, those deleted meanwhile too.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.rows.size.load(Ordering::Relaxed)
    }

    /// How many ids were not there.
    #[napi(getter, catch_unwind)]
    pub fn unknown(&self) -> u32 {
        self.unknown
    }
}

/// The rows of a filter of this index.
pub fn rows_of(index: &Arc<Opened>, filter: Option<&NativeFilter>) -> Outcome<Option<Arc<FilterRows>>> {
    let Some(filter) = filter else { return Ok(None) };
    if !Weak::ptr_eq(&filter.index, &Arc::downgrade(index)) {
        return Err(Failure::argument(
            "filter: expected a filter made by this index, got one made by another",
        ));
    }
    Ok(Some(Arc::clone(&filter.rows)))
}

/// The ids of an index as they were, looked at some at a time. Some are marked.
#[napi]
pub struct NativeIds {
    pub(super) names: dense::RowIds,
    pub(super) live: RowSet,
    pub(super) next: u32,
    pub(super) shown: Vec<u32>,
    pub(super) marked: RowSet,
}

#[napi]
impl NativeIds {
    /// How many ids there are.
    #[napi(getter, catch_unwind)]
    pub fn size(&self) -> u32 {
        self.live.len() as u32
    }

    /// The next ids, `count` at most; without scores. None at the end.
    #[napi(catch_unwind)]
    pub fn next(&mut self, count: u32) -> Hits {
        let rest = self.next..self.names.len() as u32;
        let live = rest.filter(|&ord| self.live.contains(ord));
        self.shown = live.take(count as usize).collect();
        self.next = self.shown.last().map_or(self.names.len() as u32, |last| last + 1);
        let ids: Ids = self.shown.iter().map(|&ord| self.names.id(ord)).collect();
        ids.with_scores(Vec::new())
    }

    /// Marks those of the ids given last whose number is not 0.
    #[napi(catch_unwind)]
    pub fn mark(&mut self, which: Uint8Array) -> napi::Result<()> {
        call(|| {
            if which.len() != self.shown.len() {
                let (expected, got) = (self.shown.len(), which.len());
                return Err(Failure::argument(format!("mark: expected {expected} numbers, got {got}")));
            }
            for (&ord, _) in self.shown.iter().zip(which.iter()).filter(|&(_, &mark)| mark != 0) {
                self.marked.insert(ord);
            }
            Ok(())
        })
    }
}
