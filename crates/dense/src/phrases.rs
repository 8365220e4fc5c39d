//! Indexes with several rows per passage: one row for each of its phrases. A passage is ranked by its best phrase (Yang
//! et al., "Confidence-Calibrated Ensemble Dense Phrase Retrieval", 2023, section 3.1).
//!
//! Any index is such an index if its [metadata](crate::FlatIndex::metadata) has the key [`PHRASES`] and the id of each
//! row is the concatenation of three parts:
//!
//! ```text
//! passage id, AFTER_PASSAGE, phrase
//! ```
//!
//! The part `phrase` distinguishes the phrases of a passage. The JavaScript API writes the offsets of the phrase in the
//! passage's text, in UTF-16 code units: its start, [`AFTER_PASSAGE`] again, and its end.

use std::collections::HashSet;

use ranking::Hit;
use serde_json::Value;

use crate::Error;

/// The metadata key that marks an index with several rows per passage.
pub const PHRASES: &str = "passagekit.phrases";

/// Separates the id of a passage from its phrase: the ASCII unit separator.
pub const AFTER_PASSAGE: char = '\u{1f}';

/// Returns whether an index with this metadata has several rows per passage.
#[must_use]
pub fn has_phrases(metadata: &Value) -> bool {
    metadata.get(PHRASES).is_some()
}

/// Returns the id of a row's passage: the part of the row's id before the first [`AFTER_PASSAGE`], or the whole id if
/// it has none.
#[must_use]
pub fn passage_of(id: &str) -> &str {
    id.split_once(AFTER_PASSAGE).map_or(id, |(passage, _)| passage)
}

/// Returns the first hit of each of the first `k` distinct passages, in order, and how many of `hits` were read for
/// that.
#[must_use]
pub fn first_of_passages<'a>(hits: &[Hit], k: usize, id_of: impl Fn(u32) -> &'a str) -> (Vec<Hit>, usize) {
    let (mut passages, mut kept) = (HashSet::with_capacity(k.min(hits.len())), Vec::new());
    for (at, &hit) in hits.iter().enumerate() {
        if kept.len() == k {
            return (kept, at);
        }
        if passages.insert(passage_of(id_of(hit.ord))) {
            kept.push(hit);
        }
    }
    (kept, hits.len())
}

/// Returns the best row of each of the `k` best passages, best first (fewer if there are fewer), and how many rows were
/// needed for that.
///
/// `search(n)` returns the `n` best rows. It is first called with `initial_rows` (at least `k`). As long as the rows
/// belong to fewer than `k` passages, it is called again with twice the number, up to `num_rows`, the number of rows in
/// the index. The result is exact if `search` is exact: all rows of a passage without a returned row rank below the
/// returned rows.
///
/// # Errors
///
/// The errors of `search`.
pub fn search_passages<'a>(
    k: usize,
    initial_rows: usize,
    num_rows: usize,
    mut search: impl FnMut(usize) -> Result<Vec<Hit>, Error>,
    id_of: impl Fn(u32) -> &'a str,
) -> Result<(Vec<Hit>, usize), Error> {
    let mut rows = initial_rows.max(k).min(num_rows);
    loop {
        let (hits, needed) = first_of_passages(&search(rows)?, k, &id_of);
        if hits.len() == k || rows == num_rows {
            return Ok((hits, needed));
        }
        rows = (2 * rows).min(num_rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use control::Control;
    use proptest::prelude::*;
    use serde_json::json;
    use std::collections::HashMap;

    use crate::{FlatIndex, Similarity};

    #[test]
    fn the_id_of_a_passage_is_the_part_before_the_separator() {
        assert_eq!(passage_of("a\u{1f}0\u{1f}7"), "a");
        assert_eq!((passage_of("a b"), passage_of(""), passage_of("\u{1f}1")), ("a b", "", ""));
        assert!(has_phrases(&json!({ PHRASES: 1 })));
        assert!(!has_phrases(&Value::Null) && !has_phrases(&json!({ "phrases": 1 })));
    }

    proptest! {
        #[test]
        fn passages_rank_by_their_best_rows(
            rows in prop::collection::vec((0usize..12, -4i8..4), 1..80),
            k in 0usize..14,
            initial_rows in 0usize..9,
        ) {
            let mut index = FlatIndex::new(1, Similarity::Dot, json!({ PHRASES: 1 })).expect("a dimension of 1");
            let ids = rows.iter().enumerate().map(|(at, (passage, _))| format!("{passage}\u{1f}{at}")).collect();
            let vectors: Vec<f32> = rows.iter().map(|&(_, score)| f32::from(score)).collect();
            index.add(ids, &vectors).expect("ids differ");

            // The expected hits, computed from all rows by the definition.
            let mut best: HashMap<usize, Hit> = HashMap::new();
            for (ord, &(passage, score)) in rows.iter().enumerate() {
                let hit = Hit { ord: ord as u32, score: f32::from(score) };
                let entry = best.entry(passage).or_insert(hit);
                if ranking::by_rank(&hit, entry).is_lt() {
                    *entry = hit;
                }
            }
            let mut expected: Vec<Hit> = best.into_values().collect();
            expected.sort_by(ranking::by_rank);
            expected.truncate(k);

            let control = Control::new();
            let search = |rows| index.search(&[1.0], rows, &control);
            let (hits, needed) =
                search_passages(k, initial_rows, index.live_len(), search, |ord| index.id(ord)).expect("a query of dimension 1");
            prop_assert_eq!(hits, expected);
            prop_assert!(needed <= rows.len());

            for passage in 0..12 {
                let found: Vec<u32> = index.rows_of_passage(&passage.to_string());
                let expected: Vec<u32> =
                    (0..rows.len() as u32).filter(|&ord| rows[ord as usize].0 == passage).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn rows_of_a_passage_are_found_after_changes_and_in_a_file() {
        let mut index = FlatIndex::new(1, Similarity::Dot, json!({ PHRASES: 1 })).expect("a dimension of 1");
        let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        index
            .add(ids(&["a\u{1f}0", "a\u{1f}5", "ab\u{1f}0", "c\u{1f}0"]), &[1.0, 2.0, 3.0, 4.0])
            .expect("they are new");
        index.delete(&["a\u{1f}0"]).expect("it is there");
        assert_eq!(index.rows_of_passage("a"), [1]);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("index");
        index.save(&path).expect("room on the disk");
        let mut opened = FlatIndex::open(&path).expect("the file just written");
        assert_eq!((opened.rows_of_passage("a"), opened.rows_of_passage("d")), (vec![1], vec![]));
        opened.compact();
        assert_eq!((opened.rows_of_passage("a"), opened.rows_of_passage("c")), (vec![0], vec![2]));
    }
}
