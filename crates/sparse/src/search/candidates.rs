//! The passages that may be among the k best, by upper bounds of their scores.
//!
//! A bound exceeds the score, in the same quantization steps, by at most a known error. So a passage whose bound is
//! below the k-th best bound minus that error is certainly worse than k others and is dropped. A histogram of the
//! bounds gives the k-th best one to the precision of a bucket, without sorting.

use kernels::impacts::GROUP;

/// A bucket of the histogram covers `1 << BUCKET_SHIFT` bounds.
const BUCKET_SHIFT: u32 = 6;
const BUCKETS: usize = 1 << (u16::BITS - BUCKET_SHIFT);

/// Most passages that one scan returns, so that the threshold rises between scans.
pub(crate) const MAX_FOUND: usize = 16 * GROUP;

pub(crate) struct Candidates {
    k: usize,
    max_error: u16,
    threshold: u16,
    /// Positions of passages with their bounds, in the order of positions.
    found: Vec<(u32, u16)>,
    /// Number of passages found so far in each bucket, including dropped ones.
    histogram: Box<[u32; BUCKETS]>,
    /// The highest bucket such that it and the buckets above it have at least `k` passages; 0 if there is none.
    kth_bucket: usize,
    /// Number of passages in the buckets above `kth_bucket`.
    above_kth: usize,
    /// Passages below the threshold are dropped when `found` gets longer than this.
    max_found: usize,
}

impl Candidates {
    pub fn new() -> Self {
        let histogram = Box::new([0; BUCKETS]);
        Self {
            k: 0,
            max_error: 0,
            threshold: 1,
            found: Vec::new(),
            histogram,
            kth_bucket: 0,
            above_kth: 0,
            max_found: 0,
        }
    }

    /// Clears everything for another query.
    pub fn reset(&mut self, k: usize) {
        (self.k, self.max_error, self.threshold) = (k, 0, 1);
        (self.kth_bucket, self.above_kth) = (0, 0);
        self.max_found = 2 * k + 2 * MAX_FOUND;
        self.found.clear();
        self.histogram.fill(0);
    }

    /// Says by how much the bounds of the next passages may exceed their scores.
    pub fn allow_error(&mut self, error: u16) {
        self.max_error = self.max_error.max(error);
    }

    /// Passages with a bound below this cannot be among the `k` best.
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// How many passages the next scan should find before it returns. A small number lets the threshold, which is low at
    /// first, rise soon.
    pub fn scan_limit(&self) -> usize {
        (self.k / 2).clamp(2 * GROUP, MAX_FOUND)
    }

    /// Adds the passages that a scan found, at these positions relative to `first`, with their bounds.
    pub fn add(&mut self, first: u32, bounds: &[u16], positions: &[u16]) {
        for (&bound, &position) in bounds.iter().zip(positions) {
            let bucket = usize::from(bound >> BUCKET_SHIFT);
            self.histogram[bucket] += 1;
            self.above_kth += usize::from(bucket > self.kth_bucket);
            self.found.push((first + u32::from(position), bound));
        }
        while self.above_kth >= self.k {
            self.kth_bucket += 1;
            self.above_kth -= self.histogram[self.kth_bucket] as usize;
        }
        let kth_bound = (self.kth_bucket << BUCKET_SHIFT) as u16;
        self.threshold = self.threshold.max(kth_bound.saturating_sub(self.max_error));
        // If most bounds are equal, dropping removes hardly anything; the limit then doubles, so that it stays rare.
        if self.found.len() > self.max_found {
            self.drop_below_threshold();
            self.max_found = self.max_found.max(2 * self.found.len());
        }
    }

    /// The candidates with their bounds, in the order of their positions.
    pub fn finish(&mut self) -> &[(u32, u16)] {
        self.drop_below_threshold();
        &self.found
    }

    /// Copies every entry without branching, because the branch would be unpredictable.
    fn drop_below_threshold(&mut self) {
        let mut kept = 0;
        for at in 0..self.found.len() {
            let found = self.found[at];
            self.found[kept] = found;
            kept += usize::from(found.1 >= self.threshold);
        }
        self.found.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_bounds_are_all_kept_and_seldom_copied() {
        let mut candidates = Candidates::new();
        candidates.reset(10);
        candidates.allow_error(3);
        let (mut copied, positions): (_, Vec<u16>) = (0, (0..MAX_FOUND as u16).collect());
        for scan in 0..1000u32 {
            let max_found = candidates.max_found;
            candidates.add(scan * MAX_FOUND as u32, &[1000; MAX_FOUND], &positions);
            copied += usize::from(candidates.max_found > max_found);
        }
        assert_eq!(candidates.finish().len(), 1000 * MAX_FOUND);
        assert!(copied <= 10, "copied {copied} times");
    }

    proptest! {
        #[test]
        fn nothing_within_the_error_of_the_kth_best_is_lost(
            bounds in prop::collection::vec(1u16..2000, 0..600),
            k in 1usize..80,
            error in 0u16..100,
            step in 1usize..200,
        ) {
            let mut candidates = Candidates::new();
            candidates.reset(k);
            candidates.allow_error(error);
            for (bounds, first) in bounds.chunks(step).zip((0u32..).step_by(step)) {
                let threshold = candidates.threshold();
                let found = bounds.iter().zip(0..).filter(|&(&bound, _)| bound >= threshold);
                let (bounds, positions): (Vec<u16>, Vec<u16>) = found.unzip();
                candidates.add(first, &bounds, &positions);
            }
            let found: Vec<u32> = candidates.finish().iter().map(|&(passage, _)| passage).collect();
            let mut sorted = bounds.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let min_bound = sorted.get(k - 1).map_or(1, |kth| kth.saturating_sub(error).max(1));
            let wanted = (0u32..).zip(&bounds).filter(|&(_, &bound)| bound >= min_bound);
            prop_assert!(wanted.map(|(passage, _)| passage).all(|passage| found.contains(&passage)));
            prop_assert!(found.is_sorted());
            let bucket_start = min_bound.saturating_sub(1 << BUCKET_SHIFT);
            prop_assert!(found.iter().all(|&passage| bounds[passage as usize] >= bucket_start));
        }
    }
}
