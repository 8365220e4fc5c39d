use kernels::impacts::{GROUP, Reached};

/// Sums that one count of the histogram stands for, as a power of two.
const BUCKET: u32 = 6;
const BUCKETS: usize = 1 << (u16::BITS - BUCKET);

/// Most that a scan may find before the bound is raised.
pub(crate) const STEP: usize = 16 * GROUP;

/// Passages that may be among the k best, by upper bounds of their scores.
///
/// A bound is above the score, in the same units, by at most an error; so a passage whose bound is below the k-th
/// best bound by more than that is worse than k others.
pub(crate) struct Candidates {
    k: usize,
    error: u16,
    bound: u16,
    /// Passages with their sums, in order.
    found: Vec<(u32, u16)>,
    /// How many of those are in each bucket of sums.
    histogram: Box<[u32; BUCKETS]>,
    /// The highest bucket with whose passages and those above there are k or more; 0 if there is none.
    bucket: usize,
    /// How many are above that bucket.
    above: usize,
}

impl Candidates {
    pub fn new() -> Self {
        let histogram = Box::new([0; BUCKETS]);
        Self { k: 0, error: 0, bound: 1, found: Vec::new(), histogram, bucket: 0, above: 0 }
    }

    /// Forgets all, for another query.
    pub fn reset(&mut self, k: usize) {
        (self.k, self.error, self.bound) = (k, 0, 1);
        (self.bucket, self.above) = (0, 0);
        self.found.clear();
        self.histogram.fill(0);
    }

    /// Bounds of passages from now on are above their scores by at most `error`.
    pub fn allow(&mut self, error: u16) {
        self.error = self.error.max(error);
    }

    /// Bounds below are of no interest.
    pub fn bound(&self) -> u16 {
        self.bound
    }

    /// How many to look for before the bound is raised: the bound of the first ones is low, and few come later.
    pub fn step(&self) -> usize {
        (self.k / 2).clamp(2 * GROUP, STEP)
    }

    /// Takes what a scan found in sums of which the first belongs to `first`.
    pub fn take(&mut self, first: u32, found: &[Reached]) {
        for reached in found {
            let bucket = usize::from(reached.sum() >> BUCKET);
            self.histogram[bucket] += 1;
            self.above += usize::from(bucket > self.bucket);
            self.found.push((first + u32::from(reached.position()), reached.sum()));
        }
        while self.above >= self.k {
            self.bucket += 1;
            self.above -= self.histogram[self.bucket] as usize;
        }
        self.bound = self.bound.max(((self.bucket << BUCKET) as u16).saturating_sub(self.error));
        // What has become hopeless would only be copied about.
        if self.found.len() > 2 * self.k + 2 * STEP {
            self.found.retain(|&(_, sum)| sum >= self.bound);
        }
    }

    /// The candidates, in the order in which they were found.
    pub fn passages(&self) -> impl Iterator<Item = u32> {
        self.found.iter().filter(|&&(_, sum)| sum >= self.bound).map(|&(passage, _)| passage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_within_the_error_of_the_kth_best_is_lost(
            sums in prop::collection::vec(1u16..2000, 0..600),
            k in 1usize..80,
            error in 0u16..100,
            step in 1usize..200,
        ) {
            let mut candidates = Candidates::new();
            candidates.reset(k);
            candidates.allow(error);
            for (sums, first) in sums.chunks(step).zip((0u32..).step_by(step)) {
                let bound = candidates.bound();
                let reached = sums.iter().zip(0..).filter(|&(&sum, _)| sum >= bound);
                let reached: Vec<Reached> = reached.map(|(&sum, at)| Reached::new(sum, at)).collect();
                candidates.take(first, &reached);
            }
            let found: Vec<u32> = candidates.passages().collect();
            let mut sorted = sums.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let least = sorted.get(k - 1).map_or(1, |kth| kth.saturating_sub(error).max(1));
            let wanted = (0u32..).zip(&sums).filter(|&(_, &sum)| sum >= least);
            prop_assert!(wanted.map(|(passage, _)| passage).all(|passage| found.contains(&passage)));
            prop_assert!(found.is_sorted());
            let coarse = least.saturating_sub(1 << BUCKET);
            prop_assert!(found.iter().all(|&passage| sums[passage as usize] >= coarse));
        }
    }
}
