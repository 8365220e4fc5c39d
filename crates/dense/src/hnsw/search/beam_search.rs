//! Beam search in one layer of the graph (Malkov and Yashunin, 2018, algorithm 2).
//!
//! Each step expands the best candidate that has not been expanded yet: it reads the candidate's adjacency list, drops
//! the neighbors that were visited before, discards most of the others by their sign-bit sketches, scores the survivors
//! by their codes, and inserts them into the candidate queue.
//!
//! Memory latency dominates, so steps are pipelined: the next candidate is expanded before the survivors of the current
//! one are scored, and each part of a step prefetches what the next part reads.
//!
//! ```text
//! expand    adjacency list → unvisited neighbors        prefetches their sketches, and the next adjacency list
//! prune     sketches of unvisited neighbors → survivors prefetches their codes
//! expand    (the next step)
//! score     codes of survivors → candidate queue        prefetches the adjacency list of the new best candidate
//! ```

use control::{Canceled, Control};
use ranking::Hit;

use super::scratch::Scratch;
use crate::hnsw::codes::{QuantizedQuery, SKETCH_DEVIATIONS, Threshold};
use crate::hnsw::graph::GraphView;
use crate::hnsw::scorer::Scorer;

/// Number of expansions between two checks for cancellation.
const EXPANSIONS_PER_CHECK: u32 = 64;

/// What a beam search reads: the graph, the scorer of its rows, and whether the search was canceled.
#[derive(Clone, Copy)]
pub(crate) struct BeamSearch<'a> {
    pub scorer: Scorer<'a>,
    pub graph: GraphView<'a>,
    pub control: &'a Control,
}

/// How many candidates a beam search keeps, and how many of them it expands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BeamSize {
    /// The number of candidates that the search keeps and returns.
    pub num_candidates: usize,
    /// The search ends when it has found `num_candidates` candidates and expanded the `ef` best of them, or when it has
    /// no candidate left to expand.
    pub ef: usize,
}

impl BeamSearch<'_> {
    /// Descends from `entry_point` to the layer above `layer`. In each layer, moves to the best neighbor until no
    /// neighbor is better than the current row. Returns the best row found.
    pub fn greedy_descent(
        &self,
        query: &QuantizedQuery,
        entry_point: u32,
        layer: usize,
        scratch: &mut Scratch,
    ) -> Hit {
        let Scratch { neighbors, buffers, .. } = scratch;
        let codes = self.scorer.codes();
        self.scorer.score(query, &[entry_point], buffers);
        let mut best = Hit { ord: entry_point, score: buffers.scores[0] };
        for above in (layer + 1..=self.graph.level(entry_point)).rev() {
            loop {
                self.graph.read_neighbors(best.ord, above, neighbors);
                // Prefetching returns false if rows have no sketches.
                if neighbors.iter().all(|&row| codes.prefetch_sketch(row)) {
                    let threshold = Threshold { min_score: best.score, deviations: SKETCH_DEVIATIONS };
                    self.scorer.prune(query, neighbors, threshold, buffers);
                }
                neighbors.iter().for_each(|&row| codes.prefetch(row));
                self.scorer.score(query, neighbors, buffers);
                let scored = neighbors.iter().zip(&buffers.scores);
                let nearest = scored.max_by(|a, b| a.1.total_cmp(b.1));
                match nearest {
                    Some((&ord, &score)) if score > best.score => best = Hit { ord, score },
                    _ => break,
                }
            }
        }
        best
    }

    /// Searches a layer for approximately the `ef` best rows. Afterward, [`Scratch::found`] returns them, best first.
    pub fn search_layer(
        &self,
        query: &QuantizedQuery,
        entry_points: &[Hit],
        ef: usize,
        layer: usize,
        scratch: &mut Scratch,
    ) -> Result<(), Canceled> {
        self.start(entry_points, BeamSize { num_candidates: ef, ef }, scratch);
        let mut has_expanded = self.expand(layer, scratch);
        let mut expansions = 0u32;
        while has_expanded {
            if expansions.is_multiple_of(EXPANSIONS_PER_CHECK) {
                self.control.check()?;
            }
            expansions += 1;
            self.prune(query, scratch);
            has_expanded = self.expand(layer, scratch);
            self.score(query, layer, scratch);
            has_expanded = has_expanded || self.expand(layer, scratch);
        }
        Ok(())
    }

    /// Starts a search. The caller then runs its steps by calling [`expand`](Self::expand),
    /// [`prune`](Self::prune) and [`score`](Self::score) in the order shown in the [module's](self)
    /// documentation.
    pub fn start(&self, entry_points: &[Hit], size: BeamSize, scratch: &mut Scratch) {
        let Scratch { visited, queue, survivors, .. } = scratch;
        visited.clear(self.graph.num_rows());
        survivors.clear();
        queue.clear(size.num_candidates, size.ef);
        for entry_point in entry_points {
            if visited.insert(entry_point.ord) {
                queue.insert_all(&[entry_point.ord], &[entry_point.score]);
            }
        }
    }

    /// Expands the best unexpanded candidate and prefetches the sketches or codes of its unvisited neighbors. Returns
    /// false if there is no candidate left to expand.
    pub fn expand(&self, layer: usize, scratch: &mut Scratch) -> bool {
        let Scratch { visited, queue, unvisited, .. } = scratch;
        let Some(row) = queue.expand_next() else { return false };
        unvisited.resize(self.graph.max_neighbors(layer), 0);
        let count = visited.insert_all(self.graph.neighbors(row, layer), unvisited);
        unvisited.truncate(count);
        let codes = self.scorer.codes();
        // While the queue is not full, or without sketches, no neighbor is discarded: all codes will be read.
        if queue.worst_score().is_none() || !unvisited.iter().all(|&row| codes.prefetch_sketch(row)) {
            unvisited.iter().for_each(|&row| codes.prefetch(row));
        }
        // `next` will be expanded next, unless one of these neighbors turns out to be better.
        if let Some(next) = queue.peek_next() {
            self.graph.prefetch(next, layer);
        }
        true
    }

    /// Discards neighbors that their sketches rule out and prefetches the codes of the survivors.
    pub fn prune(&self, query: &QuantizedQuery, scratch: &mut Scratch) {
        let Scratch { queue, unvisited, survivors, buffers, .. } = scratch;
        std::mem::swap(unvisited, survivors);
        if let Some(min_score) = queue.worst_score() {
            let threshold = Threshold { min_score, deviations: SKETCH_DEVIATIONS };
            self.scorer.prune(query, survivors, threshold, buffers);
            survivors.iter().for_each(|&row| self.scorer.codes().prefetch(row));
        }
    }

    /// Scores the survivors and inserts them into the candidate queue.
    pub fn score(&self, query: &QuantizedQuery, layer: usize, scratch: &mut Scratch) {
        let Scratch { queue, survivors, buffers, .. } = scratch;
        self.scorer.score(query, survivors, buffers);
        if let Some(next) = queue.insert_all(survivors, &buffers.scores) {
            self.graph.prefetch(next, layer);
        }
    }
}
