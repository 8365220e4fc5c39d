use kernels::impacts::GROUP;

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
    /// With more found than that, what has become hopeless is dropped.
    most: usize,
}

impl Candidates {
    pub fn new() -> Self {
        let histogram = Box::new([0; BUCKETS]);
        Self { k: 0, error: 0, bound: 1, found: Vec::new(), histogram, bucket: 0, above: 0, most: 0 }
    }

    /// Forgets all, for another query.
    pub fn reset(&mut self, k: usize) {
        (self.k, self.error, self.bound) = (k, 0, 1);
        (self.bucket, self.above) = (0, 0);
        self.most = 2 * k + 2 * STEP;
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

    /// Takes what a scan found: passages by their positions, counted from `first`, with their sums.
    pub fn take(&mut self, first: u32, sums: &[u16], positions: &[u16]) {
        for (&sum, &position) in sums.iter().zip(positions) {
            let bucket = usize::from(sum >> BUCKET);
            self.histogram[bucket] += 1;
            self.above += usize::from(bucket > self.bucket);
            self.found.push((first + u32::from(position), sum));
        }
        while self.above >= self.k {
            self.bucket += 1;
            self.above -= self.histogram[self.bucket] as usize;
        }
        self.bound = self.bound.max(((self.bucket << BUCKET) as u16).saturating_sub(self.error));
        // What has become hopeless would only be copied about. Where most are equal, hardly any have.
        if self.found.len() > self.most {
            self.forget();
            self.most = self.most.max(2 * self.found.len());
        }
    }

    /// The candidates with their sums, in the order in which they were found.
    pub fn finish(&mut self) -> &[(u32, u16)] {
        self.forget();
        &self.found
    }

    /// Drops what is below the bound. Moves everything, as a branch could only guess.
    fn forget(&mut self) {
        let mut kept = 0;
        for at in 0..self.found.len() {
            let found = self.found[at];
            self.found[kept] = found;
            kept += usize::from(found.1 >= self.bound);
        }
        self.found.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn of_equal_ones_all_are_kept_and_moved_about_seldom() {
        let mut candidates = Candidates::new();
        candidates.reset(10);
        candidates.allow(3);
        let (mut dropped, positions): (_, Vec<u16>) = (0, (0..STEP as u16).collect());
        for step in 0..1000u32 {
            let most = candidates.most;
            candidates.take(step * STEP as u32, &[1000; STEP], &positions);
            dropped += usize::from(candidates.most > most);
        }
        assert_eq!(candidates.finish().len(), 1000 * STEP);
        assert!(dropped <= 10, "moved about {dropped} times");
    }

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
                let (sums, positions): (Vec<u16>, Vec<u16>) = reached.unzip();
                candidates.take(first, &sums, &positions);
            }
            let found: Vec<u32> = candidates.finish().iter().map(|&(passage, _)| passage).collect();
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
