use ranking::Hit;

use super::candidate_queue::CandidateQueue;
use super::row_bits::RowBits;
use super::visited::VisitedSet;
use crate::hnsw::scorer::ScoreBuffers;

/// The buffers of one search, reused by later searches.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub visited: VisitedSet,
    pub queue: CandidateQueue,
    /// The adjacency list that was read last in the greedy descent.
    pub neighbors: Vec<u32>,
    /// The unvisited neighbors of the last expanded candidate.
    pub unvisited: Vec<u32>,
    /// The neighbors that were not discarded by their sketches and will be scored next. Because steps are pipelined
    /// (see `beam_search.rs`), they can be neighbors of the candidate that was expanded before the last one.
    pub survivors: Vec<u32>,
    pub buffers: ScoreBuffers,
    pub filtered: FilteredScratch,
}

/// The additional buffers of a filtered search.
#[derive(Debug, Default)]
pub(crate) struct FilteredScratch {
    pub queue: CandidateQueue,
    /// Allowed rows that have not been scored yet.
    pub unscored: RowBits,
    /// Rows that are not allowed and whose adjacency lists have not been read yet.
    pub unread: RowBits,
    /// The adjacency list that was read last.
    pub neighbors: Vec<u32>,
    /// Allowed rows to be scored next.
    pub to_score: Vec<u32>,
    /// Neighbors that are not allowed. The neighbors of some of these rows are read in their place.
    pub bridges: Vec<u32>,
    /// The rows that the search starts from although they are not allowed. The row nearest to the query comes last.
    pub starts: Vec<u32>,
}

impl Scratch {
    /// Returns the candidates of the last beam search, best first.
    pub fn found(&self) -> impl ExactSizeIterator<Item = Hit> {
        self.queue.iter()
    }
}
