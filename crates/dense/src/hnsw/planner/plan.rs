//! The plan of a search: which strategy it uses, and how many candidates it keeps. A [`Planner`] makes plans.
//!
//! *Allowed* rows are the rows that may be hits: the live rows (neither deleted nor staged) that the filter allows, or
//! all live rows if there is no filter. *Codes* are the [quantized copies](crate::hnsw::codes) of the vectors.

use super::SearchCosts;
use crate::RowSet;
use crate::filter::{Filter, allowed};
use crate::store::rows_view::RowsView;

/// If at most this many rows are allowed, scoring their vectors is as fast as scoring their codes.
const MAX_ROWS_SCORED: usize = 256;
/// If at most `MIN_ROWS_PER_HIT * k` rows are allowed, most of their vectors would be scored in the end anyway, so
/// scoring codes first saves nothing.
const MIN_ROWS_PER_HIT: usize = 4;
/// One extra candidate is kept per this many hits, because codes rank rows only approximately.
const HITS_PER_SPARE_CANDIDATE: usize = 4;
/// The minimum number of queries for which a batch code scan is worth the cost of unpacking the codes.
const MIN_BATCH_QUERIES: usize = 64;
/// The maximum number of bridges (rows that are not allowed, but whose adjacency lists are read to reach allowed rows;
/// see `search/filtered.rs`) that [`Planner::max_lists_read`] expects per candidate. Reading more bridges does not pay
/// off.
const MAX_BRIDGES_PER_CANDIDATE: f64 = 48.0;
/// An estimate for [`Planner::rows_scored`]: one candidate of a beam search costs as much as scoring this many vectors.
const ROWS_SCORED_PER_CANDIDATE: usize = 16;
/// An estimate for [`Planner::rows_scored`]: scoring the codes of this many rows costs as much as scoring one vector.
const CODES_PER_ROW_SCORED: usize = 4;

/// How searches with the same `k`, `ef` and filter are run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The number of hits to return, at most the number of live rows.
    pub k: usize,
    /// The number of candidates that an unfiltered beam search expands. A filtered one expands `num_candidates`.
    pub ef: usize,
    /// The number of candidates that a beam search keeps: at least `ef`, and at least about 1.25 · `k`.
    pub num_candidates: usize,
    pub strategy: Strategy,
}

/// Which rows a search scores, and whether by their vectors or by their codes. If rows are scored by their codes, the
/// best ones are candidates, which are then rescored by their vectors.
#[derive(Debug, Clone)]
pub(crate) enum Strategy {
    /// Scores the vectors of all live rows, because there are few rows or a large part of them is requested.
    ExactScan,
    /// Scores the codes of rows near the query in the graph. Used only if nearly all rows are live.
    BeamSearch,
    /// Scans the codes of all rows once for many queries. Used only if nearly all rows are live.
    BatchCodeScan,
    /// Scores the codes of those rows of the set that are near the query in the graph.
    FilteredBeamSearch(RowSet),
    /// Scores the codes of all rows of the set.
    CodeScan(RowSet),
    /// Scores the vectors of all rows of the set.
    ScoreAllowed(RowSet),
}

/// A strategy that a caller chooses instead of the planner, to measure its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForcedStrategy {
    /// A beam search in the graph, for one query at a time.
    BeamSearch,
    /// A scan over the codes of all allowed rows, for one query at a time.
    CodeScan,
    /// One scan over the codes of all rows for many queries. Only without a filter.
    BatchCodeScan,
}

/// Plans the searches of one graph.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Planner {
    pub costs: &'static SearchCosts,
    /// The option `m` of the graph.
    pub m: usize,
}

impl Planner {
    /// Plans the search of one query.
    pub fn plan(&self, view: &RowsView, k: usize, ef: usize, filter: Option<Filter>) -> Plan {
        let Self { costs, m } = *self;
        let num_live = view.live_len();
        let k = k.min(num_live);
        let ef = ef.max(1);
        let num_candidates = num_candidates(k, ef);
        let max_rows_scored = max_rows_scored(k);
        if is_unrestricted(view, filter) {
            let strategy = if num_live <= max_rows_scored {
                Strategy::ExactScan
            } else if costs.prefer_code_scan(num_live, k, ef, m) {
                Strategy::CodeScan(allowed(view, None))
            } else {
                Strategy::BeamSearch
            };
            return Plan { k, ef, num_candidates, strategy };
        }
        let allowed = allowed(view, filter);
        let strategy = if allowed.len() <= max_rows_scored {
            Strategy::ScoreAllowed(allowed)
        } else if costs.prefer_filtered_code_scan(allowed.len(), num_candidates) {
            Strategy::CodeScan(allowed)
        } else {
            Strategy::FilteredBeamSearch(allowed)
        };
        Plan { k, ef, num_candidates, strategy }
    }

    /// Plans the searches of a batch of queries, which can share one scan over all codes.
    pub fn plan_batch(
        &self,
        num_queries: usize,
        view: &RowsView,
        k: usize,
        ef: usize,
        filter: Option<Filter>,
    ) -> Plan {
        let mut plan = self.plan(view, k, ef, filter);
        let is_scan_cheaper = match plan.strategy {
            Strategy::BeamSearch => self.costs.prefer_batch_code_scan(view.len(), plan.ef),
            Strategy::CodeScan(_) => {
                is_unrestricted(view, filter) && self.costs.prefer_batch_over_single_scans(view.len(), plan.k)
            }
            _ => false,
        };
        if is_scan_cheaper && num_queries >= MIN_BATCH_QUERIES {
            plan.strategy = Strategy::BatchCodeScan;
        }
        plan
    }

    /// Estimates the work of a search as an equivalent number of vectors to score. `allowed` is the number of rows that
    /// the filter allows; `None` without a filter.
    pub fn rows_scored(&self, k: usize, ef: usize, allowed: Option<usize>, num_rows: usize) -> usize {
        let ef = ef.max(k.min(num_rows));
        let Some(allowed) = allowed else {
            return ROWS_SCORED_PER_CANDIDATE.saturating_mul(ef).min(num_rows);
        };
        let beam_search = self.costs.filtered_beam_search(ef) as usize;
        let codes = allowed.min(beam_search);
        (codes / CODES_PER_ROW_SCORED).max(ef.min(allowed)).max(allowed.min(MAX_ROWS_SCORED))
    }

    /// Returns how many adjacency lists a filtered beam search may read before it gives up and a code scan replaces it:
    /// twice the expected number or the number that can be read in the time of that code scan, whichever is larger.
    /// Reading a list is assumed to cost as much as a candidate of a filtered beam search does.
    pub fn max_lists_read(&self, ef: usize, allowed: &RowSet, num_rows: usize) -> usize {
        let share = allowed.share(num_rows).max(f64::MIN_POSITIVE);
        let bridges = ef as f64 * (1.0 / share).min(MAX_BRIDGES_PER_CANDIDATE);
        let expected = ef + bridges as usize;
        let in_time_of_code_scan = allowed.len() as f64 / self.costs.filtered_beam_per_candidate.max(1.0);
        (2 * expected).max(in_time_of_code_scan as usize)
    }
}

impl Plan {
    /// Plans searches with this strategy, even if another one is faster.
    pub fn forced(
        strategy: ForcedStrategy,
        view: &RowsView,
        k: usize,
        ef: usize,
        filter: Option<Filter>,
    ) -> Self {
        let (k, ef) = (k.min(view.live_len()), ef.max(1));
        let strategy = match strategy {
            ForcedStrategy::BeamSearch if filter.is_none() => Strategy::BeamSearch,
            ForcedStrategy::BeamSearch => Strategy::FilteredBeamSearch(allowed(view, filter)),
            ForcedStrategy::CodeScan => Strategy::CodeScan(allowed(view, filter)),
            ForcedStrategy::BatchCodeScan => {
                assert!(filter.is_none(), "a batch code scan has no filter");
                Strategy::BatchCodeScan
            }
        };
        Self { k, ef, num_candidates: num_candidates(k, ef), strategy }
    }

    /// Estimates the work of scanning a set of `num_rows` rows for `k` hits as an equivalent number of vectors to
    /// score. In a small set, all vectors are scored; in a larger one, the codes are scored first.
    pub fn rows_scored_by_scan(k: usize, num_rows: usize) -> usize {
        let max_rows_scored = max_rows_scored(k);
        if num_rows <= max_rows_scored {
            num_rows
        } else {
            max_rows_scored.max(num_rows / CODES_PER_ROW_SCORED)
        }
    }
}

/// Returns how many candidates a search for `k` hits keeps.
fn num_candidates(k: usize, ef: usize) -> usize {
    ef.max(k + k / HITS_PER_SPARE_CANDIDATE)
}

/// Returns the maximum number of allowed rows for which scoring all vectors is as fast as scoring the codes first.
pub(crate) fn max_rows_scored(k: usize) -> usize {
    MAX_ROWS_SCORED.max(k.saturating_mul(MIN_ROWS_PER_HIT))
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

    static COSTS: SearchCosts = SearchCosts {
        beam: 1000.0,
        beam_per_candidate: 40.0,
        beam_per_candidate_and_m: 0.75,
        filtered_beam: 2000.0,
        filtered_beam_per_candidate: 125.0,
        scan_per_hit: 70,
        batch_rows_per_expansion: 80,
        batch_scan_per_row: 0.5,
    };
    const PLANNER: Planner = Planner { costs: &COSTS, m: 16 };

    /// Returns rows of one dimension with the ids "0", "1" and so on, and these ids.
    fn rows(count: usize) -> (Rows, Vec<String>) {
        let mut rows = Rows::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension");
        let ids: Vec<String> = (0..count).map(|row| row.to_string()).collect();
        rows.append(&ids, &vec![1.0; count]).expect("rows");
        (rows, ids)
    }

    #[test]
    fn a_beam_search_is_planned_if_it_is_cheaper_than_scanning_codes_or_vectors() {
        let (mut rows, ids) = rows(5000);
        let strategy = |k, ef, m| Planner { m, ..PLANNER }.plan(&rows.view(), k, ef, None).strategy;
        // A beam search costs 1000 + ef · (40 + 0.75 · m), which is 5056 for ef = 78 and 5108 for ef = 79. A code scan
        // for one hit costs 5000 + 70 = 5070, which is between the two.
        assert!(matches!(strategy(1, 78, 16), Strategy::BeamSearch));
        assert!(matches!(strategy(1, 79, 16), Strategy::CodeScan(all) if all.len() == 5000));
        // A code scan takes longer for more hits, a beam search for a larger m.
        assert!(matches!(strategy(2, 79, 16), Strategy::BeamSearch));
        assert!(matches!(strategy(2, 79, 17), Strategy::CodeScan(_)));
        // All vectors are scored if k is at least a quarter of 5000.
        assert!(matches!(strategy(1249, 1, 16), Strategy::BeamSearch));
        assert!(matches!(strategy(1250, 1, 16), Strategy::ExactScan));
        let batch = |queries, ef| PLANNER.plan_batch(queries, &rows.view(), 1, ef, None).strategy;
        assert!(matches!(batch(64, 79), Strategy::BatchCodeScan));
        assert!(matches!(batch(63, 79), Strategy::CodeScan(_)));
        // Without live rows, there is nothing to score.
        rows.delete(&ids).expect("stored ids");
        let plan = PLANNER.plan(&rows.view(), 5, 5, None);
        assert_eq!(plan.k, 0);
        assert!(matches!(plan.strategy, Strategy::ScoreAllowed(allowed) if allowed.is_empty()));
    }

    #[test]
    fn a_scan_scores_all_vectors_of_a_small_set_and_the_codes_of_a_large_one() {
        let scored = [256, 257, 1_024, 4_096].map(|num_rows| Plan::rows_scored_by_scan(10, num_rows));
        assert_eq!(scored, [256, 256, 256, 1_024]);
        // All vectors of the set are scored if it has at most four rows per hit.
        assert_eq!(Plan::rows_scored_by_scan(1_000, 4_000), 4_000);
    }

    #[test]
    fn the_strategy_for_a_filter_depends_on_how_many_rows_it_allows() {
        let (rows, _) = rows(100_000);
        // The strategy with a filter that allows one in `divisor` rows.
        let strategy = |k, ef, divisor: u32| {
            PLANNER.plan(&rows.view(), k, ef, Some(&move |row: u32| row.is_multiple_of(divisor))).strategy
        };
        assert!(matches!(strategy(1, 1, 400), Strategy::ScoreAllowed(allowed) if allowed.len() == 250));
        assert!(matches!(strategy(1, 1, 50), Strategy::CodeScan(allowed) if allowed.len() == 2000));
        // 10,000 rows are allowed, which is 4 · k.
        assert!(matches!(strategy(2500, 1, 10), Strategy::ScoreAllowed(_)));
        // A filtered beam search costs 2000 + 125 · ef; a code scan costs one per allowed row. The costs are equal if
        // half of the rows are allowed (50,000) and ef is 384, and if one in ten is allowed (10,000) and ef is 64.
        for (divisor, ef) in [(2, 384), (10, 64)] {
            assert!(matches!(strategy(1, ef - 1, divisor), Strategy::FilteredBeamSearch(_)));
            assert!(matches!(strategy(1, ef, divisor), Strategy::CodeScan(_)));
        }
        // A set may have rows that the index does not have.
        let set: RowSet = (0..200_000).collect();
        let all = PLANNER.plan(&rows.view(), 1, 50, Some(&set)).strategy;
        assert!(matches!(all, Strategy::FilteredBeamSearch(allowed) if allowed.len() == 100_000));
    }
}
