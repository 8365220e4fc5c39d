//! Reads the ids of an index in several calls, while the index may change.

use dense::{RowIds, RowSet};

use crate::Error;
use crate::index::vector_index::VectorIndex;

/// A snapshot of the ids of an index. Each call to [`next`](Self::next) returns the next few ids. The caller can then
/// [mark](Self::mark) some of them. At the end, `SharedIndex::filter_from_marked_ids` makes a filter of all marked ids.
#[derive(Debug)]
pub struct IdCursor {
    ids: RowIds,
    live: RowSet,
    /// The first row whose id has not been returned yet.
    next_row: u32,
    /// The rows whose ids the last call to `next` returned.
    last_rows: Vec<u32>,
    marked: RowSet,
}

impl IdCursor {
    /// Takes a snapshot of the ids of the rows that are not deleted.
    #[must_use]
    pub fn new(index: &VectorIndex) -> Self {
        let (ids, live) = (index.row_ids(), index.live());
        Self { ids, live, next_row: 0, last_rows: Vec::new(), marked: RowSet::new() }
    }

    /// Number of ids, including those that have been returned.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "no caller needs `is_empty`")]
    pub fn len(&self) -> usize {
        self.live.len()
    }

    /// Returns up to `count` of the next ids; none at the end.
    pub fn next(&mut self, count: usize) -> impl Iterator<Item = &str> {
        let row_count = self.ids.len() as u32;
        let live = (self.next_row..row_count).filter(|&ord| self.live.contains(ord));
        self.last_rows = live.take(count).collect();
        self.next_row = self.last_rows.last().map_or(row_count, |last| last + 1);
        self.last_rows.iter().map(|&ord| self.ids.id(ord))
    }

    /// Marks some of the ids that the last call to [`next`](Self::next) returned. `marks` has one number for each of
    /// these ids; an id is marked if its number is not 0.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] if `marks` does not have one number for each of these ids.
    pub fn mark(&mut self, marks: &[u8]) -> Result<(), Error> {
        if marks.len() != self.last_rows.len() {
            let (expected, got) = (self.last_rows.len(), marks.len());
            return Err(Error::argument(format!("mark: expected {expected} numbers, got {got}")));
        }
        for (&ord, _) in self.last_rows.iter().zip(marks).filter(|&(_, &mark)| mark != 0) {
            self.marked.insert(ord);
        }
        Ok(())
    }

    /// Returns the ids of all rows in the snapshot (deleted ones too), and the set of the rows whose ids were marked.
    /// Afterwards, no id is marked.
    pub fn take_marked(&mut self) -> (RowIds, RowSet) {
        (self.ids.clone(), std::mem::take(&mut self.marked))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dense::{FlatIndex, Similarity};

    #[test]
    fn ids_come_in_the_order_of_their_rows_without_deleted_rows_and_can_be_marked() {
        let mut flat = FlatIndex::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension of 1");
        let ids = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        flat.add(ids, &[1.0, 2.0, 3.0, 4.0]).expect("the ids are distinct");
        flat.delete(&["b"]).expect("the index has b");
        let mut ids = IdCursor::new(&VectorIndex::Flat(flat));
        assert_eq!(ids.len(), 3);
        assert_eq!(ids.next(2).collect::<Vec<_>>(), ["a", "c"]);
        let refused = ids.mark(&[1]).expect_err("two ids").to_string();
        assert_eq!(refused, "mark: expected 2 numbers, got 1");
        ids.mark(&[0, 1]).expect("two ids");
        assert_eq!(ids.next(2).collect::<Vec<_>>(), ["d"]);
        ids.mark(&[7]).expect("one id");
        assert_eq!(ids.next(2).count(), 0);
        assert_eq!(ids.take_marked().1.iter().collect::<Vec<_>>(), [2, 3]);
        assert!(ids.take_marked().1.is_empty());
    }
}
