//! Beam search among the rows that a filter allows.
//!
//! The search scores only allowed rows. If a row has few allowed neighbors, some of its other neighbors serve as
//! *bridges*: the neighbors of a bridge are read in its place (Patel, Kraft, Guestrin and Zaharia, "ACORN: Performant
//! and Predicate-Agnostic Search Over Vector Embeddings and Structured Data", 2024). Looking up whether a row is
//! allowed is cheap compared with scoring it.

use control::Canceled;
use ranking::Hit;

use super::beam_search::BeamSearch;
use super::scratch::{FilteredScratch, Scratch};
use crate::RowSet;
use crate::hnsw::codes::{QuantizedQuery, SKETCH_DEVIATIONS, Threshold};

/// Number of expansions between two checks for cancellation.
const EXPANSIONS_PER_CHECK: u32 = 16;
/// A filtered search starts from this many rows near the query, allowed or not, which a first, unfiltered search finds.
/// If it started from a single row, it could miss allowed rows near the query that are reached only through rows that
/// are not allowed.
const NUM_NEAREST: usize = 8;
/// The search compares two shares of allowed rows: among the neighbors of the first [`NUM_NEAREST`] expanded rows and
/// of their bridges, and in the whole index. If the first share divided by the second is less than this, the nearest
/// allowed rows are probably not near the query, and the search gives up.
const MIN_RELATIVE_SHARE: f64 = 0.5;
/// If an expanded row has fewer allowed neighbors than this, bridges are read: as many as are expected to supply the
/// missing allowed neighbors.
const TARGET_NEIGHBORS: usize = 48;

/// The filter and the limits of a filtered search.
#[derive(Clone, Copy)]
pub(crate) struct FilteredLimits<'a> {
    pub allowed: &'a RowSet,
    /// The number of candidates to keep and to expand.
    pub ef: usize,
    /// The search gives up when it has read more adjacency lists than this.
    pub max_lists_read: usize,
}

impl BeamSearch<'_> {
    /// Searches layer 0 for approximately the `ef` best allowed rows and returns them, best first. Returns `None` if
    /// the search gives up: because too few rows near the query are allowed, because it reached fewer than `ef` allowed
    /// rows, or because it read too many adjacency lists.
    pub fn search_filtered(
        &self,
        query: &QuantizedQuery,
        entry_point: u32,
        limits: FilteredLimits<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<Vec<Hit>>, Canceled> {
        let FilteredLimits { allowed, ef, max_lists_read } = limits;
        let entry = self.greedy_descent(query, entry_point, 0, scratch);
        self.search_layer(query, &[entry], NUM_NEAREST, 0, scratch)?;
        let nearest: Vec<Hit> = scratch.found().collect();
        let Scratch { filtered, buffers, .. } = scratch;
        filtered.start(&nearest, ef, allowed, self.graph.num_rows());
        let share = allowed.share(self.graph.num_rows()).max(f64::MIN_POSITIVE);
        let (mut expansions, mut lists_read) = (0u32, 0);
        // The number of neighbors of the first `NUM_NEAREST` expanded rows and of their bridges, and how many of these
        // neighbors are allowed.
        let (mut num_near, mut num_near_allowed) = (0, 0);
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
            // The share of allowed rows among a bridge's neighbors is expected to be the share in the whole index.
            let missing = TARGET_NEIGHBORS.saturating_sub(allowed_neighbors) as f64;
            let num_bridges = missing / (share * neighbors.len().max(1) as f64);
            bridges.clear();
            // Takes the neighbors that are not allowed and whose own adjacency lists have not been read.
            unread.take(neighbors, bridges);
            let (used, unused) = bridges.split_at((num_bridges.ceil() as usize).min(bridges.len()));
            unused.iter().for_each(|&row| unread.insert(row));
            used.iter().for_each(|&row| self.graph.prefetch(row, 0));
            let is_near_query = expansions as usize <= NUM_NEAREST;
            if is_near_query {
                (num_near, num_near_allowed) =
                    (num_near + neighbors.len(), num_near_allowed + allowed_neighbors);
            }
            for &row in used {
                self.graph.read_neighbors(row, 0, neighbors);
                unscored.take(neighbors, to_score);
                if is_near_query {
                    (num_near, num_near_allowed) =
                        (num_near + neighbors.len(), num_near_allowed + count_allowed(neighbors));
                }
            }
            lists_read += 1 + used.len();
            let are_allowed_rows_far = expansions as usize == NUM_NEAREST
                && (num_near_allowed as f64) < MIN_RELATIVE_SHARE * share * num_near as f64;
            if are_allowed_rows_far || lists_read > max_lists_read {
                return Ok(None);
            }
            if let Some(min_score) = queue.worst_score() {
                to_score.iter().for_each(|&row| _ = self.scorer.codes().prefetch_sketch(row));
                let threshold = Threshold { min_score, deviations: SKETCH_DEVIATIONS };
                self.scorer.prune(query, to_score, threshold, buffers);
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
    /// Prepares a search that starts from the `nearest` rows. The allowed ones become candidates; the others become
    /// `starts`, which are expanded before the candidates.
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
        // The nearest row is popped first.
        starts.reverse();
    }
}
