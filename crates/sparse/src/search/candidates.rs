//! [`Candidates`] keeps the passages that may be among the k best, judging by upper bounds on their scores.
//!
//! Bounds are integers, in quantization steps (see [`BoundScale`](super::bound_scale::BoundScale)). A bound exceeds the
//! score, converted to steps, by at most a known error. So a passage whose bound is below the *threshold*, the k-th
//! best bound minus that error, is certainly worse than k others and is dropped. A histogram of the bounds gives the
//! k-th best bound, rounded down to the start of its bucket, without sorting.
//!
//! Passages are added by [`upper_bounds`](super::upper_bounds), which *scans* the bounds of one passage after another
//! (with [`ImpactKernels::scan`](kernels::impacts::ImpactKernels::scan)): a scan finds the passages whose bounds reach
//! the threshold, and stops when it has found a given number of them. These passages are added, which may raise the
//! threshold, and the next scan continues where the last one stopped. Before the first scan, `upper_bounds` adds up the
//! bounds of the first block, from which [`Candidates::set_start_threshold`] computes the *start threshold*.
//!
//! A passage's *position in the index* is its number if the passages of all segments are counted in the order of the
//! segments, from 0.

use kernels::impacts::{GROUP, ImpactKernels};

/// A bucket of the histogram covers `1 << BUCKET_SHIFT` values of a bound.
const BUCKET_SHIFT: u32 = 6;
const BUCKETS: usize = 1 << (u16::BITS - BUCKET_SHIFT);

/// The bound of every passage with a query term is at least this, because bounds are rounded up.
const MIN_BOUND: u16 = 1;

/// Minimum number of subsets into which [`ImpactKernels::kth_sum_lower_bound`] divides the passages of the first block.
/// With many more subsets than `k`, the best passages are rarely in the same subset.
const MIN_SUBSETS: usize = 256;
/// Maximum number of subsets. There is no start threshold for a `k` that needs more.
const MAX_SUBSETS: usize = 4096;

/// Maximum number of passages that one scan can find. It is small, so that the threshold can rise between scans.
pub(crate) const MAX_FOUND_PER_SCAN: usize = 16 * GROUP;

/// The position of a passage in the index and, in the lowest 16 bits, its bound. One integer instead of a tuple lets
/// the compiler convert several candidates at once.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate(u64);

impl Candidate {
    fn new(position: u32, bound: u16) -> Self {
        Self(u64::from(position) << 16 | u64::from(bound))
    }

    pub fn position(self) -> u32 {
        (self.0 >> 16) as u32
    }

    fn bound(self) -> u16 {
        self.0 as u16
    }
}

/// The candidates of one query in all segments.
pub(crate) struct Candidates {
    k: usize,
    /// Maximum number of steps by which a bound exceeds the score of its passage.
    max_error: u16,
    /// Candidates have at least this bound.
    threshold: u16,
    /// The candidates, in the order of their positions.
    found: Vec<Candidate>,
    /// Number of passages added so far in each bucket, including dropped ones.
    histogram: Box<[u32; BUCKETS]>,
    /// The highest bucket that, together with the buckets above it, has at least `k` passages; 0 if there is none.
    kth_bucket: usize,
    /// Number of passages in the buckets above `kth_bucket`.
    above_kth: usize,
    /// True after the start threshold was set, or passages were added.
    has_started: bool,
    /// A buffer for the maximum bound of each subset of passages.
    maxima: Box<[u16; MAX_SUBSETS]>,
    /// When `found` gets longer than this, passages with bounds below the threshold are dropped (a *compaction*).
    compaction_len: usize,
}

impl Candidates {
    pub fn new() -> Self {
        let histogram = Box::new([0; BUCKETS]);
        Self {
            k: 0,
            max_error: 0,
            threshold: MIN_BOUND,
            found: Vec::new(),
            histogram,
            kth_bucket: 0,
            above_kth: 0,
            has_started: false,
            maxima: Box::new([0; MAX_SUBSETS]),
            compaction_len: 0,
        }
    }

    /// Clears everything for a query that wants `k` hits.
    pub fn reset(&mut self, k: usize) {
        (self.k, self.max_error, self.threshold) = (k, 0, MIN_BOUND);
        (self.kth_bucket, self.above_kth, self.has_started) = (0, 0, false);
        // After a compaction, about k passages are usually left. This is at least twice that number.
        self.compaction_len = 2 * k + 2 * MAX_FOUND_PER_SCAN;
        self.found.clear();
        self.histogram.fill(0);
    }

    /// Declares that the bounds of passages that are added from now on exceed the scores by up to `error` steps. The
    /// largest `error` since the last [`reset`](Self::reset) applies to all passages.
    pub fn allow_error(&mut self, error: u16) {
        self.max_error = self.max_error.max(error);
    }

    /// Returns the bound below which passages cannot be among the `k` best.
    pub fn threshold(&self) -> u16 {
        self.threshold
    }

    /// Returns true if a start threshold should be computed for a query with this number of postings in the segment.
    pub fn needs_start_threshold(&self, postings: usize) -> bool {
        // If there are hardly more postings than hits, hardly any passage can be ruled out.
        !self.has_started && self.subsets() <= MAX_SUBSETS && postings >= 2 * self.k
    }

    /// Computes the threshold of the first scan from the bounds of the passages of the first block. Each of these
    /// passages must be allowed to be a hit: deleted ones, or those that a filter excludes, could otherwise rule out
    /// hits. [`allow_error`](Self::allow_error) must have been called for their segment.
    pub fn set_start_threshold(&mut self, bounds: &[u16], kernels: &ImpactKernels) {
        self.has_started = true;
        let subsets = self.subsets();
        let kth_bound = kernels.kth_sum_lower_bound(bounds, self.k, &mut self.maxima[..subsets]);
        self.threshold = self.threshold.max(kth_bound.saturating_sub(self.max_error));
    }

    /// Returns the number of subsets for the start threshold: at least twice `k`.
    fn subsets(&self) -> usize {
        self.k.saturating_mul(2).checked_next_power_of_two().unwrap_or(usize::MAX).max(MIN_SUBSETS)
    }

    /// Returns the number of found passages at which the next scan should stop. It is small for a small `k`, so that
    /// a low threshold rises soon.
    pub fn scan_limit(&self) -> usize {
        (self.k / 2).clamp(2 * GROUP, MAX_FOUND_PER_SCAN)
    }

    /// Adds the passages that a scan found, with their bounds. `scan_start` is the position in the index of the first
    /// scanned passage, and `offsets` are the positions of the found passages relative to `scan_start`.
    pub fn add(&mut self, scan_start: u32, bounds: &[u16], offsets: &[u16]) {
        self.has_started = true;
        let found = bounds.iter().zip(offsets);
        self.found
            .extend(found.map(|(&bound, &offset)| Candidate::new(scan_start + u32::from(offset), bound)));
        for &bound in bounds {
            let bucket = usize::from(bound >> BUCKET_SHIFT);
            self.histogram[bucket] += 1;
            self.above_kth += usize::from(bucket > self.kth_bucket);
        }
        while self.above_kth >= self.k {
            self.kth_bucket += 1;
            self.above_kth -= self.histogram[self.kth_bucket] as usize;
        }
        let kth_bound = (self.kth_bucket << BUCKET_SHIFT) as u16;
        self.threshold = self.threshold.max(kth_bound.saturating_sub(self.max_error));
        // If most bounds are equal, hardly any passage is dropped. `compaction_len` then doubles, so that copying stays
        // rare.
        if self.found.len() > self.compaction_len {
            self.drop_below_threshold();
            self.compaction_len = self.compaction_len.max(2 * self.found.len());
        }
    }

    /// Returns the candidates, in the order of their positions.
    pub fn finish(&mut self) -> &[Candidate] {
        self.drop_below_threshold();
        &self.found
    }

    /// Removes the entries with bounds below the threshold. It copies every entry without branching, because the branch
    /// would be unpredictable.
    fn drop_below_threshold(&mut self) {
        let mut kept = 0;
        for at in 0..self.found.len() {
            let found = self.found[at];
            self.found[kept] = found;
            kept += usize::from(found.bound() >= self.threshold);
        }
        self.found.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_start_threshold_is_close_to_the_kth_best_bound() {
        let mut candidates = Candidates::new();
        let bounds: Vec<u16> = (0..8192).collect();
        for (k, kth_bound) in [(1, 8191), (10, 8182), (100, 8092), (1_000, 7_192)] {
            candidates.reset(k);
            candidates.allow_error(9);
            assert!(candidates.needs_start_threshold(8192));
            assert!(!candidates.needs_start_threshold(2 * k - 1), "too few postings");
            candidates.set_start_threshold(&bounds, ImpactKernels::detect());
            assert!(!candidates.needs_start_threshold(8192), "it is set once");
            // Ascending bounds are the best case: no two of the best passages are in the same subset. The k-th best
            // bound is rounded down to a multiple of 64.
            assert_eq!(candidates.threshold(), kth_bound / 64 * 64 - 9, "k = {k}");
        }
        candidates.reset(MAX_SUBSETS / 2 + 1);
        assert!(!candidates.needs_start_threshold(usize::MAX), "too many subsets");
    }

    #[test]
    fn passages_with_equal_bounds_are_all_kept_and_rarely_copied() {
        let mut candidates = Candidates::new();
        candidates.reset(10);
        candidates.allow_error(3);
        let offsets: Vec<u16> = (0..MAX_FOUND_PER_SCAN as u16).collect();
        let mut compactions = 0;
        for scan in 0..1000u32 {
            let before = candidates.compaction_len;
            candidates.add(scan * MAX_FOUND_PER_SCAN as u32, &[1000; MAX_FOUND_PER_SCAN], &offsets);
            // No passage can be dropped, so every compaction at least doubles `compaction_len`.
            compactions += usize::from(candidates.compaction_len > before);
        }
        assert_eq!(candidates.finish().len(), 1000 * MAX_FOUND_PER_SCAN);
        // `compaction_len` is more than 2 · 1024 at first, since a scan finds 1024 passages. Each compaction at least
        // doubles it. After nine compactions, it is more than 2 · 1024 · 2^9 = 1,048,576, but the 1000 scans find only
        // 1,024,000 passages, so there is no tenth compaction.
        assert!(compactions <= 9, "{compactions} compactions");
    }

    proptest! {
        #[test]
        fn every_passage_within_the_error_of_the_kth_best_bound_is_kept(
            bounds in prop::collection::vec(1u16..2000, 0..1_200),
            k in 1usize..80,
            max_error in 0u16..100,
            scan_len in 1usize..600,
            has_start_threshold in any::<bool>(),
        ) {
            let mut candidates = Candidates::new();
            candidates.reset(k);
            candidates.allow_error(max_error);
            if has_start_threshold {
                candidates.set_start_threshold(&bounds[..bounds.len().min(scan_len)], ImpactKernels::detect());
            }
            for (scanned, scan_start) in bounds.chunks(scan_len).zip((0u32..).step_by(scan_len)) {
                let threshold = candidates.threshold();
                let above = scanned.iter().zip(0..).filter(|&(&bound, _)| bound >= threshold);
                let (found_bounds, offsets): (Vec<u16>, Vec<u16>) = above.unzip();
                candidates.add(scan_start, &found_bounds, &offsets);
            }
            let found: Vec<u32> = candidates.finish().iter().map(|candidate| candidate.position()).collect();
            let mut sorted = bounds.clone();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let min_bound = sorted.get(k - 1).map_or(1, |kth| kth.saturating_sub(max_error).max(1));
            let wanted = (0u32..).zip(&bounds).filter(|&(_, &bound)| bound >= min_bound);
            prop_assert!(wanted.map(|(passage, _)| passage).all(|passage| found.contains(&passage)));
            prop_assert!(found.is_sorted());
            // The k-th best bound is rounded down by less than the width of a bucket.
            let min_threshold = min_bound.saturating_sub(1 << BUCKET_SHIFT);
            prop_assert!(found.iter().all(|&passage| bounds[passage as usize] >= min_threshold));
        }
    }
}
