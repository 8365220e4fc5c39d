//! Filters, which restrict a search to some rows: [`Filter`] for callers, [`allowed`] for searches that need the set of
//! all rows that may be hits.

use crate::RowSet;
use crate::store::rows_view::RowsView;

/// Decides which rows may be hits: a [`RowSet`] or a function.
pub type Filter<'a> = &'a dyn Allow;

/// The interface of a [`Filter`]. It is implemented by [`RowSet`], and by functions that take the ord of a row and
/// return whether the row may be a hit. If few rows are allowed, a set is faster: a search can go from one allowed row
/// to the next, while it must call a function for every row.
pub trait Allow: Sync {
    /// Returns whether a row may be a hit. It is called from several threads and must always return the same value for
    /// the same row.
    fn allows(&self, ord: u32) -> bool;

    /// Returns the set of all rows that may be hits; `None` if the filter has no such set, so that
    /// [`allows`](Self::allows) must be called for each row.
    fn rows(&self) -> Option<&RowSet> {
        None
    }
}

impl<F: Fn(u32) -> bool + Sync> Allow for F {
    fn allows(&self, ord: u32) -> bool {
        self(ord)
    }
}

impl Allow for RowSet {
    fn allows(&self, ord: u32) -> bool {
        self.contains(ord)
    }

    fn rows(&self) -> Option<&RowSet> {
        Some(self)
    }
}

/// Returns the live rows (neither deleted nor staged, that is, added but not yet published to searches) that the filter
/// allows; all live rows if there is no filter.
pub(crate) fn allowed(view: &RowsView, filter: Option<Filter>) -> RowSet {
    let mut allowed = match filter.map(|filter| (filter, filter.rows())) {
        None => RowSet::full(view.len()),
        Some((_, Some(set))) => set.intersection(&RowSet::full(view.len())),
        Some((filter, None)) => (0..view.len() as u32).filter(|&ord| filter.allows(ord)).collect(),
    };
    if view.live_len() < view.len() {
        allowed = allowed.iter().filter(|&ord| view.is_live(ord)).collect();
    }
    allowed
}
