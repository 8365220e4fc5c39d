//! How much two runs retrieve the same passages (Ma et al., 2021).
//!
//! ```
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
//! let overlap = jaccard_at(&dense, &sparse, 2)?;
//! assert_eq!((overlap.mean, overlap.queries), (1.0 / 3.0, 1)); // b, of a, b and c
//! # Ok::<(), evaluation::Error>(())
//! ```

use std::collections::HashSet;

use ranking::{Run, ScoredId};

use crate::error::{Error, no_common_query};
use crate::trec_order::trec_order;

/// The overlap of two runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Mean over the queries that both runs have, from 0 to 1.
    pub mean: f64,
    /// How many those are.
    pub queries: usize,
}

/// The mean Jaccard overlap |A ∩ B| / |A ∪ B| of the first `k` hits, over the queries that both runs have.
///
/// Hits are ranked as [`evaluate`](crate::evaluate()) ranks them. Two empty lists overlap fully.
///
/// # Errors
///
/// [`Error::Argument`] if `k` is 0, [`Error::NoCommonQuery`] if the runs share none, [`Error::Duplicate`]
/// and [`Error::NotANumber`] for hits of shared queries that cannot be ranked.
pub fn jaccard_at(a: &Run, b: &Run, k: usize) -> Result<Overlap, Error> {
    if k == 0 {
        return Err(Error::Argument { what: "k", expected: "at least 1".into(), got: k.to_string() });
    }
    let mut sum = 0.0;
    let mut queries = 0_usize;
    for (query, hits) in a.iter() {
        let Some(others) = b.get(query) else { continue };
        sum += jaccard(&top(query, hits, k)?, &top(query, others, k)?);
        queries += 1;
    }
    if queries == 0 {
        let (a, b) = (a.iter().map(|(query, _)| query), b.iter().map(|(query, _)| query));
        return Err(no_common_query("runs", a, b));
    }
    Ok(Overlap { mean: sum / queries as f64, queries })
}

fn top<'r>(query: &str, hits: &'r [ScoredId], k: usize) -> Result<HashSet<&'r str>, Error> {
    Ok(trec_order(query, hits)?.into_iter().take(k).map(|hit| hit.id.as_str()).collect())
}

fn jaccard(a: &HashSet<&str>, b: &HashSet<&str>) -> f64 {
    let common = a.intersection(b).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(queries: &[(&str, &[(&str, f32)])]) -> Run {
        let mut run = Run::new();
        for &(query, hits) in queries {
            run.insert(query, hits.iter().map(|&(id, score)| ScoredId { id: id.into(), score }).collect());
        }
        run
    }

    #[test]
    fn only_shared_queries_and_the_first_k_hits_count() {
        let a = run(&[("q1", &[("x", 1.0), ("y", 3.0)]), ("q2", &[("x", 1.0)]), ("q3", &[("x", 1.0)])]);
        let b = run(&[("q2", &[("z", 1.0)]), ("q1", &[("y", 1.0), ("z", 0.5)])]);
        // q1: {y} and {y}; q2: {x} and {z}.
        assert_eq!(jaccard_at(&a, &b, 1), Ok(Overlap { mean: 0.5, queries: 2 }));
        // q1: {y, x} and {y, z} share 1 of 3.
        assert_eq!(jaccard_at(&a, &b, 20), Ok(Overlap { mean: (1.0 / 3.0) / 2.0, queries: 2 }));
        assert_eq!(jaccard_at(&a, &a, 1000), Ok(Overlap { mean: 1.0, queries: 3 }));
    }

    #[test]
    fn empty_lists_overlap_fully_and_an_empty_one_with_no_other() {
        let empty = run(&[("q", &[])]);
        assert_eq!(jaccard_at(&empty, &empty, 5).map(|overlap| overlap.mean), Ok(1.0));
        assert_eq!(jaccard_at(&empty, &run(&[("q", &[("x", 1.0)])]), 5).map(|overlap| overlap.mean), Ok(0.0));
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let message = |a: &Run, b: &Run, k| jaccard_at(a, b, k).expect_err("it has no meaning").to_string();
        let (a, b) = (run(&[("1", &[])]), run(&[("q1", &[])]));
        assert_eq!(message(&a, &a, 0), "k: expected at least 1, got 0");
        assert_eq!(message(&a, &b, 1), "runs: expected queries in common, got \"1\" and \"q1\"");
    }
}
