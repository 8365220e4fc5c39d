use control::Control;
use ranking::Hit;
use rayon::prelude::*;

use crate::union::Union;
use crate::{Error, Linear, ReciprocalRank};

/// How lists become one.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// A weighted sum of scores.
    Linear(Linear),
    /// A sum of inverse ranks.
    ReciprocalRank(ReciprocalRank),
}

/// Fuses lists, each best first, over the union of their passages, and keeps the `k` best. Of equal fused scores
/// the passage that appears first stays first, the lists read one after the other. Where a list has a passage
/// twice, the first counts.
///
/// # Errors
///
/// [`Error::Argument`] for a parameter that is not finite, or weights that are not one a list.
pub fn fuse(lists: &[&[Hit]], method: &Method, k: usize) -> Result<Vec<Hit>, Error> {
    let mut union = Union::new();
    union.fill(lists);
    Ok(union.best(&union.scores(method)?, k))
}

/// [`fuse`] for each of many queries.
///
/// # Errors
///
/// As [`fuse`]; [`Error::Cancelled`].
pub fn fuse_many(
    queries: &[Vec<&[Hit]>],
    method: &Method,
    k: usize,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let fused = |union: &mut Union, lists: &Vec<&[Hit]>| {
        control.check()?;
        union.fill(lists);
        Ok(union.best(&union.scores(method)?, k))
    };
    // Waking another thread takes as long as fusing a few.
    if queries.len() < 4 {
        let mut union = Union::new();
        return queries.iter().map(|lists| fused(&mut union, lists)).collect();
    }
    queries.par_iter().map_init(Union::new, fused).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ranking::by_rank;

    fn list(hits: &[(u32, f32)]) -> Vec<Hit> {
        hits.iter().map(|&(ord, score)| Hit { ord, score }).collect()
    }

    #[test]
    fn ties_go_to_the_passage_that_appeared_first() {
        let (a, b) = (list(&[(9, 1.0), (4, 0.0)]), list(&[(2, 1.0), (4, 1.0)]));
        let fused = fuse(&[&a, &b], &Method::hybrid(1.0), 10).expect("fuses");
        assert_eq!(fused.iter().map(|hit| hit.ord).collect::<Vec<_>>(), [9, 4, 2]);
    }

    #[test]
    fn a_passage_that_a_list_has_twice_counts_once() {
        let twice = list(&[(1, 5.0), (1, 4.0)]);
        let fused = fuse(&[&twice, &[]], &Method::hybrid(1.0), 10).expect("fuses");
        assert_eq!(fused, list(&[(1, 5.0)]));
    }

    proptest! {
        #[test]
        fn k_cuts_the_whole_ranking(a in prop::collection::vec((0u32..40, -5i8..5), 0..40), b in prop::collection::vec((0u32..40, -5i8..5), 0..40), k in 0usize..50) {
            let lists = [a, b].map(|hits| {
                let mut hits: Vec<Hit> = hits.into_iter().map(|(ord, score)| Hit { ord, score: score.into() }).collect();
                hits.sort_by(by_rank);
                hits
            });
            let lists = [lists[0].as_slice(), &lists[1]];
            for method in [Method::dpr_hybrid(1.1), Method::hybrid_norm(0.7), Method::reciprocal_rank(60.0)] {
                let mut whole = fuse(&lists, &method, usize::MAX).expect("fuses");
                let cut = fuse(&lists, &method, k).expect("fuses");
                whole.truncate(k);
                prop_assert_eq!(cut, whole);
            }
        }
    }
}
