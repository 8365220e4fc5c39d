//! Creates filters of an index: from ids, from ids that were marked in an `IdCursor`, and from other filters.

use std::sync::Arc;

use dense::{RowIds, RowSet};

use super::row_filter::RowFilter;
use crate::index::shared::SharedIndex;
use crate::scheduling::Poisoned;

impl SharedIndex {
    /// Returns a filter that allows the rows with these ids or, in an index of phrases, all rows of the passages with
    /// these ids. Also returns how many of the ids the index does not have.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn filter_of_ids(&self, ids: &[String]) -> Result<(Arc<RowFilter>, u32), Poisoned> {
        let mut unknown = 0;
        let filter = self.filter(|index| {
            let known = ids.iter().flat_map(|id| {
                let rows = self.rows_of_id(index, id);
                unknown += u32::from(rows.is_empty());
                rows
            });
            known.collect()
        })?;
        Ok((filter, unknown))
    }

    /// Returns a filter that allows the ids of the rows in `marked`. `ids` has the row ids that were current when the
    /// rows were marked. Since then, an id may have moved to another row, or may have been deleted.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn filter_from_marked_ids(&self, ids: &RowIds, marked: &RowSet) -> Result<Arc<RowFilter>, Poisoned> {
        self.filter(|index| marked.iter().filter_map(|ord| index.ord(ids.id(ord))).collect())
    }

    /// Returns a filter that allows the rows that both filters allow or, if `either` is true, the rows that at least
    /// one of them allows. Both must be filters of this index.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn combine_filters(
        &self,
        a: &RowFilter,
        b: &RowFilter,
        either: bool,
    ) -> Result<Arc<RowFilter>, Poisoned> {
        self.filter(|_| {
            // Locks the rows of both filters.
            let (a, b) = (a.rows(), b.rows());
            if either { a.union(&b) } else { a.intersection(&b) }
        })
    }

    /// Returns a filter that allows all rows that are not deleted, except the rows that `excluded`, a filter of this
    /// index, allows.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn filter_excluding(&self, excluded: Option<&RowFilter>) -> Result<Arc<RowFilter>, Poisoned> {
        self.filter(|index| {
            let live = index.live();
            match excluded {
                Some(excluded) => live.difference(&excluded.rows()),
                None => live,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IdCursor, VectorIndex};
    use control::Control;
    use dense::{FlatIndex, PHRASES_KEY, Put, Similarity};
    use serde_json::json;

    /// A flat index of dimension 1 that has rows with these ids.
    fn index(metadata: serde_json::Value, ids: &[&str]) -> Arc<SharedIndex> {
        let flat = FlatIndex::new(1, Similarity::Dot, metadata).expect("a dimension of 1");
        let index = SharedIndex::new(VectorIndex::Flat(flat), 0);
        let vectors = (0..ids.len()).map(|at| at as f32).collect();
        let ids = ids.iter().map(|&id| id.to_owned()).collect();
        index.put(Put::Add, ids, vectors, &Control::new()).expect("they are new");
        index
    }

    fn strings(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|&id| id.to_owned()).collect()
    }

    fn rows(filter: &RowFilter) -> Vec<u32> {
        filter.rows().iter().collect()
    }

    #[test]
    fn a_filter_of_ids_allows_their_rows_and_counts_unknown_ids() {
        let index = index(json!(null), &["a", "b", "c"]);
        let (filter, unknown) = index.filter_of_ids(&strings(&["c", "x", "a", "y"])).expect("no panic");
        assert_eq!((rows(&filter), unknown), (vec![0, 2], 2));
    }

    #[test]
    fn a_filter_of_passages_allows_all_their_phrases_but_phrase_ids_count_as_unknown() {
        let index = index(json!({ PHRASES_KEY: {} }), &["a\u{1f}0", "a\u{1f}1", "b\u{1f}0"]);
        let (filter, unknown) = index.filter_of_ids(&strings(&["a", "a\u{1f}0"])).expect("no panic");
        assert_eq!((rows(&filter), unknown), (vec![0, 1], 1));
    }

    #[test]
    fn filters_are_combined() {
        let index = index(json!(null), &["a", "b", "c", "d"]);
        let filter = |ids: &[&str]| index.filter_of_ids(&strings(ids)).expect("no panic").0;
        let (a, b) = (filter(&["a", "b"]), filter(&["b", "c"]));
        let of_two = |either| rows(&index.combine_filters(&a, &b, either).expect("no panic"));
        assert_eq!((of_two(false), of_two(true)), (vec![1], vec![0, 1, 2]));
        let rest = |excluded| rows(&index.filter_excluding(excluded).expect("no panic"));
        assert_eq!((rest(Some(&a)), rest(None)), (vec![2, 3], vec![0, 1, 2, 3]));
        index.delete(&strings(&["c"])).expect("no panic");
        assert_eq!(rows(&index.filter_excluding(Some(&a)).expect("no panic")), [3]);
    }

    #[test]
    fn a_filter_of_marked_ids_allows_the_rows_that_now_have_these_ids() {
        let index = index(json!(null), &["a", "b", "c"]);
        let mut ids = index.read(IdCursor::new).expect("no panic");
        assert_eq!(ids.next(3).collect::<Vec<_>>(), ["a", "b", "c"]);
        ids.mark(&[1, 1, 0]).expect("three numbers");
        index.put(Put::Update, strings(&["a"]), vec![9.0], &Control::new()).expect("it is there");
        index.delete(&strings(&["b"])).expect("no panic");
        let (ids, marked) = ids.take_marked();
        let filter = index.filter_from_marked_ids(&ids, &marked).expect("no panic");
        assert_eq!(rows(&filter), [3]);
    }
}
