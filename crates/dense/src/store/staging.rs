//! Adding many rows while others search: in slices, each of which takes the index for itself for a short while.
//! Staged rows are stored and linked, and no search finds them, until all are published in one moment or taken back.
//!
//! ```
//! use control::Control;
//! use dense::{HnswIndex, HnswOptions, Put, Similarity};
//!
//! let control = Control::new();
//! let mut index = HnswIndex::new(1, Similarity::Dot, HnswOptions::default(), serde_json::Value::Null)?;
//! index.add(vec!["a".into()], &[1.0], 1, &control)?;
//! index.check_rows(Put::Upsert, &["a", "b"], &[3.0, 2.0])?;
//! index.stage(Put::Upsert, vec!["a".into()], &[3.0], 1, &control)?;
//! index.stage(Put::Upsert, vec!["b".into()], &[2.0], 1, &control)?;
//! assert_eq!((index.live_len(), index.search(&[1.0], 9, 9, &control)?[0].score), (1, 1.0));
//! assert_eq!(index.publish(), [(0, 1)]);
//! assert_eq!((index.live_len(), index.search(&[1.0], 9, 9, &control)?[0].score), (2, 3.0));
//! # Ok::<(), dense::Error>(())
//! ```

use std::collections::HashMap;

use crate::Error;
use crate::store::checks::check_room;
use crate::store::element::Element;
use crate::store::rows::Rows;
use crate::store::staged::{Put, Staged};

/// Vectors looked at together: cosine makes a copy of them.
const CHECKED_ROWS: usize = 4096;

impl<T: Element> Rows<T> {
    /// Rows appended from now on are staged, until [`close_stage`](Self::close_stage).
    pub fn open_stage(&mut self, put: Put) {
        let first = self.len();
        let staged =
            self.ids_mut().staged().get_or_insert(Staged { first, put, open: true, replaced: Vec::new() });
        (staged.put, staged.open) = (put, true);
    }

    pub fn close_stage(&mut self) {
        if let Some(staged) = self.ids_mut().staged() {
            staged.open = false;
        }
    }

    /// Shows what is staged and deletes what it stands for. Returns the rows replaced, with those in their stead.
    pub fn publish(&mut self) -> Vec<(u32, u32)> {
        let replaced = self.ids_mut().staged().take().map_or_else(Vec::new, |staged| staged.replaced);
        replaced.iter().for_each(|&(old, _)| self.bury(old));
        replaced
    }

    /// Deletes what is staged.
    pub fn take_back(&mut self) {
        if let Some(staged) = self.ids_mut().staged().take() {
            (staged.first..self.len()).for_each(|ord| self.bury(ord as u32));
        }
    }

    /// What refuses a batch wherever it is put in slices.
    pub fn check<S: AsRef<str>>(&self, put: Put, ids: &[S], vectors: &[f32]) -> Result<(), Error> {
        let (operation, dim) = (put.name(), self.dim());
        if !vectors.len().is_multiple_of(dim) {
            return Err(Error::Dimension { operation, expected: dim, got: vectors.len() });
        }
        if vectors.len() / dim != ids.len() {
            return Err(Error::Count { operation, expected: vectors.len() / dim, got: ids.len() });
        }
        check_room(self.len(), ids.len())?;
        let mut rows = HashMap::with_capacity(ids.len());
        for (row, id) in ids.iter().enumerate() {
            let id = id.as_ref();
            let duplicate = |first| Error::DuplicateId { operation, id: id.to_owned(), row, first };
            if id.is_empty() {
                return Err(Error::EmptyId { operation, row });
            }
            if let Some(first) = rows.insert(id, row) {
                return Err(duplicate(Some(first)));
            }
            match (put, self.ids().ord(id)) {
                (Put::Add, Some(_)) => return Err(duplicate(None)),
                (Put::Update, None) => return Err(Error::UnknownId { operation, id: id.to_owned(), row }),
                _ => {}
            }
        }
        for (at, vectors) in vectors.chunks(CHECKED_ROWS * dim).enumerate() {
            let prepared = self.similarity().prepare(operation, dim, vectors);
            let stored = prepared.and_then(|vectors| T::encode(dim, vectors));
            stored.map_err(|error| error.moved_by(at * CHECKED_ROWS))?;
        }
        Ok(())
    }
}
