//! Fuses the lists of one query, or of many.

use control::Control;
use ranking::Hit;
use rayon::prelude::*;

use crate::union::Union;
use crate::{Error, Method};

/// Fewer queries than this are fused on the calling thread: waking another thread takes as long as fusing a few.
const MIN_PARALLEL_QUERIES: usize = 4;

/// Fuses lists over the union of their passages and returns the `k` best hits, best first.
///
/// Each list must be sorted best first. Of equal fused scores, the passage that appears first when the lists are read
/// one after another comes first. If a list has a passage twice, the first hit counts.
///
/// # Errors
///
/// [`Error::Argument`] if a parameter is not finite, or if the number of weights is not the number of lists.
pub fn fuse(lists: &[&[Hit]], method: &Method, k: usize) -> Result<Vec<Hit>, Error> {
    let mut union = Union::new();
    union.fill(lists);
    Ok(union.top_k(&method.scores(&union)?, k))
}

/// Fuses the lists of each of many queries, on all threads; see [`fuse()`].
///
/// # Errors
///
/// As [`fuse()`]; [`Error::Cancelled`].
pub fn fuse_many(
    queries: &[Vec<&[Hit]>],
    method: &Method,
    k: usize,
    control: &Control,
) -> Result<Vec<Vec<Hit>>, Error> {
    let fused = |union: &mut Union, lists: &Vec<&[Hit]>| {
        control.check()?;
        union.fill(lists);
        Ok(union.top_k(&method.scores(union)?, k))
    };
    if queries.len() < MIN_PARALLEL_QUERIES {
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
