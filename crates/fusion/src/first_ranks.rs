//! The rank of each question's first relevant passage under many fusion methods, for tuning weights on a grid.
//!
//! From these ranks follow the top-k accuracy at every k up to `max_rank`, and the reciprocal rank. No fused list is
//! sorted: only the best relevant passage can be the first relevant one, and its rank is one more than the number of
//! passages that beat it, which are counted.

use std::cmp::Reverse;

use control::Control;
use ranking::Hit;
use rayon::prelude::*;

use crate::union::Union;
use crate::{Error, Linear, Method};

/// Scores compared between two checks of the running rank; a fixed number, so that the compiler vectorizes the count.
const SCORES_PER_CHECK: usize = 128;

/// The lists of one question, with its relevance judgments.
#[derive(Debug, Clone)]
pub struct JudgedQuestion<'a> {
    /// The hits of each searcher, best first.
    pub lists: Vec<&'a [Hit]>,
    /// The ords of the relevant passages, in ascending order.
    pub relevant: &'a [u32],
}

/// Returns, for each method, the rank of each question's first relevant passage in the list that [`fuse`](crate::fuse())
/// would return: `[methods][questions]`, with ranks from 1. A rank is 0 if there is none up to `max_rank`.
///
/// The scores that lists give to passages are computed once for consecutive methods that differ only in their weights,
/// so such methods should be adjacent in `methods`.
///
/// # Errors
///
/// As [`fuse`](crate::fuse()); [`Error::Cancelled`].
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
    let ranks_of = |method: usize| by_question.iter().map(|ranks| ranks[method]).collect();
    Ok((0..methods.len()).map(ranks_of).collect())
}

impl JudgedQuestion<'_> {
    fn first_ranks(&self, union: &mut Union, methods: &[Method], max_rank: usize) -> Result<Vec<u32>, Error> {
        union.fill(&self.lists);
        let is_relevant = |(ord, _): &(&u32, u32)| self.relevant.binary_search(ord).is_ok();
        let relevant_slots: Vec<u32> =
            union.passages().iter().zip(0..).filter(is_relevant).map(|(_, slot)| slot).collect();
        let mut scores = vec![0.0; union.passages().len()];
        let mut filled: Option<(&Linear, Vec<Vec<f64>>)> = None;
        let mut ranks = Vec::with_capacity(methods.len());
        for method in methods {
            match method {
                Method::Linear(linear) => {
                    linear.check(self.lists.len())?;
                    let reusable = filled.take().filter(|(other, _)| linear.fills_like(other));
                    let (_, filled) =
                        filled.insert(reusable.unwrap_or_else(|| (linear, linear.fill_missing(union))));
                    scores.fill(0.0);
                    linear.add_weighted(filled, &mut scores);
                }
                Method::ReciprocalRank(_) => scores = method.scores(union)?,
            }
            ranks.push(first_rank(&scores, &relevant_slots, max_rank));
        }
        Ok(ranks)
    }
}

/// The rank of the first relevant slot, from 1; 0 if there is none up to `max_rank`.
fn first_rank(scores: &[f64], relevant_slots: &[u32], max_rank: usize) -> u32 {
    // An integer that orders scores as `f32::total_cmp` does, which is how hits are ranked.
    let key = |score: f64| {
        let bits = (score as f32).to_bits();
        if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
    };
    let best = relevant_slots.iter().map(|&slot| (key(scores[slot as usize]), Reverse(slot))).max();
    let Some((best_key, Reverse(best_slot))) = best else { return 0 };
    // Earlier slots win ties and later ones lose them.
    let (earlier, later) = scores.split_at(best_slot as usize);
    let mut rank = 1;
    for (scores, min_key) in [(earlier, best_key), (later, best_key.saturating_add(1))] {
        for scores in scores.chunks(SCORES_PER_CHECK) {
            rank += scores.iter().map(|&score| u32::from(key(score) >= min_key)).sum::<u32>() as usize;
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
        fn ranks_are_those_of_the_fused_lists(
            lists in prop::collection::vec((list(), list(), prop::collection::btree_set(0u32..70, 0..4)), 0..4),
            max_rank in 0usize..70,
        ) {
            let mut methods: Vec<Method> = [0.0, 0.05, 0.5, 2.0, -1.0].map(Method::hybrid).to_vec();
            methods.extend([0.0, 0.3, 1.3].map(Method::hybrid_norm));
            methods.extend([Method::dpr_hybrid(1.1), Method::reciprocal_rank(60.0)]);
            methods.extend([0.2, 0.5].map(|alpha| Method::interpolate(alpha, Normalization::MinMax)));
            methods.push(Method::interpolate(0.4, Normalization::ZScore));
            let relevant: Vec<Vec<u32>> =
                lists.iter().map(|(_, _, relevant)| relevant.iter().copied().collect()).collect();
            let questions: Vec<JudgedQuestion<'_>> = lists
                .iter()
                .zip(&relevant)
                .map(|((a, b, _), relevant)| JudgedQuestion { lists: vec![a, b], relevant })
                .collect();
            let found = first_ranks(&questions, &methods, max_rank, &Control::new()).expect("sound methods");
            for (method, found) in methods.iter().zip(found) {
                for ((a, b, relevant), found) in lists.iter().zip(found) {
                    let fused = fuse(&[a, b], method, max_rank).expect("a sound method");
                    let expected = fused.iter().position(|hit| relevant.contains(&hit.ord));
                    prop_assert_eq!(found as usize, expected.map_or(0, |at| at + 1), "{:?}", method);
                }
            }
        }
    }

    #[test]
    fn a_weight_that_is_not_finite_is_refused() {
        let question = JudgedQuestion { lists: vec![&[], &[]], relevant: &[] };
        let found = first_ranks(&[question], &[Method::hybrid(f64::NAN)], 20, &Control::new());
        assert_eq!(found.expect_err("not a weight").to_string(), "weight: expected a finite number, got NaN");
    }
}
