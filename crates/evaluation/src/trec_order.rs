//! The order in which trec_eval ranks hits.

use std::cmp::Ordering;
use std::collections::HashSet;

use ranking::ScoredId;

use crate::error::Error;

/// Ranks a query's hits as trec_eval does: by score, highest first. Ties are broken by passage id, largest first in
/// byte order. The order in which the hits are stored has no effect.
///
/// # Errors
///
/// [`Error::NotANumber`] if a score is NaN; [`Error::Duplicate`] if a passage occurs twice.
pub(crate) fn trec_order<'r>(query: &str, hits: &'r [ScoredId]) -> Result<Vec<&'r ScoredId>, Error> {
    if let Some(ScoredId { id, .. }) = hits.iter().find(|hit| hit.score.is_nan()) {
        return Err(Error::NotANumber { query: query.to_owned(), passage: id.clone() });
    }
    check_distinct(query, hits)?;
    let mut ranked: Vec<&ScoredId> = hits.iter().collect();
    // `total_cmp` would rank 0.0 before -0.0, which are equal in trec_eval.
    let by_score = |a: &ScoredId, b: &ScoredId| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal);
    ranked.sort_unstable_by(|a, b| by_score(a, b).then_with(|| b.id.cmp(&a.id)));
    Ok(ranked)
}

/// Fails with [`Error::Duplicate`] if a list has a passage twice.
pub(crate) fn check_distinct(query: &str, hits: &[ScoredId]) -> Result<(), Error> {
    let mut seen = HashSet::with_capacity(hits.len());
    match hits.iter().find(|hit| !seen.insert(hit.id.as_str())) {
        Some(ScoredId { id, .. }) => Err(Error::Duplicate { query: query.to_owned(), passage: id.clone() }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: &str, score: f32) -> ScoredId {
        ScoredId { id: id.into(), score }
    }

    #[test]
    fn hits_with_equal_scores_rank_by_descending_id() {
        let hits = [hit("p10", 1.0), hit("p9", 1.0), hit("é", 0.0), hit("z", -0.0), hit("a", f32::INFINITY)];
        let ranked = trec_order("q", &hits).expect("the hits are valid");
        assert_eq!(
            ranked.iter().map(|hit| hit.id.as_str()).collect::<Vec<_>>(),
            ["a", "p9", "p10", "é", "z"]
        );
    }

    #[test]
    fn a_duplicate_passage_and_a_score_of_nan_are_refused() {
        let message =
            |hits: &[ScoredId]| trec_order("q1", hits).expect_err("they cannot be ranked").to_string();
        assert_eq!(
            message(&[hit("a", 2.0), hit("b", 1.5), hit("a", 1.0)]),
            "hits of query \"q1\": expected every passage once, got \"a\" twice"
        );
        assert_eq!(
            message(&[hit("a", f32::NAN)]),
            "hits of query \"q1\": expected scores that are numbers, got NaN for passage \"a\""
        );
    }
}
