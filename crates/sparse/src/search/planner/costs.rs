//! The costs of searches, by which the planner chooses a scorer and estimates times.
//!
//! They depend on the instruction set of the [impact kernels](kernels::impacts): [`measured`] has a file for each that
//! was measured. `npm run bench -- planner` measures them for the instruction set that the kernels use
//! (`PASSAGEKIT_CPU` forces another one): it times both scorers with random queries in indexes of different sizes, fits
//! the costs to the times, and writes the costs to `measured` and the times to `benches/record`. Instruction sets that
//! were not measured have the costs of a measured one that is similar.

use std::time::Duration;

use kernels::impacts::ImpactKernels;

use super::measured;

/// The costs of searches with one instruction set. Times are in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchCosts {
    /// The fixed time of a search.
    pub search: f64,
    /// The time to add the bound of one posting of a rare term.
    pub per_posting: f64,
    /// The time to add the bounds of 64 passages of a frequent term, whose postings are a bitmap. It is a mean: most
    /// groups of 64 passages are skipped.
    pub per_bitmap_group: f64,
    /// The time to compare the bounds of 64 passages with the threshold.
    pub per_scanned_group: f64,
    /// The time to select and sort one candidate.
    pub per_candidate: f64,
    /// The time to score one term of one candidate exactly.
    pub per_candidate_and_term: f64,
    /// The time to score one posting with the exhaustive scorer.
    pub per_scored_posting: f64,
    /// The time to select the hits among 64 passages with the exhaustive scorer.
    pub per_scored_group: f64,
    /// The time to sort one hit of the exhaustive scorer.
    pub per_scored_hit: f64,
    /// Candidates are found by upper bounds if the index has at least this many passages per requested hit (`k`). With
    /// fewer, too many passages remain candidates, and scoring every posting once is faster, or may be: see
    /// `MAX_RATIO_FOR_BOUNDS` in `benches/planner.rs`.
    pub min_passages_per_hit_for_bounds: usize,
}

/// The work of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchWork {
    /// The number of postings of rare terms.
    pub postings: u64,
    /// The number of groups of 64 passages in the bitmaps of all frequent terms, whether or not they have postings.
    pub bitmap_groups: u64,
    /// The number of postings of frequent terms. Only the exhaustive scorer reads all of them.
    pub bitmap_postings: u64,
    /// The number of groups of 64 passages in all segments.
    pub scanned_groups: u64,
    /// The number of passages that are scored exactly after their bounds; for the exhaustive scorer, the number of
    /// hits.
    pub candidates: u64,
    /// The number of terms of the query.
    pub terms: u64,
}

/// The two ways of finding the best passages; both give the same hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scorer {
    /// Scores every posting.
    Exhaustive,
    /// Finds candidates by upper bounds on their scores, and scores only these.
    UpperBounds,
}

impl SearchCosts {
    /// Returns the costs for the kernels that are used on this CPU.
    #[must_use]
    pub fn detect() -> &'static Self {
        Self::of(ImpactKernels::detect().name())
    }

    /// Returns the costs for the instruction set with this name.
    fn of(instruction_set: &str) -> &'static Self {
        match instruction_set {
            "avx512vbmi2" => &measured::AVX512VBMI2,
            "avx2" | "neon" => &measured::AVX2,
            _ => &measured::SCALAR,
        }
    }

    /// Returns the scorer for the `k` best of `passages` passages.
    #[must_use]
    pub fn scorer(&self, passages: usize, k: usize) -> Scorer {
        if k.saturating_mul(self.min_passages_per_hit_for_bounds) <= passages {
            Scorer::UpperBounds
        } else {
            Scorer::Exhaustive
        }
    }

    /// Returns how long a search with this work takes.
    #[must_use]
    pub fn time(&self, scorer: Scorer, work: &SearchWork) -> Duration {
        let parts = match scorer {
            Scorer::UpperBounds => self.time_of_parts(work),
            Scorer::Exhaustive => {
                let postings = work.postings.saturating_add(work.bitmap_postings);
                let nanoseconds = postings as f64 * self.per_scored_posting
                    + work.scanned_groups as f64 * self.per_scored_group
                    + work.candidates as f64 * self.per_scored_hit;
                Duration::from_nanos(nanoseconds as u64)
            }
        };
        Duration::from_nanos(self.search as u64).saturating_add(parts)
    }

    /// Returns the time of a search with upper bounds, without its fixed part.
    #[must_use]
    pub fn time_of_parts(&self, work: &SearchWork) -> Duration {
        let per_candidate = self.per_candidate + work.terms as f64 * self.per_candidate_and_term;
        let nanoseconds = work.postings as f64 * self.per_posting
            + work.bitmap_groups as f64 * self.per_bitmap_group
            + work.scanned_groups as f64 * self.per_scanned_group
            + work.candidates as f64 * per_candidate;
        // A conversion to an integer saturates.
        Duration::from_nanos(nanoseconds as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_the_sum_of_the_parts() {
        let costs = SearchCosts {
            search: 1e6,
            per_posting: 1.0,
            per_bitmap_group: 10.0,
            per_scanned_group: 100.0,
            per_candidate: 1000.0,
            per_candidate_and_term: 10_000.0,
            per_scored_posting: 2.0,
            per_scored_group: 30.0,
            per_scored_hit: 500.0,
            min_passages_per_hit_for_bounds: 16,
        };
        let work = SearchWork {
            postings: 2,
            bitmap_groups: 3,
            bitmap_postings: 5,
            scanned_groups: 4,
            candidates: 2,
            terms: 3,
        };
        assert_eq!(costs.time_of_parts(&work), Duration::from_nanos(2 + 30 + 400 + 2 * (1000 + 30_000)));
        let fixed = Duration::from_millis(1);
        assert_eq!(costs.time(Scorer::UpperBounds, &work), costs.time_of_parts(&work) + fixed);
        let exhaustive = Duration::from_nanos(7 * 2 + 4 * 30 + 2 * 500);
        assert_eq!(costs.time(Scorer::Exhaustive, &work), exhaustive + fixed);
        let endless = SearchWork { candidates: u64::MAX, terms: u64::MAX, ..work };
        assert_eq!(costs.time(Scorer::UpperBounds, &endless), Duration::from_nanos(u64::MAX) + fixed);
    }

    #[test]
    fn the_scorer_depends_on_the_passages_per_hit() {
        let costs = SearchCosts { min_passages_per_hit_for_bounds: 16, ..*SearchCosts::of("avx2") };
        assert_eq!(costs.scorer(1600, 100), Scorer::UpperBounds);
        assert_eq!(costs.scorer(1599, 100), Scorer::Exhaustive);
        assert_eq!(costs.scorer(usize::MAX - 1, usize::MAX), Scorer::Exhaustive);
    }
}
