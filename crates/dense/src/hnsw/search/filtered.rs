//! Beam search among the rows that a filter allows.
//!
//! The search scores allowed rows only. Where a row has few allowed neighbors, those that are not allowed serve as bridges:
//! their own neighbors are read in their place (Patel, Kraft, Guestrin and Zaharia, "ACORN: Performant and
//! Predicate-Agnostic Search Over Vector Embeddings and Structured Data", 2024). Asking whether a row is allowed
//! is cheap beside scoring it, so a filtered search scores no more rows than an unfiltered one, at the same recall.

use control::Cancelled;
use ranking::Hit;

use super::beam_search::BeamSearch;
use super::scratch::{FilteredScratch, Scratch};
use crate::RowSet;
use crate::hnsw::codes::{QuantizedQuery, SKETCH_DEVIATIONS, Threshold};

/// Expansions between two checks for cancellation.
const EXPANSIONS_PER_CHECK: u32 = 16;
/// A search starts from this many rows nearest to the query, allowed or not, which an unfiltered search finds. From one row
/// alone, it could miss allowed rows that are near the query but that only rows that are not allowed lead to.
const NUM_STARTS: usize = 8;
/// If the share of allowed rows around the starts, relative to their share in the index, is below this, the nearest allowed
/// rows are likely elsewhere, and the search gives up.
const MIN_RELATIVE_SHARE: f64 = 0.5;
/// Bridges are read until a row has about this many allowed neighbors, its own included.
const WANTED_NEIGHBORS: usize = 48;

/// What a filtered search needs to know about its filter and limits.
#[derive(Clone, Copy)]
pub(crate) struct FilteredLimits<'a> {
    pub allowed: &'a RowSet,
    /// The number of candidates to keep and to expand.
    pub ef: usize,
    /// The search gives up when it has read this many adjacency lists.
    pub max_lists_read: usize,
}

impl BeamSearch<'_> {
    /// Searches layer 0 for about the `ef` best allowed rows and returns them, best first. Returns `None` if it gives up:
    /// because few rows around the query are allowed, because it reaches fewer than `ef` rows, or because it read too many
    /// adjacency lists.
    pub fn search_filtered(
        &self,
        query: &QuantizedQuery,
        entry_point: u32,
        limits: FilteredLimits<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<Vec<Hit>>, Cancelled> {
        let FilteredLimits { allowed, ef, max_lists_read } = limits;
        let entry = self.greedy_descent(query, entry_point, 0, scratch);
        self.search_layer(query, &[entry], NUM_STARTS, 0, scratch)?;
        let nearest: Vec<Hit> = scratch.found().collect();
        let Scratch { filtered, buffers, .. } = scratch;
        filtered.start(&nearest, ef, allowed, self.graph.num_rows());
        let share = allowed.share(self.graph.num_rows()).max(f64::MIN_POSITIVE);
        let (mut expansions, mut lists_read) = (0u32, 0);
        // Neighbors around the starts, and how many of them are allowed.
        let (mut near, mut near_allowed) = (0, 0);
        let count_allowed = |rows: &[u32]| rows.iter().filter(|&&row| allowed.contains(row)).count();
        while let Some(row) = filtered.starts.pop().or_else(|| filtered.queue.expand_next()) {
            if expansions.is_multiple_of(EXPANSIONS_PER_CHECK) {
                self.control.check()?;
            }
            expansions += 1;
            self.graph.read_neighbors(row, 0, &mut filtered.neighbors);
            let FilteredScratch { queue, unscored, unread, neighbors, to_score, bridges, .. } = filtered;
            unscored.take(neighbors, to_score);
            let allowed_neighbors = count_allowed(neighbors);
            // A bridge is expected to lead to the share of allowed rows that the index has.
            let missing = WANTED_NEIGHBORS.saturating_sub(allowed_neighbors) as f64;
            let wanted_bridges = missing / (share * neighbors.len().max(1) as f64);
            bridges.clear();
            unread.take(neighbors, bridges);
            let (used, unused) = bridges.split_at((wanted_bridges.ceil() as usize).min(bridges.len()));
            unused.iter().for_each(|&row| unread.insert(row));
            used.iter().for_each(|&row| self.graph.prefetch(row, 0));
            let is_start = expansions as usize <= NUM_STARTS;
            if is_start {
                (near, near_allowed) = (near + neighbors.len(), near_allowed + allowed_neighbors);
            }
            for &row in used {
                self.graph.read_neighbors(row, 0, neighbors);
                unscored.take(neighbors, to_score);
                if is_start {
                    (near, near_allowed) = (near + neighbors.len(), near_allowed + count_allowed(neighbors));
                }
            }
            lists_read += 1 + used.len();
            let is_elsewhere = expansions as usize == NUM_STARTS
                && (near_allowed as f64) < MIN_RELATIVE_SHARE * share * near as f64;
            if is_elsewhere || lists_read > max_lists_read {
                return Ok(None);
            }
            if let Some(min_score) = queue.worst_score() {
                to_score.iter().for_each(|&row| _ = self.scorer.codes().prefetch_sketch(row));
                let threshold = Threshold { min_score, deviations: SKETCH_DEVIATIONS };
                self.scorer.prefilter(query, to_score, threshold, buffers);
            }
            to_score.iter().for_each(|&row| self.scorer.codes().prefetch(row));
            self.scorer.score(query, to_score, buffers);
            if let Some(next) = queue.insert_all(to_score, &buffers.scores) {
                self.graph.prefetch(next, 0);
            }
            to_score.clear();
        }
        let found: Vec<Hit> = filtered.queue.iter().collect();
        Ok((found.len() == ef).then_some(found))
    }
}

impl FilteredScratch {
    /// Prepares a search from the `nearest` rows: those that are not allowed are expanded first.
    fn start(&mut self, nearest: &[Hit], ef: usize, allowed: &RowSet, num_rows: usize) {
        let Self { queue, unscored, unread, to_score, starts, .. } = self;
        unscored.set_to(allowed.words(), num_rows);
        unread.set_to_complement(allowed.words(), num_rows);
        queue.clear(ef, ef);
        to_score.clear();
        starts.clear();
        for &Hit { ord, score } in nearest {
            if allowed.contains(ord) {
                unscored.remove(ord);
                queue.insert_all(&[ord], &[score]);
            } else {
                unread.remove(ord);
                starts.push(ord);
            }
        }
        // The nearest is popped first.
        starts.reverse();
    }
}
