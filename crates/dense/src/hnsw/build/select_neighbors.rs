//! The selection of diverse neighbors (Malkov and Yashunin, 2018, algorithm 4).

use ranking::Hit;

use crate::hnsw::scorer::{ScoreBuffers, Scorer};

/// Number of selected neighbors that a candidate is compared with at once.
const BLOCK_NEIGHBORS: usize = 8;

/// The parameters of [`select_neighbors`].
#[derive(Clone, Copy)]
pub(super) struct Selection {
    pub max_neighbors: usize,
    /// Whether pruned candidates fill the places that diverse neighbors leave free.
    pub keep_pruned: bool,
}

/// Selects diverse neighbors of a row among candidates, which are sorted best first: algorithm 4 without its option to
/// extend the candidates by their neighbors.
///
/// A candidate is pruned if it is nearer to a selected neighbor than to the row itself, because a search reaches it
/// through that neighbor. It is also pruned if its vector equals that of a selected neighbor, so that the lists of
/// duplicate rows still lead to other rows. With `keep_pruned`, the best pruned candidates fill the places that are
/// left.
pub(super) fn select_neighbors(
    scorer: &Scorer,
    candidates: &[Hit],
    selection: Selection,
    buffers: &mut ScoreBuffers,
) -> Vec<u32> {
    let Selection { max_neighbors, keep_pruned } = selection;
    let mut selected: Vec<u32> = Vec::with_capacity(max_neighbors);
    let mut pruned = Vec::new();
    let Some(first) = candidates.first() else { return selected };
    // Set to each candidate in turn, so that its buffer can be reused.
    let mut query = scorer.query_from_codes(first.ord);
    for candidate in candidates {
        if selected.len() == max_neighbors {
            break;
        }
        scorer.set_query_to_codes(&mut query, candidate.ord);
        let is_pruned = selected.chunks(BLOCK_NEIGHBORS).any(|others| {
            scorer.score(&query, others, buffers);
            let best = buffers.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            // Higher scores are nearer; `candidate.score` is the score with the row itself.
            best > candidate.score || others.iter().any(|&other| scorer.are_equal(candidate.ord, other))
        });
        if is_pruned {
            pruned.push(candidate.ord);
        } else {
            selected.push(candidate.ord);
        }
    }
    if keep_pruned {
        let places = max_neighbors - selected.len();
        selected.extend(pruned.into_iter().take(places));
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::hnsw::codes::Codes;
    use crate::hnsw::options::Layout;
    use crate::store::rows::Rows;

    /// Selects the neighbors of point 0 among the other points of the plane.
    fn selected(points: &[[f32; 2]], max_neighbors: usize, keep_pruned: bool) -> Vec<u32> {
        let mut rows = Rows::new(2, Similarity::L2, serde_json::Value::Null).expect("a dimension");
        let ids: Vec<String> = (0..points.len()).map(|id| id.to_string()).collect();
        rows.append(&ids, points.as_flattened()).expect("rows");
        let mut codes = Codes::new(2, Similarity::L2, Layout::Fast);
        codes.extend(&rows.view(), 0..points.len() as u32);
        let scorer = Scorer::new(rows.view(), codes.view(), None);
        let mut buffers = ScoreBuffers::default();
        let others: Vec<u32> = (1..points.len() as u32).collect();
        scorer.score(&scorer.query_from_row(0), &others, &mut buffers);
        let scored = others.iter().zip(&buffers.scores);
        let mut candidates: Vec<Hit> = scored.map(|(&ord, &score)| Hit { ord, score }).collect();
        candidates.sort_by(ranking::by_rank);
        select_neighbors(&scorer, &candidates, Selection { max_neighbors, keep_pruned }, &mut buffers)
    }

    #[test]
    fn neighbors_lie_in_different_directions() {
        // Point 2 is nearer to point 1 (distance 1) than to point 0 (distance 2). Point 3 lies on the other side of
        // point 0.
        let points = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [-3.0, 0.0]];
        assert_eq!(selected(&points, 3, false), [1, 3]);
        assert_eq!(selected(&points, 3, true), [1, 3, 2]);
        assert_eq!(selected(&points, 1, true), [1]);
    }

    #[test]
    fn only_one_of_several_equal_rows_becomes_a_neighbor() {
        let points = [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(selected(&points, 3, true), [1, 4, 5]);
    }
}
