use crate::Error;

/// Candidates kept while searching, where the caller has no wish.
pub const DEFAULT_EF_SEARCH: usize = 128;

/// How the graph of an index with [`Similarity::Dot`](crate::Similarity::Dot) is built. Scores are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InnerProduct {
    /// Near is a great inner product (Morozov and Babenko, "Non-metric Similarity Graphs for Maximum Inner
    /// Product Search", 2018).
    #[default]
    Graph,
    /// Near is a small Euclidean distance after x ↦ (x, √(φ² − |x|²)), with φ the greatest length of a row; then
    /// nearest to (q, 0) is the greatest inner product (Bachrach et al., "Speeding Up the Xbox Recommender System
    /// Using a Euclidean Transformation for Inner-Product Spaces", 2014). A row longer than φ raises φ; the links
    /// made before stay, and are good ones under the new φ as long as it grows little: add long rows first.
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

    /// The way of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Graph, Self::AugmentedL2].into_iter().find(|way| way.name() == name)
    }
}

/// What an index stores of each row beside its vector and its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// Codes of half a byte a number, and above dimension 128 a line of memory (two above dimension 640) by which most
    /// rows that a walk sees are ruled out before their codes are read.
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
    /// Links per node above layer 0, which has `2 * m`; 2 to 1024.
    pub m: usize,
    /// Candidates kept while inserting, of which up to `m` become links; 1 to 65,536.
    pub ef_construction: usize,
    /// Decides the layers of the rows.
    pub seed: u64,
    /// Whether links left over by the choice of diverse neighbours go to the nearest of those it passed over.
    pub keep_pruned: bool,
    /// For inner products only.
    pub inner_product: InnerProduct,
    /// What is stored beside vectors and links. Recall is the same within what chance does.
    pub layout: Layout,
}

impl Default for HnswOptions {
    /// 24 links, 200 candidates, seed 42, pruned neighbours kept, [`InnerProduct::Graph`], [`Layout::Fast`].
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
        for (name, got, least, most) in ranges {
            if !(least..=most).contains(&got) {
                let expected = format!("{least} to {most}");
                return Err(Error::Option { name, expected, got: got.to_string() });
            }
        }
        Ok(())
    }
}
