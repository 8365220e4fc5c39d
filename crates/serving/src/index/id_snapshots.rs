//! The ids of an index as they were when lists of hits were found, which may be before and after changes.

use dense::{RowIds, passage_of};
use ranking::{Hit, PassageIds};

/// Names the hits of lists by snapshots of the ids of an index.
#[derive(Debug)]
pub(super) struct IdSnapshots {
    /// Each snapshot, with the first list that it names; ascending.
    snapshots: Vec<(usize, RowIds)>,
    /// Whether the id of a phrase is cut to that of its passage.
    names_passages: bool,
}

impl IdSnapshots {
    pub fn new(names_passages: bool) -> Self {
        Self { snapshots: Vec::new(), names_passages }
    }

    /// `ids` names the lists from `first_list` on.
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
