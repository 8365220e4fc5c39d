//! The interface between `batch.rs` and the loops of `panels.rs`: function pointers, their arguments and their results.

/// The functions that score panels of queries against panels of rows with one instruction set. `panels.rs` describes
/// panels.
#[derive(Debug)]
pub(crate) struct PanelKernels {
    /// Number of floats in a chunk of a vector; a chunk fills one register.
    pub chunk_len: usize,
    /// Number of queries in a panel.
    pub queries: usize,
    /// Number of rows in a panel.
    pub rows: usize,
    pub pack_query: PackFn,
    pub pack_row: PackFn,
    pub select_dot: SelectFn,
    pub select_squared_l2: SelectFn,
    pub score_dot: ScoreFn,
    pub score_squared_l2: ScoreFn,
}

/// `(vector, slot, panel)` writes a vector to a slot of a panel.
type PackFn = unsafe fn(&[f32], usize, &mut [f32]);
/// Writes the tiles that have a score at or above its threshold to [`SelectArgs::tiles`], and returns their number.
type SelectFn = unsafe fn(SelectArgs<'_>) -> usize;
/// Writes all scores to [`ScoreArgs::scores`].
type ScoreFn = unsafe fn(ScoreArgs<'_>);

/// Arguments of a [`SelectFn`]: panels of queries, panels of rows, and a buffer for the selected tiles.
pub(crate) struct SelectArgs<'a> {
    /// Number of chunks per vector.
    pub chunks: usize,
    /// The panels of queries.
    pub queries: &'a [f32],
    /// The panels of rows.
    pub rows: &'a [f32],
    /// Memory to prefetch while scores are computed.
    pub read_next: &'a [u8],
    /// For each panel of queries, the threshold of each pair of a tile. All pairs of a query have the same threshold.
    pub thresholds: &'a [f32],
    /// Has room for all tiles: one for each panel of queries with each panel of rows.
    pub tiles: &'a mut [Tile],
}

/// Arguments of a [`ScoreFn`]: panels of queries, panels of rows, and a buffer for all scores.
pub(crate) struct ScoreArgs<'a> {
    /// Number of chunks per vector.
    pub chunks: usize,
    /// The panels of queries.
    pub queries: &'a [f32],
    /// The panels of rows.
    pub rows: &'a [f32],
    /// Memory to prefetch while scores are computed.
    pub read_next: &'a [u8],
    /// Distance between the first scores of two consecutive queries, in floats.
    pub stride: usize,
    /// The score of query `q` and row `r` goes to `q * stride + r`. Scores of unused slots of panels are written too.
    pub scores: &'a mut [f32],
}

/// The scores of all pairs of a query and a row from one panel of queries and one panel of rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tile {
    /// The score of query `q` and row `r` of the panels is at `q * rows + r`.
    pub scores: [f32; MAX_PAIRS],
    /// Bit `i` is set if score `i` is at or above its threshold.
    pub selected: u32,
    /// Number of the panel of queries, from 0.
    pub query_panel: u32,
    /// Number of the panel of rows, from 0.
    pub row_panel: u32,
}

/// Maximum number of pairs in a tile, over all instruction sets.
const MAX_PAIRS: usize = 16;
