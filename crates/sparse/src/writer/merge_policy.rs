//! Decides which segments are merged in the background.
//!
//! Every segment costs a search about a microsecond, and every merge writes its passages again. Merging segments of
//! about the same size balances the two: both the number of segments and the number of times that a passage is written
//! grow with the logarithm of the number of passages.
//!
//! Segments are sorted by size and divided into groups. A segment starts a new group if it has more passages than all
//! smaller segments together; otherwise it belongs to the group of the next smaller one. If a group has at least
//! [`MIN_GROUP`] segments, they are merged. So at most `MIN_GROUP - 1` segments remain in each group, and each group has
//! more passages than all smaller groups together.
//!
//! tantivy's `LogMergePolicy` merges eight segments of about the same size. After commits of equal size, it leaves about
//! twice as many segments. It also counts all segments below 10,000 passages as equal, so it writes passages that are
//! committed one by one more often.

use tantivy::SegmentMeta;
use tantivy::indexer::{MergeCandidate, MergePolicy};

/// The number of segments of about the same size that are merged.
const MIN_GROUP: usize = 4;

/// Segments with at most this many passages are always in the same group, because the time to merge them is mostly that
/// of creating files.
const SMALL: u64 = 1000;

/// A segment is rewritten without its deleted passages if they are more than this fraction of its passages: a numerator
/// and a denominator.
const MAX_DELETED: (u64, u64) = (1, 3);

/// Larger segments are merged only by [`IndexWriter::merge`](super::IndexWriter::merge): merging them takes minutes, and
/// meanwhile they take up twice their space on the disk.
const MAX_PASSAGES: u64 = 10_000_000;

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

struct Size<S> {
    segment: S,
    /// The passages that are not deleted.
    passages: u64,
    deleted: u64,
}

/// Returns the sets of segments to merge, each segment at most once.
fn candidates<S: Copy + Ord>(mut sizes: Vec<Size<S>>) -> Vec<Vec<S>> {
    sizes.retain(|size| size.passages <= MAX_PASSAGES);
    sizes.sort_unstable_by_key(|size| (size.passages, size.segment));
    let mut groups: Vec<Vec<Size<S>>> = Vec::new();
    let mut smaller = 0;
    for size in sizes {
        let passages = size.passages;
        match groups.last_mut() {
            Some(group) if passages <= smaller.max(SMALL) => group.push(size),
            _ => groups.push(vec![size]),
        }
        smaller += passages;
    }
    groups.into_iter().flat_map(candidates_of_group).collect()
}

fn candidates_of_group<S: Copy>(group: Vec<Size<S>>) -> Vec<Vec<S>> {
    if group.len() >= MIN_GROUP {
        return vec![group.iter().map(|size| size.segment).collect()];
    }
    let (numerator, denominator) = MAX_DELETED;
    let has_many_deleted =
        |size: &Size<S>| size.deleted * denominator > (size.passages + size.deleted) * numerator;
    group.into_iter().filter(has_many_deleted).map(|size| vec![size.segment]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// The sizes of segments by number, and how many passages were written.
    #[derive(Default)]
    struct Model {
        segments: BTreeMap<u32, u64>,
        next: u32,
        committed: u64,
        merged: u64,
        max_segments: usize,
    }

    impl Model {
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
        // Commits, passages per commit, the most segments at any time, and how often a passage is written again.
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
            let got = format!("{commits} × {passages}: {} segments, {rewrites}", model.max_segments);
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
    fn commits_of_any_size_leave_a_number_of_segments_that_grows_with_the_logarithm() {
        let mut state = 1_u64;
        for spread in 0..20 {
            let mut model = Model::default();
            for _ in 0..300 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                model.commit(1 << ((state >> 40) % (spread + 1)));
                // Each group is larger than all smaller ones together and has at most three segments.
                let groups = 2 + (model.committed / SMALL).max(1).ilog2() as usize;
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
        let of = |deleted| candidates(vec![Size { segment: 7, passages: 600, deleted }]);
        assert_eq!(of(300), [] as [Vec<i32>; 0]);
        assert_eq!(of(301), [[7]]);
    }

    #[test]
    fn segments_above_the_limit_are_not_merged() {
        let of = |passages| {
            candidates((0..4).map(|segment| Size { segment, passages, deleted: passages }).collect())
        };
        assert_eq!(of(MAX_PASSAGES), [[0, 1, 2, 3]]);
        assert_eq!(of(MAX_PASSAGES + 1), [] as [Vec<i32>; 0]);
    }
}
