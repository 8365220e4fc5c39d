use std::collections::HashMap;

use ranking::{Hit, by_rank};

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
    let (passages, columns) = union(lists);
    let mut scores = vec![0.0f64; passages.len()];
    match method {
        Method::Linear(linear) => linear.add(&columns, &mut scores)?,
        Method::ReciprocalRank(reciprocal) => reciprocal.add(&columns, &mut scores)?,
    }
    // Positions in the union stand in for ords, so that ties go by first appearance.
    let mut fused: Vec<Hit> =
        scores.iter().zip(0..).map(|(&score, ord)| Hit { ord, score: score as f32 }).collect();
    if k < fused.len() && k > 0 {
        fused.select_nth_unstable_by(k - 1, by_rank);
    }
    fused.truncate(k);
    fused.sort_unstable_by(by_rank);
    fused.iter_mut().for_each(|hit| hit.ord = passages[hit.ord as usize]);
    Ok(fused)
}

/// One list as (position in the union, score), best first.
pub(crate) type Column = Vec<(usize, f64)>;

/// The passages of all lists in order of first appearance, and each list in terms of their positions.
fn union(lists: &[&[Hit]]) -> (Vec<u32>, Vec<Column>) {
    let mut positions: HashMap<u32, usize> =
        HashMap::with_capacity(lists.iter().map(|list| list.len()).sum());
    let mut passages = Vec::with_capacity(positions.capacity());
    let mut last_list = Vec::with_capacity(positions.capacity());
    let columns = lists
        .iter()
        .enumerate()
        .map(|(number, list)| {
            let mut column = Column::with_capacity(list.len());
            for hit in *list {
                let position = *positions.entry(hit.ord).or_insert_with(|| {
                    passages.push(hit.ord);
                    last_list.push(usize::MAX);
                    passages.len() - 1
                });
                if last_list[position] != number {
                    last_list[position] = number;
                    column.push((position, f64::from(hit.score)));
                }
            }
            column
        })
        .collect();
    (passages, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
