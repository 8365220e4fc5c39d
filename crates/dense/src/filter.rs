use crate::RowSet;
use crate::store::rows_view::RowsView;

/// Says which rows may be hits.
pub type Filter<'a> = &'a dyn Allow;

/// What a [`Filter`] refers to: a [`RowSet`], or a function from an ord to whether the row may be a hit. A set is faster where
/// few rows are allowed: a search goes from one allowed row to the next, while it must ask a function about every row.
pub trait Allow: Sync {
    /// Whether a row may be a hit. It is called from several threads and must always give the same answer.
    fn allows(&self, ord: u32) -> bool;

    /// All rows that may be hits, if they are known.
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

/// The live rows that the filter, if there is one, allows.
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
