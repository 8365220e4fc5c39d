//! What to search for, and what to return.

use fusion::Method;
use sparse::{Bm25, Filter};

/// How passages are retrieved.
#[derive(Debug, Clone, PartialEq)]
pub enum Retriever {
    /// By words, with BM25.
    Bm25,
    /// By vectors.
    Dense,
    /// By words and by vectors, with fused scores.
    Hybrid {
        /// How the two lists of hits are fused. The list by vectors is the first, the list by words is the second.
        method: Method,
        /// The minimum number of hits taken from each list. If the requested page ends at a higher rank, more hits are
        /// taken.
        depth: usize,
    },
}

/// A search.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The text of the query, for [`Retriever::Bm25`], [`Retriever::Hybrid`], and highlights.
    pub text: &'a str,
    /// The vector of the query `[dim]`, for [`Retriever::Dense`] and [`Retriever::Hybrid`].
    pub vector: Option<&'a [f32]>,
    /// How passages are retrieved.
    pub retriever: Retriever,
    /// The maximum number of hits of the page.
    pub k: usize,
    /// The number of hits to skip before the page; 0 for the first page.
    pub offset: usize,
    /// Which passages may be hits; `None` for all.
    pub filter: Option<&'a Filter>,
    /// Whether each document is returned once, with its best passage.
    pub group_by_document: bool,
    /// The parameters of BM25.
    pub bm25: Bm25,
    /// The number of candidates that the beam search expands in the HNSW graph.
    pub ef: usize,
    /// Whether the query is compared with every vector that the filter allows, instead of searching the graph.
    pub exact: bool,
    /// Which parts of the hits are returned.
    pub include: Include,
}

/// Which parts of hits are returned besides ids and scores.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Include {
    /// Title, text and fields.
    pub contents: bool,
    /// The byte ranges of the query's words in the text.
    pub highlights: bool,
}
