use ranking::Hit;

use crate::hnsw::scorer::{Closeness, Work};

/// Links chosen that a candidate is compared with at once.
const CHUNK: usize = 8;

/// Chooses up to `most` of the candidates, which come nearest first, as links: Malkov and Yashunin (2018),
/// algorithm 4, without its extension of candidates.
///
/// A candidate is passed over if it is nearer to one chosen before than to the row itself: the way leads over
/// that one. It is also passed over if it is the same vector as one chosen before, so that links of a row that
/// is there many times still lead to other rows. With `keep_pruned` the nearest of those passed over take the
/// places that are left.
pub(crate) fn select(
    closeness: &Closeness,
    candidates: &[Hit],
    most: usize,
    keep_pruned: bool,
    work: &mut Work,
) -> Vec<u32> {
    let mut chosen: Vec<u32> = Vec::with_capacity(most);
    let mut passed_over = Vec::new();
    let Some(first) = candidates.first() else { return chosen };
    let mut target = closeness.of_codes(first.ord);
    for candidate in candidates {
        if chosen.len() == most {
            break;
        }
        closeness.turn(&mut target, candidate.ord);
        let dominated = chosen.chunks(CHUNK).any(|others| {
            closeness.all(&target, others, work);
            let nearest = work.closeness.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            nearest > candidate.score || others.iter().any(|&other| closeness.same(candidate.ord, other))
        });
        if dominated {
            passed_over.push(candidate.ord);
        } else {
            chosen.push(candidate.ord);
        }
    }
    if keep_pruned {
        let places = most - chosen.len();
        chosen.extend(passed_over.into_iter().take(places));
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::hnsw::codes::Codes;
    use crate::hnsw::options::Layout;
    use crate::store::rows::Rows;

    /// Of row 0's point of view, in the plane; nearest first.
    fn chosen(points: &[[f32; 2]], most: usize, keep_pruned: bool) -> Vec<u32> {
        let mut rows = Rows::new(2, Similarity::L2, serde_json::Value::Null).expect("a dimension");
        let ids: Vec<String> = (0..points.len()).map(|id| id.to_string()).collect();
        rows.append(&ids, points.as_flattened()).expect("rows");
        let mut codes = Codes::new(2, Similarity::L2, Layout::Fast);
        codes.extend(&rows.view(), 0..points.len() as u32);
        let closeness = Closeness::new(rows.view(), codes.view(), None);
        let mut work = Work::default();
        let others: Vec<u32> = (1..points.len() as u32).collect();
        closeness.all(&closeness.of_row(0), &others, &mut work);
        let near = others.iter().zip(&work.closeness);
        let mut candidates: Vec<Hit> = near.map(|(&ord, &score)| Hit { ord, score }).collect();
        candidates.sort_by(ranking::by_rank);
        select(&closeness, &candidates, most, keep_pruned, &mut work)
    }

    #[test]
    fn links_go_in_different_directions() {
        // 2 is nearer to 1 (distance 1) than to 0 (distance 2); 3 lies on the other side.
        let points = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [-3.0, 0.0]];
        assert_eq!(chosen(&points, 3, false), [1, 3]);
        assert_eq!(chosen(&points, 3, true), [1, 3, 2]);
        assert_eq!(chosen(&points, 1, true), [1]);
    }

    #[test]
    fn one_of_many_equal_rows_leaves_room_for_others() {
        let points = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(chosen(&points, 3, true), [1, 4, 5]);
    }
}
