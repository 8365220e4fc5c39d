use kernels::int8::Int8Kernels;

use crate::RowSet;
use crate::filter::{Filter, allowed};
use crate::store::rows_view::View;

/// A walk compares about this many rows for each candidate that it keeps, at the price of a row of a scan.
const ROWS_PER_CANDIDATE: usize = 16;
/// Rows that are swept while a walk finds its way, and while it comes by a candidate: so many, and so many for each of `m`
/// links. Measured on 1,500 to 50,000 rows of 64 to 768 numbers, with 8 to 256 links.
const SWEPT_BEFORE: f64 = 1000.0;
const SWEPT_PER_CANDIDATE: f64 = 40.0;
const SWEPT_PER_LINK: f64 = 0.75;
/// The same of a walk among allowed rows, where fewer are allowed and walk and sweep both take longer. Measured on 50,000
/// rows of 100 and 384 numbers, of which all to one in fifty were allowed.
const SWEPT_BEFORE_AMONG: f64 = 2000.0;
const SWEPT_PER_CANDIDATE_AMONG: f64 = 125.0;
/// Rows that are swept in the time that each hit of a sweep costs besides: the more are wanted, the fewer rows are ruled out.
const SWEPT_PER_HIT: usize = 70;
/// Rows whose links are read for a candidate, at most.
const MOST_READS: f64 = 48.0;
/// Rows of a sweep cost as much as one that is scored.
const SWEPT_PER_SCORED: usize = 4;
/// Rows that are compared with one query of many in the time of one step of its walk, by CPUs with instructions for
/// bytes. Measured on 50,000 rows of 100 and 384 numbers.
const SWEPT_PER_STEP: usize = 320;
/// Fewer queries are not worth bringing codes in order.
const MANY_QUERIES: usize = 64;
/// Up to so many rows are scored as fast as they are swept.
const FEW: usize = 256;
/// One more candidate is kept for so many hits.
const SPARE: usize = 4;

/// How searches with the same `k`, `ef` and filter go.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Hits wanted, at most the rows that are not deleted.
    pub k: usize,
    /// Candidates that a walk goes to.
    pub ef: usize,
    /// Candidates kept, at least `ef` and somewhat more than `k`, for their codes rank them about right.
    pub kept: usize,
    pub way: Way,
}

/// What is looked at to find hits.
#[derive(Debug, Clone)]
pub(crate) enum Way {
    /// Each row: there are few, or nearly all are wanted.
    Scan,
    /// Rows near the query, through the graph. Nearly all are live.
    Walk,
    /// The codes of all rows, for many queries at once. Nearly all are live.
    Together,
    /// Allowed rows near the query, through the graph.
    Among(RowSet),
    /// The codes of each of these rows, and those that may be among the best.
    Sweep(RowSet),
    /// Each allowed row.
    Score(RowSet),
}

impl Plan {
    /// The cheapest of the ways that find enough in a graph of `m` links.
    pub fn new(view: &View, m: usize, k: usize, ef: usize, filter: Option<Filter>) -> Self {
        let live = view.live_len();
        let k = k.min(live);
        let ef = ef.max(1);
        let kept = ef.max(k + k / SPARE);
        let few = FEW.max(k.saturating_mul(4));
        if is_whole(view, filter) {
            let swept = live.saturating_add(SWEPT_PER_HIT.saturating_mul(k));
            let way = if live <= few {
                Way::Scan
            } else if swept as f64 <= swept_by_walk(ef, m) {
                Way::Sweep(allowed(view, None))
            } else {
                Way::Walk
            };
            return Self { k, ef, kept, way };
        }
        let allowed = allowed(view, filter);
        let way = if allowed.len() <= few {
            Way::Score(allowed)
        } else if allowed.len() as f64 <= swept_by_walk_among(kept) {
            Way::Sweep(allowed)
        } else {
            Way::Among(allowed)
        };
        Self { k, ef, kept, way }
    }

    /// As [`new`](Self::new), for so many queries at once: a row costs little then.
    pub fn of_many(
        queries: usize,
        view: &View,
        m: usize,
        k: usize,
        ef: usize,
        filter: Option<Filter>,
    ) -> Self {
        let mut plan = Self::new(view, m, k, ef, filter);
        let swept = if Int8Kernels::detect().is_fast() { SWEPT_PER_STEP } else { SWEPT_PER_STEP / 4 };
        let quick = match plan.way {
            Way::Walk => view.len() <= swept.saturating_mul(plan.ef),
            Way::Sweep(_) => is_whole(view, filter),
            _ => false,
        };
        if quick && queries >= MANY_QUERIES {
            plan.way = Way::Together;
        }
        plan
    }

    /// About how many rows are scored, or as much work is done.
    pub fn rows_scored(k: usize, ef: usize, allowed: Option<usize>, rows: usize) -> usize {
        let ef = ef.max(k.min(rows));
        let Some(allowed) = allowed else {
            return ROWS_PER_CANDIDATE.saturating_mul(ef).min(rows);
        };
        let walked = swept_by_walk_among(ef) as usize;
        (allowed.min(walked) / SWEPT_PER_SCORED).max(ef.min(allowed)).max(allowed.min(FEW))
    }
}

/// Rows whose links a walk reads for `ef` candidates where this share is allowed.
fn reads(ef: usize, share: f64) -> f64 {
    ef as f64 * (1.0 / share.max(f64::MIN_POSITIVE)).min(MOST_READS)
}

/// Rows whose links a walk may read that is to come by `ef` candidates: twice as many as is usual, and no fewer than can be
/// read in the time of the sweep that would take its place.
pub(crate) fn most_reads(ef: usize, allowed: &RowSet, rows: usize) -> usize {
    let usual = ef + reads(ef, allowed.share(rows)) as usize;
    (2 * usual).max((allowed.len() as f64 / SWEPT_PER_CANDIDATE_AMONG) as usize)
}

/// Whether nothing is filtered, and nearly all rows are live.
fn is_whole(view: &View, filter: Option<Filter>) -> bool {
    filter.is_none() && view.live_len() >= view.len() / 10 * 9
}

/// Rows that are swept in the time of a walk.
fn swept_by_walk(ef: usize, m: usize) -> f64 {
    SWEPT_BEFORE + ef as f64 * (SWEPT_PER_CANDIDATE + m as f64 * SWEPT_PER_LINK)
}

/// The same of a walk among allowed rows.
fn swept_by_walk_among(ef: usize) -> f64 {
    SWEPT_BEFORE_AMONG + ef as f64 * SWEPT_PER_CANDIDATE_AMONG
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
    fn a_walk_is_planned_where_it_compares_fewer_rows() {
        let (mut rows, ids) = rows(5000);
        let way = |k, ef, m| Plan::new(&rows.view(), m, k, ef, None).way;
        // 1000 + 78 · (40 + 0.75 · 16) = 5056 < 5000 + 70 ≤ 1000 + 79 · (40 + 0.75 · 16) = 5108.
        assert!(matches!(way(1, 78, M), Way::Walk));
        assert!(matches!(way(1, 79, M), Way::Sweep(all) if all.len() == 5000));
        // More hits take longer, as do more links.
        assert!(matches!(way(2, 79, M), Way::Walk) && matches!(way(2, 79, 17), Way::Sweep(_)));
        assert!(matches!(way(1249, 1, M), Way::Walk) && matches!(way(1250, 1, M), Way::Scan));
        let together = |queries, ef| Plan::of_many(queries, &rows.view(), M, 1, ef, None).way;
        assert!(matches!(together(64, 79), Way::Together) && matches!(together(63, 79), Way::Sweep(_)));
        rows.delete(&ids).expect("there");
        let plan = Plan::new(&rows.view(), M, 5, 5, None);
        assert!(plan.k == 0 && matches!(plan.way, Way::Score(allowed) if allowed.is_empty()));
    }

    #[test]
    fn few_allowed_rows_are_scored_more_are_swept_and_many_walked_among() {
        let (rows, _) = rows(100_000);
        let way = |k, ef, of: u32| {
            Plan::new(&rows.view(), M, k, ef, Some(&move |row: u32| row.is_multiple_of(of))).way
        };
        assert!(matches!(way(1, 1, 400), Way::Score(allowed) if allowed.len() == 250));
        assert!(matches!(way(1, 1, 50), Way::Sweep(allowed) if allowed.len() == 2000));
        assert!(matches!(way(2500, 1, 10), Way::Score(_)));
        // Half the rows: 2000 + 384 · 125 = 50,000. One in ten: 2000 + 64 · 125 = 10,000.
        for (of, ef) in [(2, 384), (10, 64)] {
            assert!(matches!(way(1, ef - 1, of), Way::Among(_)) && matches!(way(1, ef, of), Way::Sweep(_)));
        }
        let set: RowSet = (0..200_000).collect();
        let all = Plan::new(&rows.view(), M, 1, 50, Some(&set)).way;
        assert!(matches!(all, Way::Among(allowed) if allowed.len() == 100_000));
    }
}
