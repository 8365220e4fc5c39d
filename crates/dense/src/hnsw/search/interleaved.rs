use control::Cancelled;
use ranking::Hit;

use super::beam_search::Walk;
use super::rescore::rescore;
use super::scratch::Scratch;
use crate::hnsw::codes::Target;
use crate::hnsw::planner::Plan;

/// Walks that one thread does by turns: while one waits for the rows it has asked for, others go on.
pub(crate) const INTERLEAVED: usize = 4;
/// Steps of all walks between two looks at whether the work was cancelled.
const STEPS_A_CHECK: u32 = 64;

/// A walk on its way.
struct Under<'a> {
    query: usize,
    target: Target,
    scratch: &'a mut Scratch,
    /// Whether the next step has begun.
    went: bool,
}

/// Searches layer 0 for each of the prepared queries, as many at a time as there are scratches, and returns up to `plan.k`
/// hits of each, in order. Nearly all rows are `live`; others are no hits, and room is kept for as many more.
pub(crate) fn interleaved(
    walk: &Walk,
    entry: u32,
    queries: &[f32],
    plan: &Plan,
    live: impl Fn(u32) -> bool,
    scratches: &mut [Scratch],
) -> Result<Vec<Vec<Hit>>, Cancelled> {
    let queries: Vec<&[f32]> = queries.chunks_exact(walk.closeness.view().dim).collect();
    let mut found = vec![Vec::new(); queries.len()];
    let mut waiting = 0..queries.len();
    let view = walk.closeness.view();
    let dead = view.len() - view.live_len();
    let more = |rows: usize| rows + (rows * dead).div_ceil(view.len());
    let sizes = (more(plan.kept), more(plan.ef));
    let begin = |query: usize, scratch: &mut Scratch| {
        let target = walk.closeness.of_query(queries[query]);
        let entry = walk.descend(&target, entry, 0, scratch);
        walk.start(&[entry], sizes, scratch);
        // There is an entry to go to.
        walk.go(0, scratch);
        target
    };
    let mut under: Vec<Under<'_>> = Vec::with_capacity(scratches.len());
    for (scratch, query) in scratches.iter_mut().zip(waiting.by_ref()) {
        under.push(Under { query, target: begin(query, scratch), scratch, went: true });
    }
    let mut steps = 0u32;
    while !under.is_empty() {
        if steps.is_multiple_of(STEPS_A_CHECK) {
            walk.control.check()?;
        }
        steps += 1;
        under.iter_mut().for_each(|Under { target, scratch, .. }| walk.sift(target, scratch));
        under.iter_mut().for_each(|Under { scratch, went, .. }| *went = walk.go(0, scratch));
        under.retain_mut(|Under { query, target, scratch, went }| {
            walk.arrive(target, 0, scratch);
            if *went || walk.go(0, scratch) {
                return true;
            }
            let candidates: Vec<Hit> = scratch.found().filter(|hit| dead == 0 || live(hit.ord)).collect();
            found[*query] = rescore(&walk.closeness, queries[*query], target, &candidates, plan.k);
            let Some(next) = waiting.next() else { return false };
            (*query, *target) = (next, begin(next, scratch));
            true
        });
    }
    Ok(found)
}
