//! The plan of a search: the strategy, and how many candidates it keeps.

use super::SearchCosts;
use crate::RowSet;
use crate::filter::{Filter, allowed};
use crate::store::rows_view::RowsView;

/// If at most this many rows may be hits, scoring their vectors is as fast as scoring their codes.
const MAX_ROWS_SCORED: usize = 256;
/// If at most `MIN_ROWS_PER_HIT * k` rows may be hits, most of their vectors would be scored in the end anyway, so
/// scoring codes first saves nothing.
const MIN_ROWS_PER_HIT: usize = 4;
/// One extra candidate is kept per this many hits, because codes rank rows only approximately.
const HITS_PER_SPARE_CANDIDATE: usize = 4;
/// The minimum number of queries for which a batch code scan makes up for the time of unpacking codes.
const MIN_BATCH_QUERIES: usize = 64;
/// The maximum number of bridges (rows that are not allowed, but are read for the sake of their neighbors; see
/// `search/filtered.rs`) that [`max_lists_read`] expects per candidate. Reading more of them is not worth its cost.
const MAX_BRIDGES_PER_CANDIDATE: f64 = 48.0;
/// An estimate for [`Plan::rows_scored`]: one candidate of a beam search costs as much as scoring this many vectors.
const ROWS_SCORED_PER_CANDIDATE: usize = 16;
/// An estimate for [`Plan::rows_scored`]: scoring the codes of this many rows costs as much as scoring one vector.
const CODES_PER_ROW_SCORED: usize = 4;

/// How searches with the same `k`, `ef` and filter are run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The number of hits to return, at most the number of live rows.
    pub k: usize,
    /// The number of candidates that a beam search expands.
    pub ef: usize,
    /// The number of candidates that a beam search keeps: at least `ef`, and somewhat more than `k`.
    pub num_candidates: usize,
    pub strategy: Strategy,
}

/// Which rows a search scores, and whether by their vectors or by their codes. Candidates by codes are rescored by
/// their vectors.
#[derive(Debug, Clone)]
pub(crate) enum Strategy {
    /// The vectors of all rows: there are few, or a large part of them is requested.
    ExactScan,
    /// The codes of rows near the query in the graph. Nearly all rows are live.
    BeamSearch,
    /// The codes of all rows, for many queries at once. Nearly all rows are live.
    BatchCodeScan,
    /// The codes of rows of the set that are near the query in the graph.
    FilteredBeamSearch(RowSet),
    /// The codes of all rows of the set.
    CodeScan(RowSet),
    /// The vectors of all rows of the set.
    ScoreAllowed(RowSet),
}

impl Plan {
    /// Plans the search of one query, in a graph built with the option `m`.
    pub fn new(view: &RowsView, m: usize, k: usize, ef: usize, filter: Option<Filter>) -> Self {
        let costs = SearchCosts::detect();
        let num_live = view.live_len();
        let k = k.min(num_live);
        let ef = ef.max(1);
        let num_candidates = ef.max(k + k / HITS_PER_SPARE_CANDIDATE);
        let max_rows_scored = max_rows_scored(k);
        if is_unrestricted(view, filter) {
            let strategy = if num_live <= max_rows_scored {
                Strategy::ExactScan
            } else if costs.code_scan(num_live, k) <= costs.beam_search(ef, m) {
                Strategy::CodeScan(allowed(view, None))
            } else {
                Strategy::BeamSearch
            };
            return Self { k, ef, num_candidates, strategy };
        }
        let allowed = allowed(view, filter);
        let strategy = if allowed.len() <= max_rows_scored {
            Strategy::ScoreAllowed(allowed)
        } else if allowed.len() as f64 <= costs.filtered_beam_search(num_candidates) {
            Strategy::CodeScan(allowed)
        } else {
            Strategy::FilteredBeamSearch(allowed)
        };
        Self { k, ef, num_candidates, strategy }
    }

    /// Plans the searches of a batch of queries, which can share what they read.
    pub fn for_batch(
        num_queries: usize,
        view: &RowsView,
        m: usize,
        k: usize,
        ef: usize,
        filter: Option<Filter>,
    ) -> Self {
        let mut plan = Self::new(view, m, k, ef, filter);
        let is_cheaper = match plan.strategy {
            Strategy::BeamSearch => {
                let rows_per_expansion = SearchCosts::detect().batch_rows_per_expansion;
                view.len() <= rows_per_expansion.saturating_mul(plan.ef)
            }
            Strategy::CodeScan(_) => is_unrestricted(view, filter),
            _ => false,
        };
        if is_cheaper && num_queries >= MIN_BATCH_QUERIES {
            plan.strategy = Strategy::BatchCodeScan;
        }
        plan
    }

    /// Estimates the work of a search as an equivalent number of vectors to score. `allowed` is the number of rows that
    /// a filter allows, if there is one.
    pub fn rows_scored(k: usize, ef: usize, allowed: Option<usize>, num_rows: usize) -> usize {
        let ef = ef.max(k.min(num_rows));
        let Some(allowed) = allowed else {
            return ROWS_SCORED_PER_CANDIDATE.saturating_mul(ef).min(num_rows);
        };
        let beam_search = SearchCosts::detect().filtered_beam_search(ef) as usize;
        let codes = allowed.min(beam_search);
        (codes / CODES_PER_ROW_SCORED).max(ef.min(allowed)).max(allowed.min(MAX_ROWS_SCORED))
    }

    /// Estimates the work of scanning a set of `num_rows` rows for `k` hits as an equivalent number of vectors to score:
    /// all of them in a small set; in a larger one, codes first.
    pub fn rows_scored_by_scan(k: usize, num_rows: usize) -> usize {
        let max_rows_scored = max_rows_scored(k);
        if num_rows <= max_rows_scored {
            num_rows
        } else {
            max_rows_scored.max(num_rows / CODES_PER_ROW_SCORED)
        }
    }
}

/// Returns the maximum number of allowed rows for which scoring their vectors is as fast as scoring their codes first.
pub(crate) fn max_rows_scored(k: usize) -> usize {
    MAX_ROWS_SCORED.max(k.saturating_mul(MIN_ROWS_PER_HIT))
}

/// Returns how many adjacency lists a filtered beam search may read before it gives up and a code scan replaces it:
/// twice the expected number, and at least the number that can be read in the time of that code scan.
pub(crate) fn max_lists_read(ef: usize, allowed: &RowSet, num_rows: usize) -> usize {
    let share = allowed.share(num_rows).max(f64::MIN_POSITIVE);
    let bridges = ef as f64 * (1.0 / share).min(MAX_BRIDGES_PER_CANDIDATE);
    let expected = ef + bridges as usize;
    let in_time_of_code_scan = allowed.len() as f64 / SearchCosts::detect().filtered_beam_per_candidate;
    (2 * expected).max(in_time_of_code_scan as usize)
}

/// Returns whether there is no filter and at least about 90% of the rows are live.
fn is_unrestricted(view: &RowsView, filter: Option<Filter>) -> bool {
    filter.is_none() && view.live_len() >= view.len() / 10 * 9
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::store::rows::Rows;

    fn rows(count: usize) -> (Rows, Vec<String>) {
        let mut rows = Rows::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension");
        let ids: Vec<String> = (0..count).map(|row| row.to_string()).collect();
        rows.append(&ids, &vec![1.0; count]).expect("rows");
        (rows, ids)
    }

    const M: usize = 16;

    #[test]
    fn a_beam_search_is_planned_if_it_is_cheaper_than_scanning_codes_or_vectors() {
        let (mut rows, ids) = rows(5000);
        let strategy = |k, ef, m| Plan::new(&rows.view(), m, k, ef, None).strategy;
        // 1000 + 78 · (40 + 0.75 · 16) = 5056 < 5000 + 70 ≤ 1000 + 79 · (40 + 0.75 · 16) = 5108.
        assert!(matches!(strategy(1, 78, M), Strategy::BeamSearch));
        assert!(matches!(strategy(1, 79, M), Strategy::CodeScan(all) if all.len() == 5000));
        // A code scan takes longer for more hits, a beam search for a larger m.
        assert!(matches!(strategy(2, 79, M), Strategy::BeamSearch));
        assert!(matches!(strategy(2, 79, 17), Strategy::CodeScan(_)));
        // All vectors are scored if k is at least a quarter of 5000.
        assert!(matches!(strategy(1249, 1, M), Strategy::BeamSearch));
        assert!(matches!(strategy(1250, 1, M), Strategy::ExactScan));
        let batch = |queries, ef| Plan::for_batch(queries, &rows.view(), M, 1, ef, None).strategy;
        assert!(matches!(batch(64, 79), Strategy::BatchCodeScan));
        assert!(matches!(batch(63, 79), Strategy::CodeScan(_)));
        // Without live rows, there is nothing to score.
        rows.delete(&ids).expect("there");
        let plan = Plan::new(&rows.view(), M, 5, 5, None);
        assert_eq!(plan.k, 0);
        assert!(matches!(plan.strategy, Strategy::ScoreAllowed(allowed) if allowed.is_empty()));
    }

    #[test]
    fn a_scan_scores_all_rows_of_a_small_set_and_the_codes_of_a_large_one() {
        let scored = [256, 257, 1_024, 4_096].map(|num_rows| Plan::rows_scored_by_scan(10, num_rows));
        assert_eq!(scored, [256, 256, 256, 1_024]);
        // All rows of the set are scored if there are at most four per hit.
        assert_eq!(Plan::rows_scored_by_scan(1_000, 4_000), 4_000);
    }

    #[test]
    fn few_allowed_rows_are_scored_more_are_scanned_and_many_are_beam_searched() {
        let (rows, _) = rows(100_000);
        // The strategy with a filter that allows one in `divisor` rows.
        let strategy = |k, ef, divisor: u32| {
            Plan::new(&rows.view(), M, k, ef, Some(&move |row: u32| row.is_multiple_of(divisor))).strategy
        };
        assert!(matches!(strategy(1, 1, 400), Strategy::ScoreAllowed(allowed) if allowed.len() == 250));
        assert!(matches!(strategy(1, 1, 50), Strategy::CodeScan(allowed) if allowed.len() == 2000));
        // 10,000 rows are allowed, which is 4 · k.
        assert!(matches!(strategy(2500, 1, 10), Strategy::ScoreAllowed(_)));
        // Half of the rows: 50,000 = 2000 + 384 · 125. One in ten: 10,000 = 2000 + 64 · 125.
        for (divisor, ef) in [(2, 384), (10, 64)] {
            assert!(matches!(strategy(1, ef - 1, divisor), Strategy::FilteredBeamSearch(_)));
            assert!(matches!(strategy(1, ef, divisor), Strategy::CodeScan(_)));
        }
        // A set may have rows that the index does not have.
        let set: RowSet = (0..200_000).collect();
        let all = Plan::new(&rows.view(), M, 1, 50, Some(&set)).strategy;
        assert!(matches!(all, Strategy::FilteredBeamSearch(allowed) if allowed.len() == 100_000));
    }
}
