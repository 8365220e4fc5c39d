use ranking::Hit;

use super::candidate_queue::CandidateQueue;
use super::row_bits::RowBits;
use super::visited::VisitedSet;
use crate::hnsw::scorer::ScoreBuffers;

/// Buffers of one search, reused by later searches.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub visited: VisitedSet,
    pub queue: CandidateQueue,
    /// An adjacency list.
    pub neighbors: Vec<u32>,
    /// Unvisited neighbors of the candidate that was expanded last.
    pub unvisited: Vec<u32>,
    /// Neighbors of the candidate before it that were not discarded by their sketches, to be scored next.
    pub survivors: Vec<u32>,
    pub buffers: ScoreBuffers,
    pub filtered: FilteredScratch,
}

/// Buffers of one filtered search.
#[derive(Debug, Default)]
pub(crate) struct FilteredScratch {
    pub queue: CandidateQueue,
    /// Allowed rows that have not been scored yet.
    pub unscored: RowBits,
    /// Rows that are not allowed, and whose adjacency lists have not been read yet.
    pub unread: RowBits,
    /// An adjacency list.
    pub neighbors: Vec<u32>,
    /// Allowed rows to be scored next.
    pub to_score: Vec<u32>,
    /// Neighbors that are not allowed, whose own neighbors are read in their place.
    pub bridges: Vec<u32>,
    /// Rows near the query that are not allowed, from which the search starts; the best is last.
    pub starts: Vec<u32>,
}

impl Scratch {
    /// The candidates of the last beam search, best first.
    pub fn found(&self) -> impl ExactSizeIterator<Item = Hit> {
        self.queue.iter()
    }
}
