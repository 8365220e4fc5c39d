use crate::Error;

/// The default number of candidates that a search expands.
pub const DEFAULT_EF_SEARCH: usize = 128;

/// How the graph of an index with [`Similarity::Dot`](crate::Similarity::Dot) is built. Scores are the same either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InnerProduct {
    /// Rows are near if their inner product is high (Morozov and Babenko, "Non-metric Similarity Graphs for Maximum Inner
    /// Product Search", 2018).
    #[default]
    Graph,
    /// Rows are near if their Euclidean distance is small after x ↦ (x, √(φ² − |x|²)), with φ the maximum length of a row.
    /// The row nearest to (q, 0) then has the highest inner product with q (Bachrach et al., "Speeding Up the Xbox
    /// Recommender System Using a Euclidean Transformation for Inner-Product Spaces", 2014).
    ///
    /// A row longer than φ raises φ. Neighbors chosen before stay, and are still good ones if φ grows little: add long rows
    /// first.
    AugmentedL2,
}

impl InnerProduct {
    /// `graph` or `augmentedL2`, as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::AugmentedL2 => "augmentedL2",
        }
    }

    /// The value of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Graph, Self::AugmentedL2].into_iter().find(|value| value.name() == name)
    }
}

/// What an index stores per row besides its vector and its neighbors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Codes of half a byte per number and, above dimension 128, a sketch of one cache line. Sketches rule out most of the
    /// rows that a search meets, before their codes are read.
    #[default]
    Fast,
    /// The codes alone.
    Compact,
}

impl Layout {
    /// `fast` or `compact`, as in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Compact => "compact",
        }
    }

    /// The layout of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Fast, Self::Compact].into_iter().find(|layout| layout.name() == name)
    }
}

/// How a graph is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HnswOptions {
    /// The maximum number of neighbors of a row in the layers above layer 0, which has `2 * m`; 2 to 1024.
    pub m: usize,
    /// Candidates kept while inserting a row, of which up to `m` become neighbors; 1 to 65,536.
    pub ef_construction: usize,
    /// Decides the levels of the rows.
    pub seed: u64,
    /// Whether a list that diverse neighbors do not fill takes the nearest of those that were pruned.
    pub keep_pruned: bool,
    /// For inner products only.
    pub inner_product: InnerProduct,
    /// What is stored besides vectors and neighbors. It does not change recall beyond chance.
    pub layout: Layout,
}

impl Default for HnswOptions {
    /// 24 neighbors, 200 candidates, seed 42, pruned neighbors kept, [`InnerProduct::Graph`], [`Layout::Fast`].
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
