use kernels::prefetch;
use ranking::{Hit, TopK};

use super::score_bounds::ScoreBounds;
use crate::store::rows_view::RowsView;

/// How many candidates ahead vectors are prefetched.
const PREFETCH_DISTANCE: usize = 4;
/// A query with more candidates than this, plus [`MAX_CANDIDATES_PER_HIT`] per hit, scores all rows instead.
const MAX_CANDIDATES: usize = 1 << 15;
const MAX_CANDIDATES_PER_HIT: usize = 8;
/// Candidates are first pruned when there are this many, plus [`PRUNED_PER_HIT`] per hit.
const MIN_PRUNED: usize = 1024;
const PRUNED_PER_HIT: usize = 4;

/// The rows that may be among the `k` best for one query.
pub(super) struct Candidates {
    k: usize,
    /// The `k` best lower bounds, and up to as many more.
    lower_bounds: Vec<f32>,
    /// The `k`-th best lower bound, when it was last determined: rows whose upper bound is below it are ruled out.
    pub min_upper_bound: f32,
    pub candidates: Vec<Candidate>,
    /// The number of candidates at which they are pruned next.
    prune_at: usize,
    /// Whether there were so many candidates that scoring all rows is cheaper.
    pub has_overflowed: bool,
}

/// A row that was not ruled out when it was looked at.
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
            candidates: Vec::new(),
            prune_at: MIN_PRUNED.saturating_add(k.saturating_mul(PRUNED_PER_HIT)),
            has_overflowed: false,
        }
    }

    /// Adds a row, unless it is ruled out.
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
        self.candidates.push(candidate);
        if self.candidates.len() >= self.prune_at {
            self.prune();
            self.prune_at = self.prune_at.max(2 * self.candidates.len());
            let max = MAX_CANDIDATES.saturating_add(self.k.saturating_mul(MAX_CANDIDATES_PER_HIT));
            if self.candidates.len() > max {
                self.candidates = Vec::new();
                self.has_overflowed = true;
                // Rules out all further rows.
                self.min_upper_bound = f32::INFINITY;
            }
        }
    }

    fn raise_min_upper_bound(&mut self) {
        if self.k > 0 && self.lower_bounds.len() >= self.k {
            let (_, &mut kth_best, _) =
                self.lower_bounds.select_nth_unstable_by(self.k - 1, |a, b| b.total_cmp(a));
            self.lower_bounds.truncate(self.k);
            self.min_upper_bound = kth_best;
        }
    }

    /// Removes candidates that are ruled out by now.
    pub fn prune(&mut self) {
        self.raise_min_upper_bound();
        self.candidates.retain(|candidate| candidate.upper_bound >= self.min_upper_bound);
    }

    /// Scores candidates by their vectors, in the order of their upper bounds, until none can be among the best any more.
    pub fn score(mut self, view: &RowsView, query: &[f32], bounds: &ScoreBounds) -> TopK {
        self.prune();
        self.candidates
            .sort_unstable_by(|a, b| b.upper_bound.total_cmp(&a.upper_bound).then(a.ord.cmp(&b.ord)));
        let mut best = TopK::new(self.k);
        for (at, &Candidate { upper_bound, ord }) in self.candidates.iter().enumerate() {
            let is_over = |worst: Hit| f64::from(upper_bound) < bounds.min_upper_bound(worst.score);
            if best.threshold().is_some_and(is_over) {
                break;
            }
            if let Some(ahead) = self.candidates.get(at + PREFETCH_DISTANCE) {
                prefetch(view.row(ahead.ord));
            }
            let score = view.score(query, ord);
            // Only a file with invalid vectors leads to NaN.
            if !score.is_nan() {
                best.push(Hit { ord, score });
            }
        }
        best
    }
}
