//! Several beam searches on one thread: while one waits for memory, the others compute.

use control::Cancelled;
use ranking::Hit;

use super::beam_search::{BeamSearch, BeamSize};
use super::rescore::rescore;
use super::scratch::Scratch;
use crate::hnsw::codes::QuantizedQuery;

/// The maximum number of searches that one thread runs at once.
pub(crate) const MAX_INTERLEAVED: usize = 4;
/// Rounds of one step per search between two checks for cancellation.
const ROUNDS_PER_CHECK: u32 = 64;

/// A search that is not over.
struct Running<'a> {
    /// The query's position among all.
    at: usize,
    query: QuantizedQuery,
    scratch: &'a mut Scratch,
    has_expanded: bool,
}

/// Searches layer 0 for each of the prepared queries `[q * dim]`, as many at once as there are scratches. Returns up to `k`
/// hits per query, in order. Nearly all rows must be `live`: others are no hits, and each search keeps as many more
/// candidates as are expected to be dead.
pub(crate) fn search_interleaved(
    search: &BeamSearch,
    entry_point: u32,
    vectors: &[f32],
    size: BeamSize,
    k: usize,
    live: impl Fn(u32) -> bool,
    scratches: &mut [Scratch],
) -> Result<Vec<Vec<Hit>>, Cancelled> {
    let view = search.scorer.view();
    let vectors: Vec<&[f32]> = vectors.chunks_exact(view.dim).collect();
    let mut found = vec![Vec::new(); vectors.len()];
    let mut waiting = 0..vectors.len();
    let dead = view.len() - view.live_len();
    let with_dead = |rows: usize| rows + (rows * dead).div_ceil(view.len());
    let size = BeamSize { num_candidates: with_dead(size.num_candidates), ef: with_dead(size.ef) };
    let start = |at: usize, scratch: &mut Scratch| {
        let query = search.scorer.query(vectors[at]);
        let entry = search.greedy_descent(&query, entry_point, 0, scratch);
        search.start(&[entry], size, scratch);
        // There is an entry point to expand.
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
        running.iter_mut().for_each(|Running { query, scratch, .. }| search.prefilter(query, scratch));
        running.iter_mut().for_each(|Running { scratch, has_expanded, .. }| {
            *has_expanded = search.expand(0, scratch);
        });
        running.retain_mut(|Running { at, query, scratch, has_expanded }| {
            search.score(query, 0, scratch);
            if *has_expanded || search.expand(0, scratch) {
                return true;
            }
            let candidates: Vec<Hit> = scratch.found().filter(|hit| dead == 0 || live(hit.ord)).collect();
            found[*at] = rescore(&search.scorer, vectors[*at], query, &candidates, k);
            let Some(next) = waiting.next() else { return false };
            (*at, *query) = (next, start(next, scratch));
            true
        });
    }
    Ok(found)
}
