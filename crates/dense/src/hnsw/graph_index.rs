//! The graph over rows whose vectors are stored elsewhere, and the quantized codes with which searches score the rows.

mod file;
mod search;

use std::ops::Range;
use std::sync::Mutex;

use control::Control;

pub(crate) use self::file::RowShape;
pub(crate) use self::search::SearchParams;
use super::build::{BuildContext, insert_revived_rows, insert_rows};
use super::codes::Codes;
use super::graph::Graph;
use super::options::HnswOptions;
use super::planner::{Planner, SearchCosts};
use super::scorer::Scorer;
use super::search::scratch::Scratch;
use super::squared_lengths::SquaredLengths;
use crate::store::rows_view::RowsView;
use crate::{Error, Similarity};

/// The graph and the codes of rows. The rows are stored by the owner (an HNSW or growing index), which passes a view of
/// them to each function. Rows are first [encoded](Self::encode) and then [inserted](Self::insert) into the graph.
#[derive(Debug)]
pub(crate) struct GraphIndex {
    graph: Graph,
    codes: Codes,
    /// Only for graphs of augmented vectors (see `scorer.rs`).
    squared_lengths: Option<SquaredLengths>,
    options: HnswOptions,
    /// The buffers of finished searches, which later searches reuse.
    scratches: Mutex<Vec<Scratch>>,
}

impl GraphIndex {
    /// Creates an empty graph. The caller has [checked](HnswOptions::check) the options.
    pub fn new(dim: usize, similarity: Similarity, options: HnswOptions) -> Self {
        let is_augmented = SquaredLengths::are_needed(similarity, options.inner_product);
        let squared_lengths = is_augmented.then(SquaredLengths::new);
        let codes = Codes::new(dim, similarity, options.layout);
        Self { graph: Graph::new(options.m), codes, squared_lengths, options, scratches: Mutex::default() }
    }

    /// Appends the codes of these rows, which follow the rows that already have codes.
    pub fn encode(&mut self, view: &RowsView, rows: Range<u32>) {
        if let Some(squared_lengths) = &mut self.squared_lengths {
            rows.clone().for_each(|row| squared_lengths.push(view.row(row)));
        }
        self.codes.extend(view, rows);
    }

    /// Keeps the codes of the first `num_rows` rows and removes the others, which must not be in the graph.
    pub fn truncate_codes(&mut self, num_rows: usize) {
        self.codes.truncate(num_rows);
        if let Some(squared_lengths) = &mut self.squared_lengths {
            squared_lengths.truncate(num_rows);
        }
    }

    /// Inserts these rows, which follow the rows in the graph and have codes, on `threads` threads (0: one per CPU).
    /// Rows that are not live get no neighbors. On an error, inserts none. Counts each live row as one unit of
    /// progress.
    pub fn insert(
        &mut self,
        view: &RowsView,
        rows: Range<u32>,
        threads: usize,
        control: &Control,
    ) -> Result<(), Error> {
        let scorer = Scorer::new(*view, self.codes.view(), self.squared_lengths.as_ref());
        let context = BuildContext { scorer, options: &self.options, threads, control };
        insert_rows(&mut self.graph, rows, |row| view.is_live(row), &context)
    }

    /// Gives neighbors to rows that are in the graph, but have none because they were not live when they were
    /// [inserted](Self::insert). On an error, the graph does not change. Counts each row as one unit of progress.
    pub fn insert_revived(
        &mut self,
        view: &RowsView,
        rows: &[u32],
        threads: usize,
        control: &Control,
    ) -> Result<(), Error> {
        let scorer = Scorer::new(*view, self.codes.view(), self.squared_lengths.as_ref());
        let context = BuildContext { scorer, options: &self.options, threads, control };
        insert_revived_rows(&mut self.graph, rows, &context)
    }

    /// Copies a mapped graph and mapped codes to memory, where they can be changed, and reserves space for `additional`
    /// rows.
    pub fn reserve(&mut self, additional: usize) {
        self.graph.reserve(additional);
        self.codes.reserve(additional);
    }

    /// Returns the number of rows in the graph, with or without neighbors.
    pub fn num_graph_rows(&self) -> usize {
        self.graph.num_rows()
    }

    /// Raises the maximum squared length of a row to `squared_length`, if that is larger. The caller does this before
    /// it adds rows of up to this squared length. It matters only for graphs of augmented vectors (see `scorer.rs`).
    pub fn reserve_max(&mut self, squared_length: f32) {
        if let Some(squared_lengths) = &mut self.squared_lengths {
            squared_lengths.reserve_max(squared_length);
        }
    }

    pub fn options(&self) -> &HnswOptions {
        &self.options
    }

    /// Returns the number of bytes on the heap.
    pub fn memory_bytes(&self) -> usize {
        let squared_lengths = self.squared_lengths.as_ref().map_or(0, |all| all.column().memory_bytes());
        self.graph.memory_bytes() + self.codes.memory_bytes() + squared_lengths
    }

    /// Returns the planner of searches in the graph.
    pub fn planner(&self) -> Planner {
        Planner { costs: SearchCosts::detect(self.codes.have_sketches()), m: self.options.m }
    }

    fn scorer<'a>(&'a self, view: &RowsView<'a>) -> Scorer<'a> {
        Scorer::new(*view, self.codes.view(), self.squared_lengths.as_ref())
    }
}
