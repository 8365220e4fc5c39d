use kernels::prefetch;
use ranking::{Hit, TopK};

use super::score_bounds::Bounds;
use crate::store::rows_view::View;

/// Candidates that are fetched before they are scored.
const AHEAD: usize = 4;
/// Rows that one query may keep for scoring, beside some for each of its hits, before it does without codes.
const MOST_CANDIDATES: usize = 1 << 15;

/// What may be among the best for a query.
pub(super) struct Candidates {
    k: usize,
    /// The `k` best lower bounds and up to as many more.
    lowers: Vec<f32>,
    /// The `k`-th best when they were last looked at: what cannot reach it is not among the best.
    pub least: f32,
    /// Upper bounds and ords.
    pub kept: Vec<(f32, u32)>,
    prune_at: usize,
    /// There were so many that scoring all rows is cheaper.
    pub too_many: bool,
}

impl Candidates {
    pub fn new(k: usize) -> Self {
        let (lowers, kept) = (Vec::new(), Vec::new());
        let prune_at = 1024usize.saturating_add(k.saturating_mul(4));
        Self { k, lowers, least: f32::NEG_INFINITY, kept, prune_at, too_many: false }
    }

    pub fn push(&mut self, ord: u32, upper: f32, lower: f32) {
        if upper < self.least {
            return;
        }
        if lower > self.least {
            self.lowers.push(lower);
            if self.lowers.len() >= 2 * self.k {
                self.raise();
            }
        }
        self.kept.push((upper, ord));
        if self.kept.len() >= self.prune_at {
            self.prune();
            self.prune_at = self.prune_at.max(2 * self.kept.len());
            if self.kept.len() > MOST_CANDIDATES.saturating_add(self.k.saturating_mul(8)) {
                self.kept = Vec::new();
                self.too_many = true;
                // Nothing reaches it.
                self.least = f32::INFINITY;
            }
        }
    }

    /// Looks for the `k`-th best lower bound.
    fn raise(&mut self) {
        if self.k > 0 && self.lowers.len() >= self.k {
            let (_, &mut least, _) = self.lowers.select_nth_unstable_by(self.k - 1, |a, b| b.total_cmp(a));
            self.lowers.truncate(self.k);
            self.least = least;
        }
    }

    /// Lets go of what is ruled out by now.
    pub fn prune(&mut self) {
        self.raise();
        self.kept.retain(|&(upper, _)| upper >= self.least);
    }

    /// Scores what is left, the most promising first, as long as it can be among the best.
    pub fn score(mut self, view: &View, query: &[f32], bounds: &Bounds) -> TopK {
        self.prune();
        self.kept.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut best = TopK::new(self.k);
        for (at, &(upper, ord)) in self.kept.iter().enumerate() {
            if best.threshold().is_some_and(|worst| f64::from(upper) < bounds.reach(worst.score)) {
                break;
            }
            if let Some(&(_, ahead)) = self.kept.get(at + AHEAD) {
                prefetch(view.row(ahead));
            }
            let score = view.score(query, ord);
            // NaN, which only a file made by hand can bring, is not kept.
            if !score.is_nan() {
                best.push(Hit { ord, score });
            }
        }
        best
    }
}
