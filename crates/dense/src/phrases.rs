//! Indexes with several rows per passage: one row for each of its phrases. A passage is ranked by its best phrase (Yang
//! et al., "Confidence-Calibrated Ensemble Dense Phrase Retrieval", 2023, section 3.1).
//!
//! An index has several rows per passage if its [metadata](crate::FlatIndex::metadata) has the key [`PHRASES_KEY`]. The id
//! of each row is then the concatenation of three parts:
//!
//! ```text
//! passage id, PASSAGE_SEPARATOR, phrase
//! ```
//!
//! The part `phrase` distinguishes the phrases of a passage. The JavaScript API writes the offsets of the phrase in the
//! passage's text, in UTF-16 code units: its start, [`PASSAGE_SEPARATOR`] again, and its end.

use std::collections::HashSet;

use ranking::Hit;
use serde_json::Value;

use crate::Error;

/// The metadata key that marks an index with several rows per passage.
pub const PHRASES_KEY: &str = "passagekit.phrases";

/// Separates the id of a passage from its phrase: the ASCII unit separator.
pub const PASSAGE_SEPARATOR: char = '\u{1f}';

/// Returns whether an index with this metadata has several rows per passage.
#[must_use]
pub fn has_phrases(metadata: &Value) -> bool {
    metadata.get(PHRASES_KEY).is_some()
}

/// Returns the id of a row's passage: the part of the row's id before the first [`PASSAGE_SEPARATOR`], or the whole id if
/// it does not contain this character.
#[must_use]
pub fn passage_of(id: &str) -> &str {
    id.split_once(PASSAGE_SEPARATOR).map_or(id, |(passage, _)| passage)
}

/// Returns the first hit of each of the first `k` distinct passages in `hits`, in the order of `hits`, and how many of
/// `hits` had to be read to find these. `id_of` returns the id of a row.
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

/// Returns the best row of each of the `k` best passages (of all passages if there are fewer), best first, and how many
/// of the best rows had to be read to find these.
///
/// `search(n)` returns the `n` best rows. The first call requests `initial_rows` or `k` rows, whichever is larger. As
/// long as the rows found belong to fewer than `k` passages, `search` is called again for twice as many rows. No call
/// requests more than `num_rows`, the number of rows that `search` can find. The result is exact if `search` is exact:
/// every row of a passage that is not in the result ranks below the returned rows.
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
        assert!(has_phrases(&json!({ PHRASES_KEY: 1 })));
        assert!(!has_phrases(&Value::Null) && !has_phrases(&json!({ "phrases": 1 })));
    }

    proptest! {
        #[test]
        fn passages_rank_by_their_best_rows(
            // The passage and the score of each row.
            rows in prop::collection::vec((0usize..12, -4i8..4), 1..80),
            k in 0usize..14,
            initial_rows in 0usize..9,
        ) {
            let mut index = FlatIndex::new(1, Similarity::Dot, json!({ PHRASES_KEY: 1 })).expect("a dimension of 1");
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
    fn rows_of_a_passage_are_found_after_a_deletion_in_an_opened_file_and_after_compaction() {
        let mut index =
            FlatIndex::new(1, Similarity::Dot, json!({ PHRASES_KEY: 1 })).expect("a dimension of 1");
        let ids = |ids: &[&str]| ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>();
        index
            .add(ids(&["a\u{1f}0", "a\u{1f}5", "ab\u{1f}0", "c\u{1f}0"]), &[1.0, 2.0, 3.0, 4.0])
            .expect("new ids");
        index.delete(&["a\u{1f}0"]).expect("a stored id");
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
