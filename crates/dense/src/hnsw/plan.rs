use kernels::int8::Int8Kernels;

use crate::RowSet;
use crate::filter::{Filter, allowed};
use crate::view::View;

/// A walk scores about this many rows for each candidate that it keeps, at the price of a row of a scan.
const ROWS_PER_CANDIDATE: usize = 16;
/// Rows whose codes are compared, one after another, while a walk among allowed rows finds its way, and while it comes by a
/// candidate: as many for comparing its neighbours, and as many for each row that it reads the links of. Measured on 50,000
/// rows of 384 numbers.
const SWEPT_BEFORE: f64 = 3000.0;
const SWEPT_PER_CANDIDATE: f64 = 90.0;
const SWEPT_PER_READ: f64 = 9.0;
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
    /// Each row.
    Scan,
    /// Rows near the query, through the graph. Nearly all are live.
    Walk,
    /// The codes of all rows, for many queries at once. Nearly all are live.
    Together,
    /// Allowed rows near the query, through the graph.
    Among(RowSet),
    /// The codes of each allowed row, and the rows that may be among the best.
    Sweep(RowSet),
    /// Each allowed row.
    Score(RowSet),
}

impl Plan {
    /// The cheapest of the ways that find enough.
    pub fn new(view: &View, k: usize, ef: usize, filter: Option<Filter>) -> Self {
        let (rows, live) = (view.len(), view.live_len());
        let k = k.min(live);
        let ef = ef.max(1);
        let kept = ef.max(k + k / SPARE);
        if filter.is_none() && live >= rows / 10 * 9 {
            let way = if ROWS_PER_CANDIDATE.saturating_mul(ef.max(k)) < live { Way::Walk } else { Way::Scan };
            return Self { k, ef, kept, way };
        }
        let allowed = allowed(view, filter);
        let way = if allowed.len() <= FEW.max(k.saturating_mul(4)) {
            Way::Score(allowed)
        } else if allowed.len() as f64 <= swept_by_walk(kept, allowed.share(rows)) {
            Way::Sweep(allowed)
        } else {
            Way::Among(allowed)
        };
        Self { k, ef, kept, way }
    }

    /// As [`new`](Self::new), for so many queries at once: a row costs little then.
    pub fn of_many(queries: usize, view: &View, k: usize, ef: usize, filter: Option<Filter>) -> Self {
        let mut plan = Self::new(view, k, ef, filter);
        let walks = matches!(plan.way, Way::Walk);
        let swept = if Int8Kernels::detect().is_fast() { SWEPT_PER_STEP } else { SWEPT_PER_STEP / 4 };
        if walks && queries >= MANY_QUERIES && view.len() <= swept.saturating_mul(plan.ef) {
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
        let walked = swept_by_walk(ef, allowed as f64 / rows.max(1) as f64) as usize;
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
    (2 * usual).max((allowed.len() as f64 / SWEPT_PER_CANDIDATE) as usize)
}

/// Rows that are swept in the time of a walk.
fn swept_by_walk(ef: usize, share: f64) -> f64 {
    SWEPT_BEFORE + ef as f64 * SWEPT_PER_CANDIDATE + reads(ef, share) * SWEPT_PER_READ
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::rows::Rows;

    fn rows(count: usize) -> (Rows, Vec<String>) {
        let mut rows = Rows::new(1, Similarity::Dot, serde_json::Value::Null).expect("a dimension");
        let ids: Vec<String> = (0..count).map(|row| row.to_string()).collect();
        rows.append(&ids, &vec![1.0; count]).expect("rows");
        (rows, ids)
    }

    #[test]
    fn a_walk_is_planned_where_it_scores_fewer_rows() {
        let (mut rows, ids) = rows(1000);
        let walks = |k, ef| matches!(Plan::new(&rows.view(), k, ef, None).way, Way::Walk);
        assert!(walks(1, 62)); // 16 · 62 = 992 < 1000
        assert!(!walks(1, 63) && !walks(63, 1) && !walks(usize::MAX, 1));
        rows.delete(&ids).expect("there");
        let plan = Plan::new(&rows.view(), 5, 5, None);
        assert!(plan.k == 0 && matches!(plan.way, Way::Score(allowed) if allowed.is_empty()));
    }

    #[test]
    fn few_allowed_rows_are_scored_more_are_swept_and_many_walked_among() {
        let (rows, _) = rows(100_000);
        let way = |k, ef, of: u32| {
            Plan::new(&rows.view(), k, ef, Some(&move |row: u32| row.is_multiple_of(of))).way
        };
        assert!(matches!(way(1, 1, 400), Way::Score(allowed) if allowed.len() == 250));
        assert!(matches!(way(1, 1, 50), Way::Sweep(allowed) if allowed.len() == 2000));
        assert!(matches!(way(2500, 1, 10), Way::Score(_)));
        // Half the rows: 3000 + 435 · (90 + 2 · 9) = 49,980 < 50,000.
        assert!(matches!(way(1, 435, 2), Way::Among(_)) && matches!(way(1, 436, 2), Way::Sweep(_)));
        // One in ten: 3000 + 38 · (90 + 10 · 9) = 9840 < 10,000; the links of more rows are read.
        assert!(matches!(way(1, 38, 10), Way::Among(_)) && matches!(way(1, 39, 10), Way::Sweep(_)));
        let set: RowSet = (0..200_000).collect();
        let all = Plan::new(&rows.view(), 1, 50, Some(&set)).way;
        assert!(matches!(all, Way::Among(allowed) if allowed.len() == 100_000));
    }
}
