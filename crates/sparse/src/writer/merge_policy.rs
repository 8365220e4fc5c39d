//! Decides which segments are merged in the background.
//!
//! Every segment adds about a microsecond to each search, and every merge writes the merged passages again. Merging
//! segments of about the same size balances the two costs: both the number of segments and the number of times that a
//! passage is written grow with the logarithm of the number of passages.
//!
//! Segments are sorted by size and divided into groups. A segment starts a new group if it has more passages than all
//! smaller segments together; otherwise it belongs to the group of the next smaller one. If a group has at least
//! [`MIN_GROUP`] segments, they are merged. So at most `MIN_GROUP - 1` segments remain in each group, and each group has
//! more passages than all smaller groups together.
//!
//! tantivy's `LogMergePolicy` merges eight segments of about the same size. After commits of equal size, it leaves about
//! twice as many segments as this policy. It also treats all segments below 10,000 passages as equal in size, so it
//! rewrites passages that are committed one at a time more often.

use tantivy::SegmentMeta;
use tantivy::indexer::{MergeCandidate, MergePolicy};

/// Minimum number of segments in a group that is merged.
const MIN_GROUP: usize = 4;

/// Segments with at most this many passages are always in the same group, because most of the time to merge them is
/// spent on creating files.
const MAX_SMALL_PASSAGES: u64 = 1000;

/// A segment is rewritten without its deleted passages if they are more than this fraction of all its passages. The
/// fraction is a numerator and a denominator.
const MAX_DELETED_FRACTION: (u64, u64) = (1, 3);

/// Maximum number of passages in a segment that is merged in the background. Only
/// [`IndexWriter::merge`](super::IndexWriter::merge) merges larger segments, because merging them takes minutes and
/// meanwhile doubles their disk space.
const MAX_MERGED_PASSAGES: u64 = 10_000_000;

/// Merges segments of about the same size, and segments with many deleted passages.
#[derive(Debug)]
pub(super) struct GeometricMergePolicy;

impl MergePolicy for GeometricMergePolicy {
    fn compute_merge_candidates(&self, segments: &[SegmentMeta]) -> Vec<MergeCandidate> {
        let sizes = segments.iter().map(|segment| Size {
            segment: segment.id(),
            passages: u64::from(segment.num_docs()),
            deleted: u64::from(segment.num_deleted_docs()),
        });
        candidates(sizes.collect()).into_iter().map(MergeCandidate).collect()
    }
}

/// The size of a segment. `S` is the type of its id.
struct Size<S> {
    segment: S,
    /// Number of passages that are not deleted.
    passages: u64,
    /// Number of deleted passages.
    deleted: u64,
}

/// Returns the sets of segments to merge. Each segment is in at most one set.
fn candidates<S: Copy + Ord>(mut sizes: Vec<Size<S>>) -> Vec<Vec<S>> {
    sizes.retain(|size| size.passages <= MAX_MERGED_PASSAGES);
    sizes.sort_unstable_by_key(|size| (size.passages, size.segment));
    let mut groups: Vec<Vec<Size<S>>> = Vec::new();
    let mut smaller = 0;
    for size in sizes {
        let passages = size.passages;
        match groups.last_mut() {
            Some(group) if passages <= smaller.max(MAX_SMALL_PASSAGES) => group.push(size),
            _ => groups.push(vec![size]),
        }
        smaller += passages;
    }
    groups.into_iter().flat_map(candidates_of_group).collect()
}

/// Returns the whole group if it is large enough to be merged; otherwise, each of its segments with many deleted
/// passages as a set of its own.
fn candidates_of_group<S: Copy>(group: Vec<Size<S>>) -> Vec<Vec<S>> {
    if group.len() >= MIN_GROUP {
        return vec![group.iter().map(|size| size.segment).collect()];
    }
    let (numerator, denominator) = MAX_DELETED_FRACTION;
    let has_many_deleted =
        |size: &Size<S>| size.deleted * denominator > (size.passages + size.deleted) * numerator;
    group.into_iter().filter(has_many_deleted).map(|size| vec![size.segment]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Simulates an index: only the sizes of its segments, and how many passages were written.
    #[derive(Default)]
    struct Model {
        /// Number of passages of each segment, by the segment's number.
        segments: BTreeMap<u32, u64>,
        /// The number of the next segment.
        next: u32,
        /// Number of passages written by commits.
        committed: u64,
        /// Number of passages written by merges.
        merged: u64,
        /// Maximum number of segments after a commit and its merges.
        max_segments: usize,
    }

    impl Model {
        /// Adds a segment and then merges for as long as the policy has candidates.
        fn commit(&mut self, passages: u64) {
            self.push(passages);
            self.committed += passages;
            self.merge();
            self.max_segments = self.max_segments.max(self.segments.len());
        }

        fn push(&mut self, passages: u64) {
            self.segments.insert(self.next, passages);
            self.next += 1;
        }

        fn merge(&mut self) {
            loop {
                let sizes =
                    self.segments.iter().map(|(&segment, &passages)| Size { segment, passages, deleted: 0 });
                let merges = candidates(sizes.collect());
                if merges.is_empty() {
                    break;
                }
                for segments in merges {
                    let passages =
                        segments.iter().map(|id| self.segments.remove(id).expect("merged once")).sum();
                    self.merged += passages;
                    self.push(passages);
                }
            }
        }

        fn sizes(&self) -> Vec<u64> {
            self.segments.values().copied().collect()
        }
    }

    #[test]
    fn few_segments_remain_and_passages_are_rarely_written_again() {
        // Number of commits, number of passages per commit, maximum number of segments after any commit, and maximum
        // number of times that a passage is rewritten by merges, on average.
        for (commits, passages, max_segments, max_rewrites) in [
            (50, 1000, 6, 2.5),
            (100, 1000, 7, 3.0),
            (1000, 1000, 10, 4.5),
            (100, 10_000, 7, 3.0),
            (1000, 100, 9, 6.0),
        ] {
            let mut model = Model::default();
            for _ in 0..commits {
                model.commit(passages);
            }
            let rewrites = model.merged as f64 / model.committed as f64;
            let got = format!("{commits} × {passages}: {} segments, {rewrites} rewrites", model.max_segments);
            assert!(model.max_segments <= max_segments && rewrites <= max_rewrites, "{got}");
            assert_eq!(model.sizes().iter().sum::<u64>(), model.committed);
        }
    }

    #[test]
    fn a_large_segment_stays_as_it_is_while_small_ones_are_merged() {
        let mut model = Model::default();
        model.commit(1_000_000);
        for _ in 0..30 {
            model.commit(1);
        }
        assert!(model.sizes().contains(&1_000_000) && model.max_segments <= 4, "{:?}", model.sizes());
    }

    #[test]
    fn with_commits_of_any_size_the_number_of_segments_grows_with_the_logarithm_of_the_passages() {
        let mut state = 1_u64;
        for spread in 0..20 {
            let mut model = Model::default();
            for _ in 0..300 {
                // A linear congruential generator, with Knuth's constants. A commit has 1 to 2^spread passages.
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                model.commit(1 << ((state >> 40) % (spread + 1)));
                // Each group is larger than all smaller groups together and has at most three segments.
                let groups = 2 + (model.committed / MAX_SMALL_PASSAGES).max(1).ilog2() as usize;
                assert!(model.segments.len() < MIN_GROUP * groups, "{:?}", model.sizes());
            }
        }
    }

    #[test]
    fn many_equal_segments_above_a_smaller_one_are_merged() {
        let sizes = [1000, 5000, 5000, 5000, 5000, 5000];
        let sizes = sizes.iter().zip(0..).map(|(&passages, segment)| Size { segment, passages, deleted: 0 });
        assert_eq!(candidates(sizes.collect()), [vec![1, 2, 3, 4, 5]]);
    }

    #[test]
    fn a_segment_with_many_deleted_passages_is_rewritten() {
        let with_deleted = |deleted| candidates(vec![Size { segment: 7, passages: 600, deleted }]);
        assert_eq!(with_deleted(300), [] as [Vec<i32>; 0]);
        assert_eq!(with_deleted(301), [[7]]);
    }

    #[test]
    fn segments_above_the_limit_are_not_merged() {
        let four_segments_of = |passages| {
            candidates((0..4).map(|segment| Size { segment, passages, deleted: passages }).collect())
        };
        assert_eq!(four_segments_of(MAX_MERGED_PASSAGES), [[0, 1, 2, 3]]);
        assert_eq!(four_segments_of(MAX_MERGED_PASSAGES + 1), [] as [Vec<i32>; 0]);
    }
}
