//! Fuses the lists of one query, the lists of many queries, or whole runs.

use control::Control;
use ranking::{AlignedRuns, Hit, RetrievedRun};
use rayon::prelude::*;

use crate::union::Union;
use crate::{Error, Method};

/// Minimum number of queries for which several threads are used: waking a thread takes as long as fusing a few queries.
const MIN_PARALLEL_QUERIES: usize = 4;

/// Computes a fused score for each passage that is in any of the lists, and returns the `k` best hits, best first.
///
/// Each list must be sorted, best first. If fused scores are equal, the passage that appears first when the lists are
/// read one after another ranks first. If a list has a passage twice, the first hit counts.
///
/// # Errors
///
/// [`Error::Argument`] if a weight is not finite, if the number of weights differs from the number of lists, or if the
/// constant of reciprocal rank fusion is negative or not finite.
pub fn fuse(lists: &[&[Hit]], method: &Method, k: usize) -> Result<Vec<Hit>, Error> {
    let mut union = Union::new();
    union.fill(lists);
    Ok(union.top_k(&method.scores(&union)?, k))
}

/// Fuses the lists of each query, as [`fuse()`] does. Four or more queries are fused on all threads.
///
/// # Errors
///
/// Those of [`fuse()`]; [`Error::Canceled`].
pub fn fuse_many(
    queries: &[Vec<&[Hit]>],
    method: &Method,
    k: usize,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let fuse_query = |union: &mut Union, lists: &Vec<&[Hit]>| {
        control.check()?;
        union.fill(lists);
        Ok(union.top_k(&method.scores(union)?, k))
    };
    if queries.len() < MIN_PARALLEL_QUERIES {
        let mut union = Union::new();
        return queries.iter().map(|lists| fuse_query(&mut union, lists)).collect();
    }
    queries.par_iter().map_init(Union::new, fuse_query).collect()
}

/// Fuses several runs, query by query, as [`fuse()`] does. Uses the first `depth` hits of each list. Queries are in the
/// order of first appearance. A run that lacks a query has an empty list for it.
///
/// # Errors
///
/// Those of [`fuse_many()`]; [`Error::Ranking`] if the ids of passages cannot be read.
pub fn fuse_runs(
    runs: &[RetrievedRun],
    depth: usize,
    method: &Method,
    k: usize,
    control: &Control,
) -> Result<RetrievedRun, Error> {
    let runs = AlignedRuns::new(runs, depth)?;
    let lists: Vec<Vec<&[Hit]>> = (0..runs.queries.len()).map(|query| runs.lists_of(query)).collect();
    let fused = fuse_many(&lists, method, k, control)?;
    Ok(RetrievedRun::new(runs.queries, fused, Box::new(runs.interner))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ranking::{Run, ScoredId, by_rank};

    fn list(hits: &[(u32, f32)]) -> Vec<Hit> {
        hits.iter().map(|&(ord, score)| Hit { ord, score }).collect()
    }

    #[test]
    fn ties_are_broken_by_first_appearance() {
        // All three passages have the fused score 1.
        let (a, b) = (list(&[(9, 1.0), (4, 0.0)]), list(&[(2, 1.0), (4, 1.0)]));
        let fused = fuse(&[&a, &b], &Method::hybrid(1.0), 10).expect("fuses");
        assert_eq!(fused.iter().map(|hit| hit.ord).collect::<Vec<_>>(), [9, 4, 2]);
    }

    #[test]
    fn a_passage_that_occurs_twice_in_a_list_counts_once() {
        let twice = list(&[(1, 5.0), (1, 4.0)]);
        let fused = fuse(&[&twice, &[]], &Method::hybrid(1.0), 10).expect("fuses");
        assert_eq!(fused, list(&[(1, 5.0)]));
    }

    #[test]
    fn runs_are_fused_by_passage_id_and_a_run_without_a_query_adds_nothing_to_it() {
        let run = |lists: &[(&str, &[(&str, f32)])]| -> RetrievedRun {
            let mut run = Run::new();
            for &(query, hits) in lists {
                let hits = hits.iter().map(|&(id, score)| ScoredId { id: id.to_owned(), score });
                run.insert(query, hits.collect());
            }
            run.into()
        };
        let runs = [
            run(&[("q1", &[("a", 3.0), ("b", 2.0), ("c", 1.0)])]),
            run(&[("q2", &[("d", 1.0)]), ("q1", &[("b", 4.0), ("e", 1.0)])]),
        ];
        let fused = fuse_runs(&runs, 2, &Method::hybrid(1.0), 2, &Control::new()).expect("two lists");
        // The depth is 2. b has 2 + 4. c is not among the first two hits of its list.
        let expected = run(&[("q1", &[("b", 6.0), ("a", 3.0)]), ("q2", &[("d", 1.0)])]);
        assert_eq!(*fused.to_run().expect("ids are found"), *expected.to_run().expect("ids are found"));
    }

    proptest! {
        #[test]
        fn the_best_k_hits_are_the_first_k_of_the_full_ranking(
            a in prop::collection::vec((0u32..40, -5i8..5), 0..40),
            b in prop::collection::vec((0u32..40, -5i8..5), 0..40),
            k in 0usize..50,
        ) {
            let lists = [a, b].map(|hits| {
                let hits = hits.into_iter().map(|(ord, score)| Hit { ord, score: score.into() });
                let mut hits: Vec<Hit> = hits.collect();
                hits.sort_by(by_rank);
                hits
            });
            let lists = [lists[0].as_slice(), &lists[1]];
            for method in [Method::dpr_hybrid(1.1), Method::hybrid_norm(0.7), Method::reciprocal_rank(60.0)] {
                let mut expected = fuse(&lists, &method, usize::MAX).expect("fuses");
                expected.truncate(k);
                prop_assert_eq!(fuse(&lists, &method, k).expect("fuses"), expected);
            }
        }
    }
}
