//! Changes to an index while other threads search it.
//!
//! New rows are written in slices, between which waiting searches run. The new rows are *staged*: no search finds them
//! until they are *published*, that is, made visible all at once. After an error, the staged rows are dropped.

use std::mem;

use control::Control;
use dense::{Longest, Put};

use super::shared::SharedIndex;
use super::vector_index::VectorIndex;
use crate::Error;
use crate::scheduling::WriteSlices;

impl SharedIndex {
    /// Adds or replaces `vectors`, row-major with the shape `[ids, dim]`: all of them or, after an error, none. `put` says whether the ids must be
    /// new or known. Searches can run in the meantime. In an index of phrases, each passage is added or replaced as a
    /// whole, and the phrases of a passage must follow one another.
    ///
    /// # Errors
    ///
    /// If the index refuses a vector or an id, the system cannot create threads, the work is canceled, or an earlier
    /// change panicked.
    pub fn put(
        &self,
        put: Put,
        ids: Vec<String>,
        mut vectors: Vec<f32>,
        control: &Control,
    ) -> Result<(), Error> {
        control.set_total(ids.len() as u64);
        if self.has_phrases {
            return self.put_phrases(put, ids, &mut vectors, control);
        }
        let vectors = &vectors;
        self.read(|index| index.check_rows(put, &ids, vectors))??;
        let longest = [Longest::of(self.dim as usize, vectors)];
        self.stage_and_publish(&longest, || self.stage(put, ids, vectors, control))
    }

    /// Calls `stage`, which [stages](Self::stage) rows, and publishes these rows, or drops them if `stage` failed.
    /// For each list of vectors that `stage` will stage, `longest` has the length of the list's longest vector.
    pub(crate) fn stage_and_publish(
        &self,
        longest: &[Longest],
        stage: impl FnOnce() -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.stage_and_publish_with(longest, stage, |_, _| Ok(()))
    }

    /// Does the same as [`stage_and_publish`](Self::stage_and_publish), and calls `then` after the rows were published
    /// and before the lock is released. `then` gets the pairs (old row, new row) of replaced rows and may add pairs.
    /// Afterwards, each filter that allows the old row of a pair also allows the new row.
    pub(super) fn stage_and_publish_with(
        &self,
        longest: &[Longest],
        stage: impl FnOnce() -> Result<(), Error>,
        then: impl FnOnce(&mut VectorIndex, &mut Vec<(u32, u32)>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.write(|index| longest.iter().for_each(|&longest| index.announce_longest(longest)))?;
        let staged = stage();
        self.write(|index| match staged {
            Ok(()) => {
                let mut replaced = index.publish();
                let result = then(index, &mut replaced);
                self.filters.lock().follow(&replaced);
                result
            }
            Err(error) => {
                index.discard_staged();
                Err(error)
            }
        })?
    }

    /// Stages rows slice by slice. No search finds them until they are published.
    pub(crate) fn stage(
        &self,
        put: Put,
        ids: Vec<String>,
        vectors: &[f32],
        control: &Control,
    ) -> Result<(), Error> {
        let dim = self.dim as usize;
        let mut slices = WriteSlices::new(self.read(VectorIndex::first_slice)?);
        let (mut ids, mut vectors) = (ids.into_iter(), vectors);
        while ids.len() > 0 {
            let reads_before = self.read_count();
            let slice: Vec<String> = ids.by_ref().take(slices.row_count()).collect();
            let (slice_vectors, rest) = vectors.split_at(slice.len() * dim);
            vectors = rest;
            self.write(|index| {
                // The time of a slice does not include waiting for the lock.
                slices.start();
                control.check()?;
                index.stage(put, slice, slice_vectors, self.threads, control)
            })??;
            slices.finish(self.read_count() > reads_before);
        }
        Ok(())
    }

    /// Deletes rows or, in an index of phrases, passages. Unknown ids are ignored. Returns the number of distinct known
    /// ids.
    ///
    /// # Errors
    ///
    /// [`Error::Poisoned`] if a change panicked.
    pub fn delete(&self, ids: &[String]) -> Result<u32, Error> {
        let mut ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        ids.sort_unstable();
        ids.dedup();
        if self.has_phrases {
            return self.delete_passages(&ids);
        }
        self.read(|index| ids.retain(|id| index.ord(id).is_some()))?;
        self.delete_rows(&ids)?;
        Ok(ids.len() as u32)
    }

    /// Deletes rows by their ids, all of which the index must have.
    pub(super) fn delete_rows(&self, ids: &[&str]) -> Result<(), Error> {
        Ok(self.write(|index| index.delete(ids))??)
    }

    /// Replaces the index with a copy without the deleted rows. Searches can run while the copy is made.
    ///
    /// # Errors
    ///
    /// If the work is canceled, the system cannot create threads, or an earlier change panicked.
    pub fn compact(&self, control: &Control) -> Result<(), Error> {
        let (compacted, live) = self.read(|index| {
            control.set_total(index.live_len() as u64);
            (index.compacted(self.threads, control), index.live())
        })?;
        let compacted = compacted?;
        let old = self.write(|index| {
            self.filters.lock().compact(&live);
            self.change_id_space();
            mem::replace(index, compacted)
        })?;
        // Freeing gigabytes takes a long time, so it happens after the lock is released.
        drop(old);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RowFilter, SearchParams};
    use dense::{FlatIndex, HnswIndex, HnswOptions, RowSet, Similarity};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    /// An empty flat index of dimension 1.
    fn flat() -> Arc<SharedIndex> {
        let index = FlatIndex::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension of 1");
        SharedIndex::new(VectorIndex::Flat(index), 0)
    }

    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|&id| id.to_owned()).collect()
    }

    /// Returns the ids that a search finds, best first.
    fn found(index: &SharedIndex, filter: Option<&RowFilter>) -> Vec<String> {
        // 100 is more than the number of rows in any test that calls this.
        let params = SearchParams { k: 100, ef: 100 };
        let collect = |index: &VectorIndex, hits: &[ranking::Hit]| {
            hits.iter().map(|hit| index.id(hit.ord).to_owned()).collect()
        };
        index.search(&[1.0], params, filter, &Control::new(), collect).expect("a query of dimension 1")
    }

    #[test]
    fn rows_are_put_all_together_or_not_at_all() {
        let index = flat();
        index.put(Put::Add, ids(&["a", "b"]), vec![1.0, 2.0], &Control::new()).expect("they are new");
        assert_eq!(found(&index, None), ["b", "a"]);

        let refused = index.put(Put::Add, ids(&["c", "a"]), vec![3.0, 4.0], &Control::new());
        assert!(matches!(refused, Err(Error::Dense(dense::Error::DuplicateId { row: 1, .. }))));
        assert_eq!((found(&index, None), index.live_len()), (ids(&["b", "a"]), 2));
    }

    #[test]
    fn a_canceled_change_adds_no_row() {
        let index = flat();
        let control = Control::new();
        control.cancel();
        let canceled = index.put(Put::Add, ids(&["a"]), vec![1.0], &control);
        assert!(matches!(canceled, Err(Error::Dense(dense::Error::Canceled(_)))));
        assert_eq!(index.live_len(), 0);
        index.put(Put::Add, ids(&["a"]), vec![1.0], &Control::new()).expect("the id is still new");
    }

    #[test]
    fn a_reader_during_a_change_sees_all_of_its_rows_or_none() {
        const ROWS: usize = 4_000;
        let index = HnswIndex::new(1, Similarity::Dot, HnswOptions::default(), serde_json::Value::Null)
            .expect("a dimension of 1");
        let index = SharedIndex::new(VectorIndex::Hnsw(index), 1);
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let ids = (0..ROWS).map(|row| row.to_string()).collect();
                let vectors = (0..ROWS).map(|row| row as f32).collect();
                index.put(Put::Add, ids, vectors, &Control::new()).expect("they are new");
                is_done.store(true, Ordering::SeqCst);
            });
            while !is_done.load(Ordering::SeqCst) {
                let seen = index.read(VectorIndex::live_len).expect("no panic");
                assert!(seen == 0 || seen == ROWS, "{seen} rows");
            }
        });
        assert_eq!(index.live_len() as usize, ROWS);
    }

    #[test]
    fn a_filter_follows_replaced_rows_and_a_compaction() {
        let index = flat();
        index
            .put(Put::Add, ids(&["a", "b", "c"]), vec![1.0, 2.0, 3.0], &Control::new())
            .expect("they are new");
        let allow = |index: &VectorIndex| -> RowSet {
            ["a", "c"].map(|id| index.ord(id).expect("added")).into_iter().collect()
        };
        let filter = index.filter(allow).expect("no panic");
        assert_eq!(found(&index, Some(&filter)), ["c", "a"]);

        index.put(Put::Update, ids(&["a"]), vec![9.0], &Control::new()).expect("it is there");
        assert_eq!(found(&index, Some(&filter)), ["a", "c"]);

        assert_eq!(index.delete(&ids(&["c", "nobody", "c"])).expect("no panic"), 1);
        let space = index.id_space();
        index.compact(&Control::new()).expect("not canceled");
        assert_ne!(index.id_space(), space);
        assert_eq!(found(&index, Some(&filter)), ["a"]);
        assert_eq!(filter.len(), 1);
    }
}
