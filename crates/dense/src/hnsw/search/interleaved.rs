//! Runs several beam searches on one thread by taking a step of each in turn: while one search waits for memory, the
//! others compute.

use control::Canceled;
use ranking::Hit;

use super::beam_search::{BeamSearch, BeamSize};
use super::rescore::rescore;
use super::scratch::Scratch;
use crate::hnsw::codes::QuantizedQuery;

/// The maximum number of searches that one thread interleaves.
pub(crate) const MAX_INTERLEAVED: usize = 4;
/// Number of rounds between two checks for cancellation. In a round, each search takes one step.
const ROUNDS_PER_CHECK: u32 = 64;

/// A search in progress.
struct Running<'a> {
    /// The query's position among all queries.
    at: usize,
    query: QuantizedQuery,
    scratch: &'a mut Scratch,
    /// Whether the last call of [`BeamSearch::expand`] found a candidate to expand.
    has_expanded: bool,
}

/// Searches layer 0 for each of the queries `[q * dim]`, which are already [prepared](crate::Similarity::prepare).
/// Runs as many searches at a time as there are scratches. Returns up to `k` hits per query, in the order of the
/// queries.
///
/// Rows for which `is_live` is false are dead: a search finds and expands them, but does not return them. Each search
/// therefore keeps and expands additional candidates, as many as are expected to be dead. This is affordable only if
/// nearly all rows are live.
pub(crate) fn search_interleaved(
    search: &BeamSearch,
    entry_point: u32,
    vectors: &[f32],
    size: BeamSize,
    k: usize,
    is_live: impl Fn(u32) -> bool,
    scratches: &mut [Scratch],
) -> Result<Vec<Vec<Hit>>, Canceled> {
    let view = search.scorer.view();
    let vectors: Vec<&[f32]> = vectors.chunks_exact(view.dim).collect();
    let mut found = vec![Vec::new(); vectors.len()];
    let mut waiting = 0..vectors.len();
    let num_dead = view.len() - view.live_len();
    // Adds the expected number of dead rows to a number of live rows.
    let with_dead = |num_rows: usize| num_rows + (num_rows * num_dead).div_ceil(view.len());
    let size = BeamSize { num_candidates: with_dead(size.num_candidates), ef: with_dead(size.ef) };
    let start = |at: usize, scratch: &mut Scratch| {
        let query = search.scorer.query(vectors[at]);
        let entry = search.greedy_descent(&query, entry_point, 0, scratch);
        search.start(&[entry], size, scratch);
        // There is always a candidate to expand: the entry point.
        search.expand(0, scratch);
        query
    };
    let mut running: Vec<Running<'_>> = Vec::with_capacity(scratches.len());
    for (scratch, at) in scratches.iter_mut().zip(waiting.by_ref()) {
        running.push(Running { at, query: start(at, scratch), scratch, has_expanded: true });
    }
    let mut rounds = 0u32;
    while !running.is_empty() {
        if rounds.is_multiple_of(ROUNDS_PER_CHECK) {
            search.control.check()?;
        }
        rounds += 1;
        running.iter_mut().for_each(|Running { query, scratch, .. }| search.prune(query, scratch));
        running.iter_mut().for_each(|Running { scratch, has_expanded, .. }| {
            *has_expanded = search.expand(0, scratch);
        });
        running.retain_mut(|Running { at, query, scratch, has_expanded }| {
            search.score(query, 0, scratch);
            if *has_expanded || search.expand(0, scratch) {
                return true;
            }
            let candidates: Vec<Hit> =
                scratch.found().filter(|hit| num_dead == 0 || is_live(hit.ord)).collect();
            found[*at] = rescore(&search.scorer, vectors[*at], query, &candidates, k);
            let Some(next) = waiting.next() else { return false };
            (*at, *query) = (next, start(next, scratch));
            true
        });
    }
    Ok(found)
}
