use crate::RowSet;
use crate::store::rows_view::View;

/// Says which rows may be hits.
pub type Filter<'a> = &'a dyn Allow;

/// What a [`Filter`] is: a [`RowSet`] or, where its rows are not listed, a function of an ord. A search of few rows goes
/// from one to the next in a set; a function it has to ask for every row.
pub trait Allow: Sync {
    /// Whether a row may be a hit. It is called from several threads and must always give the same answer.
    fn allows(&self, ord: u32) -> bool;

    /// All rows that may be hits, where they are known.
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

/// The rows that can be found and that a filter, if there is one, allows.
pub(crate) fn allowed(view: &View, filter: Option<Filter>) -> RowSet {
    let mut allowed = match filter.map(|filter| (filter, filter.rows())) {
        None => RowSet::first(view.len()),
        Some((_, Some(set))) => set.and(&RowSet::first(view.len())),
        Some((filter, None)) => (0..view.len() as u32).filter(|&ord| filter.allows(ord)).collect(),
    };
    if view.live_len() < view.len() {
        allowed = allowed.iter().filter(|&ord| view.is_live(ord)).collect();
    }
    allowed
}
