//! The ids of hits in lists that were found one after another. The index may have changed in between.

use dense::{RowIds, passage_of};
use ranking::{Hit, PassageIds};

/// Looks up the ids of hits in snapshots of the ids of an index: one for each state of the ids in which lists were
/// found.
#[derive(Debug)]
pub(in crate::index) struct IdSnapshots {
    /// The position of the first list that was found in each state, in ascending order, and the ids in that state.
    snapshots: Vec<(usize, RowIds)>,
    /// Whether a hit has the id of its passage instead of the id of its phrase.
    names_passages: bool,
}

impl IdSnapshots {
    pub fn new(names_passages: bool) -> Self {
        Self { snapshots: Vec::new(), names_passages }
    }

    /// Records that the list at position `first_list` and later ones were found while the index had these ids.
    pub fn record(&mut self, first_list: usize, ids: RowIds) {
        if self.snapshots.last().is_none_or(|(_, last)| !last.same(&ids)) {
            self.snapshots.push((first_list, ids));
        }
    }
}

impl PassageIds for IdSnapshots {
    fn id_space(&self, list: usize) -> usize {
        let snapshots = self.snapshots.partition_point(|&(first_list, _)| first_list <= list);
        snapshots.checked_sub(1).expect("the first list has its ids")
    }

    fn for_each_id(
        &self,
        list: usize,
        hits: &[Hit],
        visit: &mut dyn FnMut(&str),
    ) -> Result<(), ranking::Error> {
        let (_, ids) = &self.snapshots[self.id_space(list)];
        if self.names_passages {
            ids.for_each_id(hits, |id| visit(passage_of(id)));
        } else {
            ids.for_each_id(hits, visit);
        }
        Ok(())
    }
}
