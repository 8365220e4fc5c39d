//! Changes of an index that has a row for each phrase: callers add, replace and delete passages as a whole.

use std::collections::HashSet;
use std::ops::Range;

use control::Control;
use dense::{Longest, Put, passage_of};

use crate::Error;
use crate::index::shared::SharedIndex;
use crate::index::vector_index::VectorIndex;

/// A passage that is being added or replaced.
struct Passage {
    /// The rows of the passage's old phrases in the index.
    old_rows: Vec<u32>,
    /// Positions of the passage's new phrases in the list of ids that the caller passed.
    new_phrases: Range<usize>,
}

impl SharedIndex {
    /// Does the work of [`put`](Self::put) in an index of phrases. The new phrases of a passage replace all of its old
    /// ones.
    pub(in crate::index) fn put_phrases(
        &self,
        put: Put,
        ids: Vec<String>,
        vectors: &mut [f32],
        control: &Control,
    ) -> Result<(), Error> {
        // When a passage is replaced, a new phrase may have the id of an old one, which it then replaces.
        let row_put = if put == Put::Add { Put::Add } else { Put::Upsert };
        let (first_row, passages) = self.read(|index| {
            let passages = group_by_passage(index, put, &ids)?;
            index.check_rows(row_put, &ids, vectors)?;
            Ok::<_, Error>((index.row_count() as u32, passages))
        })??;
        if self.scales_to_unit_length {
            scale_to_unit_length(operation(put), self.dim as usize, vectors)?;
        }
        let longest = [Longest::of(self.dim as usize, vectors)];
        let stage = || self.stage(row_put, ids, vectors, control);
        self.stage_and_publish_with(&longest, stage, |index, replaced| {
            let mut old_rows = Vec::new();
            for passage in &passages {
                // Filters allow all rows of a passage or none. So it is enough to pair each new phrase with the first
                // old row: a filter that allows this row then allows all new phrases.
                let Some(&old_row) = passage.old_rows.first() else { continue };
                replaced.extend(passage.new_phrases.clone().map(|at| (old_row, first_row + at as u32)));
                old_rows.extend(passage.old_rows.iter().copied());
            }
            // Publishing did not replace the old rows whose ids no new phrase has. Delete these rows.
            let remaining = old_rows.into_iter().filter(|&ord| index.ord(index.id(ord)) == Some(ord));
            let remaining: Vec<String> = remaining.map(|ord| index.id(ord).to_owned()).collect();
            let remaining: Vec<&str> = remaining.iter().map(String::as_str).collect();
            Ok(index.delete(&remaining)?)
        })
    }

    /// Deletes all phrases of the passages with these ids, which must be distinct. Returns how many of the passages the
    /// index had.
    pub(in crate::index) fn delete_passages(&self, passages: &[&str]) -> Result<u32, Error> {
        let (passage_count, ids) = self.read(|index| {
            let (mut passage_count, mut ids) = (0, Vec::new());
            for passage in passages {
                let rows = index.rows_of_passage(passage);
                passage_count += u32::from(!rows.is_empty());
                ids.extend(rows.into_iter().map(|ord| index.id(ord).to_owned()));
            }
            (passage_count, ids)
        })?;
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        self.delete_rows(&ids)?;
        Ok(passage_count)
    }
}

/// Returns the name of the operation, for error messages.
fn operation(put: Put) -> &'static str {
    if put == Put::Add { "add" } else { "update" }
}

/// Groups phrases by their passages, and checks that the passages can be added or replaced as `put` requires.
fn group_by_passage(index: &VectorIndex, put: Put, ids: &[String]) -> Result<Vec<Passage>, Error> {
    let operation = operation(put);
    let (mut passages, mut seen) = (Vec::new(), HashSet::new());
    let mut row = 0;
    for ids in ids.chunk_by(|a, b| passage_of(a) == passage_of(b)) {
        let passage = passage_of(&ids[0]);
        if passage.is_empty() {
            return Err(dense::Error::EmptyId { operation, row }.into());
        }
        if !seen.insert(passage) {
            return Err(Error::argument(format!(
                "{operation}: expected the phrases of a passage one after another, got \"{passage}\" again at row {row}"
            )));
        }
        let mut phrases = HashSet::with_capacity(ids.len());
        if let Some(at) = ids.iter().position(|id| !phrases.insert(id)) {
            return Err(Error::DuplicatePhrase { operation, passage: passage.to_owned(), row: row + at });
        }
        let old_rows = index.rows_of_passage(passage);
        let id = || passage.to_owned();
        match put {
            Put::Add if !old_rows.is_empty() => {
                return Err(dense::Error::DuplicateId { operation, id: id(), row, first: None }.into());
            }
            Put::Update if old_rows.is_empty() => {
                return Err(dense::Error::UnknownId { operation, id: id(), row }.into());
            }
            _ => {}
        }
        passages.push(Passage { old_rows, new_phrases: row..row + ids.len() });
        row += ids.len();
    }
    Ok(passages)
}

/// Scales the vectors `[n, dim]` to length 1. A vector of zeros has no direction, and is refused.
fn scale_to_unit_length(operation: &'static str, dim: usize, vectors: &mut [f32]) -> Result<(), Error> {
    for (row, vector) in vectors.chunks_exact_mut(dim).enumerate() {
        let squared_length: f64 = vector.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        if squared_length == 0.0 {
            return Err(dense::Error::Zero { operation, row }.into());
        }
        let scale = squared_length.sqrt().recip();
        vector.iter_mut().for_each(|x| *x = (f64::from(*x) * scale) as f32);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dense::{FlatIndex, PHRASES_KEY, RowSet, Similarity};
    use serde_json::json;
    use std::sync::Arc;

    /// An empty index of phrases, of dimension 1, with this value for the metadata key [`PHRASES_KEY`].
    fn phrases(metadata: serde_json::Value) -> Arc<SharedIndex> {
        let flat =
            FlatIndex::new(1, Similarity::Dot, json!({ PHRASES_KEY: metadata })).expect("a dimension of 1");
        SharedIndex::new(VectorIndex::Flat(flat), 0)
    }

    /// Returns ids with the separator U+001F in place of the space: `a 0` stands for phrase 0 of passage `a`.
    fn ids(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| id.replace(' ', "\u{1f}")).collect()
    }

    /// Puts phrases with these ids, in which a space stands for the separator.
    fn put(index: &SharedIndex, put: Put, phrases: &[&str]) -> Result<(), Error> {
        // The values of the vectors do not matter, except that they are not 0.
        let vectors = (0..phrases.len()).map(|at| at as f32 + 1.0).collect();
        index.put(put, ids(phrases), vectors, &Control::new())
    }

    /// The ids of all rows that are not deleted.
    fn rows(index: &SharedIndex) -> Vec<String> {
        let rows = |index: &VectorIndex| index.live().iter().map(|ord| index.id(ord).to_owned()).collect();
        index.read(rows).expect("no panic")
    }

    #[test]
    fn new_phrases_replace_all_old_ones_of_their_passage_in_index_and_filters() {
        let index = phrases(json!({}));
        put(&index, Put::Add, &["a 0", "a 1", "b 0"]).expect("they are new");
        let only_a = |index: &VectorIndex| -> RowSet { index.rows_of_passage("a").into_iter().collect() };
        let filter = index.filter(only_a).expect("no panic");

        put(&index, Put::Update, &["a 1", "a 2", "a 3"]).expect("passage a is there");
        assert_eq!(rows(&index), ids(&["b 0", "a 1", "a 2", "a 3"]));
        let allowed = |index: &VectorIndex| -> Vec<String> {
            let live = index.live();
            let rows = filter.rows();
            rows.iter().filter(|&ord| live.contains(ord)).map(|ord| index.id(ord).to_owned()).collect()
        };
        assert_eq!(index.read(allowed).expect("no panic"), ids(&["a 1", "a 2", "a 3"]));
    }

    #[test]
    fn passages_are_deleted_with_all_their_phrases() {
        let index = phrases(json!({}));
        put(&index, Put::Add, &["a 0", "a 1", "b 0"]).expect("they are new");
        assert_eq!(index.delete(&ids(&["a", "nobody", "a"])).expect("no panic"), 1);
        assert_eq!(rows(&index), ids(&["b 0"]));
    }

    #[test]
    fn refused_phrases_are_reported_with_the_id_of_their_passage_or_their_position() {
        let index = phrases(json!({}));
        put(&index, Put::Add, &["a 0"]).expect("it is new");
        let refused = |how: Put, ids: &[&str]| put(&index, how, ids).expect_err("refused").to_string();
        assert_eq!(
            refused(Put::Add, &["b 0", "a 1"]),
            "add: expected an id that is new, got \"a\" at row 1, which is in the index"
        );
        assert_eq!(
            refused(Put::Update, &["b 0"]),
            "update: expected ids that are in the index, got \"b\" at row 0"
        );
        assert_eq!(
            refused(Put::Add, &["b 0", "c 0", "b 1"]),
            "add: expected the phrases of a passage one after another, got \"b\" again at row 2"
        );
        assert_eq!(
            refused(Put::Add, &["b 0", "b 0"]),
            "add: expected distinct phrases of \"b\", got a repeated one at row 1"
        );
        assert!(refused(Put::Add, &[" 0"]).contains("empty"));
        assert_eq!(rows(&index), ids(&["a 0"]));
    }

    #[test]
    fn vectors_are_scaled_to_length_1_if_the_metadata_says_so() {
        let index = phrases(json!({ "unitLength": true }));
        put(&index, Put::Add, &["a 0", "a 1"]).expect("they are new");
        let vector = |index: &VectorIndex| index.vector(1).into_owned();
        assert_eq!(index.read(vector).expect("no panic"), [1.0]);
        let zero = index.put(Put::Add, ids(&["b 0"]), vec![0.0], &Control::new());
        assert!(matches!(zero, Err(Error::Dense(dense::Error::Zero { row: 0, .. }))));
    }
}
