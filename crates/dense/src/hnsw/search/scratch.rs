use ranking::Hit;

use super::candidate_queue::Pool;
use super::row_bits::Bits;
use super::visited::Visited;
use crate::hnsw::scorer::Work;

/// What a walk needs and the next one can use again.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub visited: Visited,
    pub pool: Pool,
    pub links: Vec<u32>,
    /// The rows that the last step leads to.
    pub fresh: Vec<u32>,
    /// Those of them that are to be compared.
    pub left: Vec<u32>,
    pub work: Work,
    pub among: Among,
}

/// What a walk needs and the next one can use again.
#[derive(Debug, Default)]
pub(crate) struct Among {
    pub pool: Pool,
    /// A bit of each row: allowed, and not compared yet.
    pub fresh: Bits,
    /// A bit of each row: not allowed, and its links not read yet.
    pub unread: Bits,
    pub links: Vec<u32>,
    /// Rows to be compared next.
    pub next: Vec<u32>,
    /// Neighbours that lead on.
    pub through: Vec<u32>,
    pub starts: Vec<u32>,
}

impl Scratch {
    /// What the last walk through a layer found, the nearest first.
    pub fn found(&self) -> impl ExactSizeIterator<Item = Hit> {
        self.pool.iter()
    }
}
