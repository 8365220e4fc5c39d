//! The ids of the hits of a batch search. The search finds one list of hits per query, and the index may change between
//! two lists.

use dense::{RowIds, passage_of};
use ranking::{Hit, PassageIds};

/// Looks up the ids of hits in snapshots of the ids of an index. There is a new snapshot whenever the ids changed
/// between two lists.
#[derive(Debug)]
pub(in crate::index) struct IdSnapshots {
    /// Each snapshot, with the position of the first list that was found while the index had the ids in that snapshot.
    /// Positions ascend.
    snapshots: Vec<(usize, RowIds)>,
    /// Whether a hit has the id of its passage instead of the id of its phrase.
    names_passages: bool,
}

impl IdSnapshots {
    pub fn new(names_passages: bool) -> Self {
        Self { snapshots: Vec::new(), names_passages }
    }

    /// Records that the list at position `first_list`, and all later ones until the next call, were found while the
    /// index had these ids.
    pub fn record(&mut self, first_list: usize, ids: RowIds) {
        if self.snapshots.last().is_none_or(|(_, last)| !last.has_same_ids_as(&ids)) {
            self.snapshots.push((first_list, ids));
        }
    }
}

impl PassageIds for IdSnapshots {
    /// Returns the position of the snapshot that has the ids of a list. Lists with the same snapshot have the same ids.
    fn id_space(&self, list: usize) -> usize {
        let snapshots = self.snapshots.partition_point(|&(first_list, _)| first_list <= list);
        snapshots.checked_sub(1).expect("the first list has a snapshot")
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
