//! The options of the graph of an HNSW or growing index.

use crate::Error;

/// The default of `ef`, the number of candidates that a beam search expands.
pub const DEFAULT_EF_SEARCH: usize = 128;

/// How a graph represents inner products, for [`Similarity::Dot`](crate::Similarity::Dot): which rows count as near
/// each other. Scores are inner products either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InnerProduct {
    /// Rows are near if their inner product is high (Morozov and Babenko, "Non-metric Similarity Graphs for Maximum
    /// Inner Product Search", 2018).
    #[default]
    Graph,
    /// Rows are near if their Euclidean distance is small after each row x is augmented to (x, √(φ² − |x|²)), with φ
    /// the maximum length of a row. The row nearest to (q, 0) then has the highest inner product with the query q
    /// (Bachrach et al., "Speeding Up the Xbox Recommender System Using a Euclidean Transformation for Inner-Product
    /// Spaces", 2014).
    ///
    /// Adding a row longer than φ raises φ. Neighbors that were selected with a smaller φ are kept, and recall suffers
    /// if φ grows much, so add the longest rows first.
    AugmentedL2,
}

impl InnerProduct {
    /// Returns the name: `graph` or `augmentedL2`, as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::AugmentedL2 => "augmentedL2",
        }
    }

    /// Returns the value with this name; `None` for any other name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Graph, Self::AugmentedL2].into_iter().find(|value| value.name() == name)
    }
}

/// What an index stores per row besides its vector and its neighbors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Codes of 4 bits per number (8 bits up to dimension 64) and, above dimension 128, a sketch: one cache line of 64
    /// bytes with the signs of up to 384 numbers of the rotated row. A search estimates the score of a row from its
    /// sketch, and discards most rows before it reads their codes.
    #[default]
    Fast,
    /// Only the codes.
    Compact,
}

impl Layout {
    /// Returns the name: `fast` or `compact`, as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Compact => "compact",
        }
    }

    /// Returns the layout with this name; `None` for any other name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Fast, Self::Compact].into_iter().find(|layout| layout.name() == name)
    }
}

/// How a graph is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HnswOptions {
    /// The maximum number of neighbors of a row in each layer above layer 0; in layer 0 it is `2 * m`. From 2 to 1024.
    pub m: usize,
    /// The number of candidates that a beam search finds in each layer when a row is inserted. Up to `m` of the
    /// candidates in a layer are selected as the row's neighbors there. From 1 to 65,536.
    pub ef_construction: usize,
    /// Determines the random levels of the rows.
    pub seed: u64,
    /// Whether the nearest pruned candidates fill the free places in the adjacency list of a row. A candidate is pruned
    /// if it is nearer to a selected neighbor than to the row.
    pub keep_pruned: bool,
    /// Which rows are near each other; used with [`Similarity::Dot`](crate::Similarity::Dot) only.
    pub inner_product: InnerProduct,
    /// What is stored besides vectors and neighbors. The choice hardly changes recall.
    pub layout: Layout,
}

impl Default for HnswOptions {
    /// `m` = 24, `ef_construction` = 200, seed 42, pruned candidates kept, [`InnerProduct::Graph`], [`Layout::Fast`].
    fn default() -> Self {
        Self {
            m: 24,
            ef_construction: 200,
            seed: 42,
            keep_pruned: true,
            inner_product: InnerProduct::default(),
            layout: Layout::default(),
        }
    }
}

impl HnswOptions {
    /// Fails if an option is outside its range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let ranges = [("m", self.m, 2, 1024), ("ef_construction", self.ef_construction, 1, 1 << 16)];
        for (name, got, min, max) in ranges {
            if !(min..=max).contains(&got) {
                let expected = format!("{min} to {max}");
                return Err(Error::Option { name, expected, got: got.to_string() });
            }
        }
        Ok(())
    }
}
