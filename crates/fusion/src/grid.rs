use control::Control;
use ranking::Hit;
use rayon::prelude::*;

use crate::union::Union;
use crate::{Error, Linear, Method};

/// A question's lists, each best first, and which passages are relevant.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    /// What each searcher found.
    pub lists: Vec<&'a [Hit]>,
    /// Ords, in ascending order.
    pub relevant: &'a [u32],
}

/// Under each of many methods, where each question's first relevant passage stands: `[methods][questions]` ranks from 1
/// in the lists that [`fuse`](crate::fuse) would give; 0 for beyond `within`, or none. With them accuracy at any number
/// of passages up to `within` is known, and the reciprocal rank.
///
/// No list is sorted: of the relevant passages only the best can be first, and it ranks behind those that score higher,
/// which are counted. What lists say of each passage is worked out once for methods that differ in weights alone, so they
/// should stand together.
///
/// # Errors
///
/// As [`fuse`](crate::fuse()); [`Error::Cancelled`].
pub fn first_ranks(
    questions: &[Judged<'_>],
    methods: &[Method],
    within: usize,
    control: &Control,
) -> Result<Vec<Vec<u32>>, Error> {
    let ranks = questions.par_iter().map_init(Union::new, |union, question| {
        control.check()?;
        let ranks = question.first_ranks(union, methods, within);
        control.advance(1);
        ranks
    });
    let ranks = ranks.collect::<Result<Vec<Vec<u32>>, Error>>()?;
    let of_method = |method: usize| ranks.iter().map(|ranks| ranks[method]).collect();
    Ok((0..methods.len()).map(of_method).collect())
}

impl Judged<'_> {
    fn first_ranks(&self, union: &mut Union, methods: &[Method], within: usize) -> Result<Vec<u32>, Error> {
        union.fill(&self.lists);
        let is_relevant = |(ord, _): &(&u32, u32)| self.relevant.binary_search(ord).is_ok();
        let relevant: Vec<u32> =
            union.passages().iter().zip(0..).filter(is_relevant).map(|(_, place)| place).collect();
        let mut scores = vec![0.0; union.passages().len()];
        let mut parts: Option<(&Linear, Vec<Vec<f64>>)> = None;
        let mut ranks = Vec::with_capacity(methods.len());
        for method in methods {
            match method {
                Method::Linear(linear) => {
                    linear.check(self.lists.len())?;
                    let kept = parts.take().filter(|(other, _)| linear.has_parts_of(other));
                    let (_, parts) = parts.insert(kept.unwrap_or_else(|| (linear, linear.parts(union))));
                    scores.fill(0.0);
                    linear.add(parts, &mut scores);
                }
                Method::ReciprocalRank(_) => scores = union.scores(method)?,
            }
            ranks.push(first_rank(&scores, &relevant, within));
        }
        Ok(ranks)
    }
}

/// The rank of the first relevant place among all, from 1; 0 for none up to `within`.
fn first_rank(scores: &[f64], relevant: &[u32], within: usize) -> u32 {
    // The greater, the better ranked, of equal ones the earlier place: as hits are.
    let key = |score: f64| {
        let bits = (score as f32).to_bits();
        if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
    };
    let best = relevant.iter().map(|&place| (key(scores[place as usize]), std::cmp::Reverse(place))).max();
    let Some((least, std::cmp::Reverse(place))) = best else { return 0 };
    let (before, behind) = scores.split_at(place as usize);
    let mut rank = 1;
    for (scores, least) in [(before, least), (behind, least.saturating_add(1))] {
        // So many at a time that counting them needs no look at how many there are.
        for scores in scores.chunks(128) {
            rank += scores.iter().map(|&score| u32::from(key(score) >= least)).sum::<u32>() as usize;
            if rank > within {
                return 0;
            }
        }
    }
    if rank > within { 0 } else { rank as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Normalisation, fuse};
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
            within in 0usize..70,
        ) {
            let mut methods: Vec<Method> = [0.0, 0.05, 0.5, 2.0, -1.0].map(Method::hybrid).to_vec();
            methods.extend([0.0, 0.3, 1.3].map(Method::hybrid_norm));
            methods.extend([Method::dpr_hybrid(1.1), Method::reciprocal_rank(60.0)]);
            methods.extend([0.2, 0.5].map(|alpha| Method::interpolate(alpha, Normalisation::MinMax)));
            methods.push(Method::interpolate(0.4, Normalisation::ZScore));
            let relevant: Vec<Vec<u32>> =
                lists.iter().map(|(_, _, relevant)| relevant.iter().copied().collect()).collect();
            let questions: Vec<Judged<'_>> = lists
                .iter()
                .zip(&relevant)
                .map(|((a, b, _), relevant)| Judged { lists: vec![a, b], relevant })
                .collect();
            let found = first_ranks(&questions, &methods, within, &Control::new()).expect("sound methods");
            for (method, found) in methods.iter().zip(found) {
                for ((a, b, relevant), found) in lists.iter().zip(found) {
                    let fused = fuse(&[a, b], method, within).expect("a sound method");
                    let expected = fused.iter().position(|hit| relevant.contains(&hit.ord));
                    prop_assert_eq!(found as usize, expected.map_or(0, |at| at + 1), "{:?}", method);
                }
            }
        }
    }

    #[test]
    fn a_method_that_has_no_meaning_is_refused() {
        let question = Judged { lists: vec![&[], &[]], relevant: &[] };
        let found = first_ranks(&[question], &[Method::hybrid(f64::NAN)], 20, &Control::new());
        assert_eq!(found.expect_err("not a weight").to_string(), "weight: expected a finite number, got NaN");
    }
}
