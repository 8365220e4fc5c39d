//! What to search for, and what to return.

use fusion::Method;
use sparse::{Bm25, Filter};

/// How passages are retrieved.
#[derive(Debug, Clone, PartialEq)]
pub enum Retriever {
    /// By words.
    Bm25,
    /// By vectors.
    Dense,
    /// By both, with fused scores.
    Hybrid {
        /// How the lists are fused: the dense one first, the sparse one second.
        method: Method,
        /// The minimum number of hits taken from each list. A page that ends after it takes more.
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
    /// The maximum number of hits.
    pub k: usize,
    /// The number of hits to skip, for pages after the first.
    pub offset: usize,
    /// Which passages may be hits; `None` for all.
    pub filter: Option<&'a Filter>,
    /// Whether each document is returned once, with its best passage.
    pub group_by_document: bool,
    /// The parameters of BM25.
    pub bm25: Bm25,
    /// The number of candidates that the beam search expands in the graph.
    pub ef: usize,
    /// Whether all vectors are scored, instead of a search of the graph.
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
