//! Measures how many passages two runs have in common, as in Table 2 of Ma et al., 2021, "A Replication Study of Dense
//! Passage Retriever".
//!
//! ```
//! use control::Control;
//! use evaluation::jaccard_at;
//! use ranking::{Run, ScoredId};
//!
//! let mut dense = Run::new();
//! let mut sparse = Run::new();
//! for (id, score) in [("a", 2.0), ("b", 1.0)] {
//!     dense.push("q", ScoredId { id: id.into(), score });
//! }
//! for (id, score) in [("b", 9.0), ("c", 8.0)] {
//!     sparse.push("q", ScoredId { id: id.into(), score });
//! }
//! let overlap = jaccard_at(&dense, &sparse, &[1, 2], &Control::new())?;
//! assert_eq!(overlap.means, [0.0, 1.0 / 3.0]); // k = 1: {a} and {b}; k = 2: {a, b} and {b, c} share 1 of 3
//! assert_eq!((overlap.queries.len(), overlap.missing), (1, 0));
//! # Ok::<(), evaluation::Error>(())
//! ```

use std::collections::HashMap;

use control::Control;
use ranking::{Run, ScoredId};

use crate::error::{Error, no_common_query};
use crate::trec_order::check_distinct;

/// The overlap of two runs, for each of several cut-offs k.
#[derive(Debug, Clone, PartialEq)]
pub struct Overlap {
    /// For each cut-off, the mean overlap of the queries that both runs have, from 0 to 1.
    pub means: Vec<f64>,
    /// Queries that both runs have, in the order of the first run.
    pub queries: Vec<String>,
    /// The overlap of each query at each cut-off: `values[i][j]` belongs to `queries[i]` and the j-th cut-off.
    pub values: Vec<Vec<f64>>,
    /// Number of queries that only one run has. These queries are ignored.
    pub missing: usize,
}

/// Returns for each k the mean overlap of the queries that both runs have. The overlap of a query is the Jaccard index
/// |A ∩ B| / |A ∪ B|, where A and B are the query's first k hits in the two runs.
///
/// The order of the hits in a run decides which hits are the first k; their scores are ignored. If a list has fewer
/// than k hits, all of them are used; two empty lists have an overlap of 1. Progress counts queries of `a`.
///
/// # Errors
///
/// [`Error::Argument`] if a k is 0; [`Error::NoCommonQuery`] if the runs have no query in common; [`Error::Duplicate`]
/// if a list of a common query has a passage twice; [`Error::Canceled`].
pub fn jaccard_at(a: &Run, b: &Run, ks: &[usize], control: &Control) -> Result<Overlap, Error> {
    if ks.contains(&0) {
        return Err(Error::Argument { what: "k", expected: "at least 1".into(), got: "0".into() });
    }
    control.set_total(a.len() as u64);
    let mut sums = vec![0.0; ks.len()];
    let (mut queries, mut values) = (Vec::new(), Vec::new());
    for (query, hits) in a.iter() {
        control.check()?;
        control.advance(1);
        let Some(others) = b.get(query) else { continue };
        check_distinct(query, hits)?;
        check_distinct(query, others)?;
        let common = CommonPassages::new(hits, others);
        let overlaps: Vec<f64> = ks.iter().map(|&k| common.jaccard(k)).collect();
        sums.iter_mut().zip(&overlaps).for_each(|(sum, overlap)| *sum += overlap);
        queries.push(query.to_owned());
        values.push(overlaps);
    }
    if queries.is_empty() {
        let (a, b) = (a.iter().map(|(query, _)| query), b.iter().map(|(query, _)| query));
        return Err(no_common_query("runs", a, b));
    }
    let means = sums.iter().map(|sum| sum / queries.len() as f64).collect();
    let missing = a.len() + b.len() - 2 * queries.len();
    Ok(Overlap { means, queries, values, missing })
}

/// The passages that two lists of one query have in common, for every k.
struct CommonPassages {
    /// The number of hits in each list.
    lengths: [usize; 2],
    /// For each common passage, the smallest k for which the passage is among the first k hits of both lists. Sorted
    /// in ascending order.
    min_ks: Vec<usize>,
}

impl CommonPassages {
    fn new(a: &[ScoredId], b: &[ScoredId]) -> Self {
        let ranks: HashMap<&str, usize> = b.iter().map(|hit| hit.id.as_str()).zip(1..).collect();
        let common =
            (1..).zip(a).filter_map(|(rank, hit)| Some(ranks.get(hit.id.as_str())?.max(&rank).to_owned()));
        let mut min_ks: Vec<usize> = common.collect();
        min_ks.sort_unstable();
        Self { lengths: [a.len(), b.len()], min_ks }
    }

    /// Returns the Jaccard index of the first k hits of both lists.
    fn jaccard(&self, k: usize) -> f64 {
        let common = self.min_ks.partition_point(|&min_k| min_k <= k);
        let union = self.lengths.map(|length| length.min(k)).iter().sum::<usize>() - common;
        if union == 0 { 1.0 } else { common as f64 / union as f64 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn run(queries: &[(&str, &[(&str, f32)])]) -> Run {
        let mut run = Run::new();
        for &(query, hits) in queries {
            run.insert(query, hits.iter().map(|&(id, score)| ScoredId { id: id.into(), score }).collect());
        }
        run
    }

    fn overlap(a: &Run, b: &Run, ks: &[usize]) -> Result<Overlap, Error> {
        jaccard_at(a, b, ks, &Control::new())
    }

    #[test]
    fn only_shared_queries_and_the_first_k_hits_count() {
        let a = run(&[("q1", &[("y", 3.0), ("x", 1.0)]), ("q2", &[("x", 1.0)]), ("q3", &[("x", 1.0)])]);
        let b = run(&[("q2", &[("z", 1.0)]), ("q1", &[("y", 1.0), ("z", 0.5)])]);
        // k = 1: q1 has {y} and {y}, q2 has {x} and {z}. k = 20: q1 has {y, x} and {y, z}, which share 1 of 3.
        let found = overlap(&a, &b, &[1, 20]).expect("they share queries");
        assert_eq!(found.means, [0.5, (1.0 / 3.0) / 2.0]);
        assert_eq!(found.queries, ["q1", "q2"]);
        assert_eq!(found.values, [[1.0, 1.0 / 3.0], [0.0, 0.0]]);
        assert_eq!(found.missing, 1);
        let found = overlap(&b, &a, &[1]).expect("they share queries");
        assert_eq!(
            (found.means, found.queries, found.missing),
            (vec![0.5], vec!["q2".to_owned(), "q1".to_owned()], 1)
        );
        let found = overlap(&a, &a, &[1000]).expect("they share queries");
        assert_eq!((found.means, found.queries.len(), found.missing), (vec![1.0], 3, 0));
    }

    #[test]
    fn passages_with_equal_scores_keep_the_order_of_the_list() {
        // trec_eval would rank both lists as c, b, a.
        let a = run(&[("q", &[("a", 1.0), ("b", 1.0), ("c", 1.0)])]);
        let b = run(&[("q", &[("a", 1.0), ("c", 1.0), ("b", 1.0)])]);
        assert_eq!(overlap(&a, &b, &[1, 2]).expect("they share q").means, [1.0, 1.0 / 3.0]);
    }

    #[test]
    fn a_list_that_has_a_passage_twice_is_refused() {
        let a = run(&[("q", &[("a", 2.0), ("a", 1.0)])]);
        let error = overlap(&a, &a, &[1]).expect_err("refused");
        assert_eq!(error.to_string(), "hits of query \"q\": expected every passage once, got \"a\" twice");
    }

    #[test]
    fn two_empty_lists_overlap_fully_and_an_empty_list_does_not_overlap_a_nonempty_one() {
        let empty = run(&[("q", &[])]);
        assert_eq!(overlap(&empty, &empty, &[5]).map(|overlap| overlap.means), Ok(vec![1.0]));
        assert_eq!(
            overlap(&empty, &run(&[("q", &[("x", 1.0)])]), &[5]).map(|overlap| overlap.means),
            Ok(vec![0.0])
        );
    }

    #[test]
    fn invalid_arguments_are_refused_and_work_can_be_canceled() {
        let message = |a: &Run, b: &Run, k| overlap(a, b, &[k]).expect_err("refused").to_string();
        let (a, b) = (run(&[("1", &[])]), run(&[("q1", &[])]));
        assert_eq!(message(&a, &a, 0), "k: expected at least 1, got 0");
        assert_eq!(message(&a, &b, 1), "runs: expected queries in common, got \"1\" and \"q1\"");
        let control = Control::new();
        control.cancel();
        assert!(matches!(jaccard_at(&a, &a, &[1], &control), Err(Error::Canceled(_))));
    }

    proptest! {
        #[test]
        fn the_overlap_at_every_cut_off_agrees_with_set_operations(
            a in prop::sample::subsequence((0..30).collect::<Vec<u8>>(), 0..20).prop_shuffle(),
            b in prop::sample::subsequence((0..30).collect::<Vec<u8>>(), 0..20).prop_shuffle(),
        ) {
            let run = |ids: &[u8]| {
                let mut run = Run::new();
                let hits = ids.iter().zip(0u8..);
                let hits = hits.map(|(id, rank)| ScoredId { id: id.to_string(), score: -f32::from(rank) });
                run.insert("q", hits.collect());
                run
            };
            let ks = [7, 1, 2, 20, 1000, 3];
            let expected = ks.map(|k| {
                let [a, b] = [&a, &b].map(|ids| ids.iter().take(k).collect::<HashSet<&u8>>());
                let all = a.union(&b).count();
                if all == 0 { 1.0 } else { a.intersection(&b).count() as f64 / all as f64 }
            });
            prop_assert_eq!(overlap(&run(&a), &run(&b), &ks).expect("they share q").means, expected);
        }
    }
}
