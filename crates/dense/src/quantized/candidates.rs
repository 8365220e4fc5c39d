//! The candidates of a search: rows that the bounds on a query's scores do not rule out. In the end, candidates are
//! scored by their vectors.

use kernels::prefetch_start;
use ranking::{Hit, TopK};

use super::score_bounds::ScoreBounds;
use crate::store::rows_view::RowsView;

/// While a candidate is scored, the vector of the candidate this many places after it is prefetched.
const PREFETCH_DISTANCE: usize = 4;
/// If a query has more candidates than this plus `k` times [`MAX_CANDIDATES_PER_HIT`], all rows are scored instead.
const MAX_CANDIDATES: usize = 1 << 15;
/// See [`MAX_CANDIDATES`].
const MAX_CANDIDATES_PER_HIT: usize = 8;
/// Candidates are first pruned when there are this many plus `k` times [`FIRST_PRUNING_PER_HIT`].
const FIRST_PRUNING: usize = 1024;
/// See [`FIRST_PRUNING`].
const FIRST_PRUNING_PER_HIT: usize = 4;

/// The rows that may be among the `k` best for one query.
pub(super) struct Candidates {
    k: usize,
    /// The `k` best lower bounds, and up to `k` others that were added since these were last selected.
    lower_bounds: Vec<f32>,
    /// The `k`-th best lower bound when it was last determined. Rows whose upper bound is below it are ruled out. It is
    /// −∞ at first, and ∞ once `has_overflowed` is true.
    pub min_upper_bound: f32,
    /// The candidates.
    pub rows: Vec<Candidate>,
    /// The number of candidates at which they are pruned next.
    prune_at: usize,
    /// Whether there were so many candidates that scoring all rows is cheaper. `rows` is then empty.
    pub has_overflowed: bool,
}

/// A row that was not ruled out when its bounds were computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub upper_bound: f32,
    pub ord: u32,
}

impl Candidates {
    pub fn new(k: usize) -> Self {
        Self {
            k,
            lower_bounds: Vec::new(),
            min_upper_bound: f32::NEG_INFINITY,
            rows: Vec::new(),
            prune_at: FIRST_PRUNING.saturating_add(k.saturating_mul(FIRST_PRUNING_PER_HIT)),
            has_overflowed: false,
        }
    }

    /// Adds a row with its bounds, unless its upper bound rules it out. Once in a while, prunes the candidates; if too
    /// many remain, drops all of them and sets `has_overflowed`.
    pub fn push(&mut self, candidate: Candidate, lower_bound: f32) {
        if candidate.upper_bound < self.min_upper_bound {
            return;
        }
        if lower_bound > self.min_upper_bound {
            self.lower_bounds.push(lower_bound);
            if self.lower_bounds.len() >= 2 * self.k {
                self.raise_min_upper_bound();
            }
        }
        self.rows.push(candidate);
        if self.rows.len() >= self.prune_at {
            self.prune();
            self.prune_at = self.prune_at.max(2 * self.rows.len());
            let max = MAX_CANDIDATES.saturating_add(self.k.saturating_mul(MAX_CANDIDATES_PER_HIT));
            if self.rows.len() > max {
                self.rows = Vec::new();
                self.has_overflowed = true;
                // Rules out all further rows.
                self.min_upper_bound = f32::INFINITY;
            }
        }
    }

    /// Sets `min_upper_bound` to the `k`-th best lower bound, if there are `k` lower bounds, and drops the worse ones.
    fn raise_min_upper_bound(&mut self) {
        if self.k > 0 && self.lower_bounds.len() >= self.k {
            let (_, &mut kth_best, _) =
                self.lower_bounds.select_nth_unstable_by(self.k - 1, |a, b| b.total_cmp(a));
            self.lower_bounds.truncate(self.k);
            self.min_upper_bound = kth_best;
        }
    }

    /// Removes the candidates that are ruled out by lower bounds of rows added after them.
    pub fn prune(&mut self) {
        self.raise_min_upper_bound();
        self.rows.retain(|candidate| candidate.upper_bound >= self.min_upper_bound);
    }

    /// Scores candidates by their vectors in descending order of their upper bounds, until no further candidate can be
    /// among the `k` best.
    pub fn score(mut self, view: &RowsView, query: &[f32], bounds: &ScoreBounds) -> TopK {
        self.prune();
        self.rows.sort_unstable_by(|a, b| b.upper_bound.total_cmp(&a.upper_bound).then(a.ord.cmp(&b.ord)));
        let mut best = TopK::new(self.k);
        for (at, &Candidate { upper_bound, ord }) in self.rows.iter().enumerate() {
            let is_over = |worst: Hit| f64::from(upper_bound) < bounds.min_upper_bound(worst.score);
            if best.threshold().is_some_and(is_over) {
                break;
            }
            if let Some(ahead) = self.rows.get(at + PREFETCH_DISTANCE) {
                prefetch_start(view.row(ahead.ord));
            }
            let score = view.score(query, ord);
            // A score is NaN only if the file has invalid vectors.
            if !score.is_nan() {
                best.push(Hit { ord, score });
            }
        }
        best
    }
}
