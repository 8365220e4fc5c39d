//! Searches of an index that has a row for each phrase: a passage is found by the best of its phrases (Yang et al.,
//! "Confidence-Calibrated Ensemble Dense Phrase Retrieval", 2023, §3.1).
//!
//! The best `n` rows belong to at most `n` passages. A search first asks for an estimated number of rows: for a flat
//! index, as many as earlier searches needed, and for an HNSW graph, a fixed number per passage ([`RowsPerPassage`]).
//! While the rows belong to fewer than `k` passages, it doubles the number of rows and searches again.

use control::Control;
use dense::{Error, Filter, RowSet, first_of_passages, search_passages};
use ranking::Hit;

use super::rows_per_passage::RowsPerPassage;
use crate::index::vector_index::{SearchParams, VectorIndex};

/// Returns the best row of each of the `k` best passages.
pub(in crate::index) fn search(
    index: &VectorIndex,
    rows_per_passage: &RowsPerPassage,
    query: &[f32],
    SearchParams { k, ef }: SearchParams,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Hit>, Error> {
    let max_rows = max_rows(index, filter);
    let search = |row_count: usize| index.search(query, row_params(row_count, ef), filter, control);
    let first = first_row_count(index, rows_per_passage, k);
    let (hits, needed) = search_passages(k, first, max_rows, search, |ord| index.id(ord))?;
    if hits.len() == k {
        rows_per_passage.record(k, needed);
    }
    Ok(hits)
}

/// [Searches](search) with each of the queries `[queries, dim]`. All queries whose rows belong to fewer than `k`
/// passages are run again as one batch, with twice the number of rows.
pub(in crate::index) fn search_many(
    index: &VectorIndex,
    rows_per_passage: &RowsPerPassage,
    queries: &[f32],
    SearchParams { k, ef }: SearchParams,
    threads: usize,
    filter: Option<Filter>,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let dim = index.dim();
    let max_rows = max_rows(index, filter);
    let mut row_count = first_row_count(index, rows_per_passage, k).max(k).min(max_rows);
    let mut lists = vec![Vec::new(); queries.len() / dim];
    // Positions of the queries that have no list of `k` passages yet, and their vectors.
    let mut pending: Vec<usize> = (0..lists.len()).collect();
    let mut vectors = queries.to_vec();
    loop {
        let found = index.search_many(&vectors, row_params(row_count, ef), threads, filter, control)?;
        let mut still_pending = Vec::new();
        for (hits, &query) in found.iter().zip(&pending) {
            let (best, needed) = first_of_passages(hits, k, |ord| index.id(ord));
            if best.len() == k {
                rows_per_passage.record(k, needed);
            } else if row_count < max_rows {
                still_pending.push(query);
            }
            lists[query] = best;
        }
        if still_pending.is_empty() {
            return Ok(lists);
        }
        vectors = still_pending.iter().flat_map(|&query| &queries[query * dim..][..dim]).copied().collect();
        // Running these queries again is additional work.
        control.set_total(control.total() + still_pending.len() as u64);
        (pending, row_count) = (still_pending, (2 * row_count).min(max_rows));
    }
}

/// Returns the number of rows that the first search for `k` passages asks for.
fn first_row_count(index: &VectorIndex, rows_per_passage: &RowsPerPassage, k: usize) -> usize {
    match index {
        VectorIndex::Flat(_) => rows_per_passage.rows_for_exact_search(k),
        VectorIndex::Hnsw(_) => RowsPerPassage::rows_for_graph_search(k),
    }
}

/// Returns the parameters for finding `row_count` rows. In a graph, the neighbors of a good row are good too, so
/// expanding half as many candidates finds nearly all of these rows.
fn row_params(row_count: usize, ef: usize) -> SearchParams {
    SearchParams { k: row_count, ef: ef.max(row_count / 2) }
}

/// Returns the maximum number of rows that a search can find.
fn max_rows(index: &VectorIndex, filter: Option<Filter>) -> usize {
    let allowed = filter.and_then(|filter| filter.rows()).map_or(usize::MAX, RowSet::len);
    allowed.min(index.live_len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dense::{FlatIndex, PHRASES_KEY, Similarity};
    use serde_json::json;

    /// An index in which passage `a` has 50 phrases. For the query 1, all of them score better than the one phrase of
    /// each of the passages `b` to `e`.
    fn crowded() -> VectorIndex {
        let mut index =
            FlatIndex::new(1, Similarity::Dot, json!({ PHRASES_KEY: 1 })).expect("a dimension of 1");
        let mut ids: Vec<String> = (0..50).map(|phrase| format!("a\u{1f}{phrase}")).collect();
        let mut vectors: Vec<f32> = (0..50).map(|phrase| 100.0 + phrase as f32).collect();
        for (passage, score) in [("b", 4.0), ("c", 3.0), ("d", 2.0), ("e", 1.0)] {
            ids.push(format!("{passage}\u{1f}0"));
            vectors.push(score);
        }
        index.add(ids, &vectors).expect("the ids are distinct");
        VectorIndex::Flat(index)
    }

    /// The ids of the rows of the hits.
    fn row_ids(index: &VectorIndex, hits: &[Hit]) -> Vec<String> {
        hits.iter().map(|hit| index.id(hit.ord).to_owned()).collect()
    }

    #[test]
    fn a_passage_with_many_good_phrases_leaves_room_for_others() {
        let (index, rows_per_passage, control) = (crowded(), RowsPerPassage::default(), Control::new());
        let params = SearchParams { k: 3, ef: 0 };
        let hits = search(&index, &rows_per_passage, &[1.0], params, None, &control).expect("dimension 1");
        assert_eq!(row_ids(&index, &hits), ["a\u{1f}49", "b\u{1f}0", "c\u{1f}0"]);
        // 52 rows were needed for three passages. The next search starts with that number plus margins: 52 / 3 · 1.1 ·
        // 3 + 8.
        assert_eq!(rows_per_passage.rows_for_exact_search(3), 65);
    }

    #[test]
    fn each_query_of_a_batch_finds_the_same_hits_as_alone() {
        let (index, control) = (crowded(), Control::new());
        let queries = [1.0, -1.0, 0.5];
        for k in 0..7 {
            let params = SearchParams { k, ef: 0 };
            let rows_per_passage = RowsPerPassage::default();
            let lists = search_many(&index, &rows_per_passage, &queries, params, 1, None, &control);
            let lists = lists.expect("dimension 1");
            for (query, list) in queries.iter().zip(lists) {
                let alone = search(&index, &RowsPerPassage::default(), &[*query], params, None, &control);
                assert_eq!(list, alone.expect("dimension 1"));
                assert_eq!(list.len(), k.min(5));
            }
        }
    }

    #[test]
    fn a_search_ends_with_fewer_hits_if_the_filter_allows_too_few_passages() {
        let (index, control) = (crowded(), Control::new());
        // The filter allows only phrases of `a`, so no number of rows gives two passages.
        let allowed: RowSet = (0..50).collect();
        let params = SearchParams { k: 2, ef: 0 };
        let hits = search(&index, &RowsPerPassage::default(), &[1.0], params, Some(&allowed), &control);
        assert_eq!(row_ids(&index, &hits.expect("dimension 1")), ["a\u{1f}49"]);
    }
}
