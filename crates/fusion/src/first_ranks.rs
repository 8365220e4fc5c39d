//! Finds the rank of the first relevant passage for each question under many fusion methods, so that weights can be
//! tuned on a grid.
//!
//! These ranks give the top-k accuracy for every k up to `max_rank`, and the reciprocal rank. No fused list is sorted:
//! the first relevant passage is the one with the highest fused score, and its rank is one more than the number of
//! passages that rank before it.

use std::cmp::Reverse;

use control::Control;
use ranking::Hit;
use rayon::prelude::*;

use crate::union::Union;
use crate::{Error, Linear, Method};

/// Number of scores that are compared between two checks of whether the rank exceeds `max_rank`. The loop over these
/// scores has no early exit, so the compiler vectorizes it.
const SCORES_PER_CHECK: usize = 128;

/// The lists of one question, with its relevance judgments.
#[derive(Debug, Clone)]
pub struct JudgedQuestion<'a> {
    /// The hits of each searcher, best first.
    pub lists: Vec<&'a [Hit]>,
    /// The ords of the relevant passages, in ascending order. Hits in `lists` use the same ords.
    pub relevant: &'a [u32],
}

/// Returns for each method and each question, as `[methods][questions]`, the rank of the question's first relevant
/// passage in the list that [`fuse`](crate::fuse()) would return. Ranks start at 1. A 0 means that no relevant passage
/// has a rank up to `max_rank`.
///
/// Methods that differ only in their weights should be adjacent in `methods`: the normalized scores are computed once
/// for all of them. Progress counts questions; the caller sets the total.
///
/// # Errors
///
/// Those of [`fuse`](crate::fuse()); [`Error::Canceled`].
pub fn first_ranks(
    questions: &[JudgedQuestion<'_>],
    methods: &[Method],
    max_rank: usize,
    control: &Control,
) -> Result<Vec<Vec<u32>>, Error> {
    let ranks = questions.par_iter().map_init(Union::new, |union, question| {
        control.check()?;
        let ranks = question.first_ranks(union, methods, max_rank);
        control.advance(1);
        ranks
    });
    let by_question = ranks.collect::<Result<Vec<Vec<u32>>, Error>>()?;
    let by_method = |method: usize| by_question.iter().map(|ranks| ranks[method]).collect();
    Ok((0..methods.len()).map(by_method).collect())
}

impl JudgedQuestion<'_> {
    /// Returns the rank of the first relevant passage under each method.
    fn first_ranks(&self, union: &mut Union, methods: &[Method], max_rank: usize) -> Result<Vec<u32>, Error> {
        union.fill(&self.lists);
        let is_relevant = |(ord, _): &(&u32, u32)| self.relevant.binary_search(ord).is_ok();
        let relevant_slots: Vec<u32> =
            union.passages().iter().zip(0..).filter(is_relevant).map(|(_, slot)| slot).collect();
        let mut scores = vec![0.0; union.passages().len()];
        // The previous linear method and its list scores, which the next method can reuse if only the weights differ.
        let mut last: Option<(&Linear, Vec<Vec<f64>>)> = None;
        let mut ranks = Vec::with_capacity(methods.len());
        for method in methods {
            match method {
                Method::Linear(linear) => {
                    linear.check(self.lists.len())?;
                    let reusable = last.take().filter(|(other, _)| linear.has_same_scores(other));
                    let (_, list_scores) =
                        last.insert(reusable.unwrap_or_else(|| (linear, linear.list_scores(union))));
                    scores.fill(0.0);
                    linear.add_weighted(list_scores, &mut scores);
                }
                Method::ReciprocalRank(_) => scores = method.scores(union)?,
            }
            ranks.push(first_rank(&scores, &relevant_slots, max_rank));
        }
        Ok(ranks)
    }
}

/// Returns the rank, from 1, of the first relevant passage, or 0 if none has a rank up to `max_rank`. `scores` has one
/// entry per slot, which is the number of a passage in the union of the lists (`union.rs`).
fn first_rank(scores: &[f64], relevant_slots: &[u32], max_rank: usize) -> u32 {
    // Hits are ranked by `f32::total_cmp`. These integer keys have the same order, and are faster to compare.
    let key = |score: f64| {
        let bits = (score as f32).to_bits();
        if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
    };
    let best = relevant_slots.iter().map(|&slot| (key(scores[slot as usize]), Reverse(slot))).max();
    let Some((best_key, Reverse(best_slot))) = best else { return 0 };
    // At equal scores, a passage with an earlier slot ranks before the best relevant passage, and one with a later slot
    // ranks after it.
    let (earlier, later) = scores.split_at(best_slot as usize);
    let mut rank = 1;
    for (scores, min_key) in [(earlier, best_key), (later, best_key.saturating_add(1))] {
        for chunk in scores.chunks(SCORES_PER_CHECK) {
            rank += chunk.iter().map(|&score| u32::from(key(score) >= min_key)).sum::<u32>() as usize;
            if rank > max_rank {
                return 0;
            }
        }
    }
    if rank > max_rank { 0 } else { rank as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Normalization, fuse};
    use proptest::prelude::*;
    use ranking::by_rank;

    /// Generates lists that are sorted best first, have many equal scores, and can have a passage twice.
    fn list() -> impl Strategy<Value = Vec<Hit>> {
        prop::collection::vec((0u32..60, -6i8..6), 0..60).prop_map(|hits| {
            let mut hits: Vec<Hit> =
                hits.into_iter().map(|(ord, score)| Hit { ord, score: f32::from(score) / 2.0 }).collect();
            hits.sort_by(by_rank);
            hits
        })
    }

    proptest! {
        #[test]
        fn ranks_agree_with_the_fused_lists(
            questions in prop::collection::vec(
                (list(), list(), prop::collection::btree_set(0u32..70, 0..4)),
                0..4,
            ),
            max_rank in 0usize..70,
        ) {
            let mut methods: Vec<Method> = [0.0, 0.05, 0.5, 2.0, -1.0].map(Method::hybrid).to_vec();
            methods.extend([0.0, 0.3, 1.3].map(Method::hybrid_norm));
            methods.extend([Method::dpr_hybrid(1.1), Method::reciprocal_rank(60.0)]);
            methods.extend([0.2, 0.5].map(|alpha| Method::interpolate(alpha, Normalization::MinMax)));
            methods.push(Method::interpolate(0.4, Normalization::ZScore));
            let relevant: Vec<Vec<u32>> =
                questions.iter().map(|(_, _, relevant)| relevant.iter().copied().collect()).collect();
            let judged: Vec<JudgedQuestion<'_>> = questions
                .iter()
                .zip(&relevant)
                .map(|((a, b, _), relevant)| JudgedQuestion { lists: vec![a, b], relevant })
                .collect();
            let found = first_ranks(&judged, &methods, max_rank, &Control::new()).expect("valid methods");
            for (method, ranks) in methods.iter().zip(found) {
                for ((a, b, relevant), rank) in questions.iter().zip(ranks) {
                    let fused = fuse(&[a, b], method, max_rank).expect("a valid method");
                    let expected = fused.iter().position(|hit| relevant.contains(&hit.ord));
                    prop_assert_eq!(rank as usize, expected.map_or(0, |index| index + 1), "{:?}", method);
                }
            }
        }
    }

    #[test]
    fn a_weight_that_is_not_finite_is_refused() {
        let question = JudgedQuestion { lists: vec![&[], &[]], relevant: &[] };
        let found = first_ranks(&[question], &[Method::hybrid(f64::NAN)], 20, &Control::new());
        assert_eq!(found.expect_err("refused").to_string(), "weight: expected a finite number, got NaN");
    }
}
