//! What `batch.rs` passes to the loops of `panels.rs`, and gets back from them.

/// The functions that score panels of queries against panels of rows with one instruction set. `panels.rs` describes
/// panels.
#[derive(Debug)]
pub(crate) struct PanelKernels {
    /// Numbers in a chunk of a vector, which fill one register.
    pub chunk_len: usize,
    /// Queries in a panel.
    pub queries: usize,
    /// Rows in a panel.
    pub rows: usize,
    pub pack_query: PackFn,
    pub pack_row: PackFn,
    pub select_dot: SelectFn,
    pub select_squared_l2: SelectFn,
    pub score_dot: ScoreFn,
    pub score_squared_l2: ScoreFn,
}

/// `(vector, place, panel)` writes a vector to a place of a panel.
type PackFn = unsafe fn(&[f32], usize, &mut [f32]);
/// Lists the tiles that have a score at or above its threshold, and returns how many there are.
type SelectFn = unsafe fn(SelectArgs<'_>) -> usize;
/// Writes all scores.
type ScoreFn = unsafe fn(ScoreArgs<'_>);

/// Panels of queries and panels of rows, and where the selected tiles go.
pub(crate) struct SelectArgs<'a> {
    /// Number of chunks of every vector.
    pub chunks: usize,
    pub queries: &'a [f32],
    pub rows: &'a [f32],
    /// Memory to prefetch during the work.
    pub read_next: &'a [u8],
    /// For each panel of queries, the thresholds of all pairs of a tile: those of one query are equal.
    pub thresholds: &'a [f32],
    /// Has room for all tiles: one for each panel of queries and panel of rows.
    pub tiles: &'a mut [Tile],
}

/// Panels of queries and panels of rows, and where their scores go.
pub(crate) struct ScoreArgs<'a> {
    /// Number of chunks of every vector.
    pub chunks: usize,
    pub queries: &'a [f32],
    pub rows: &'a [f32],
    /// Memory to prefetch during the work.
    pub read_next: &'a [u8],
    /// Distance from one query's scores to those of the next.
    pub stride: usize,
    /// The score of query `q` and row `r` goes to `q * stride + r`. Unused places of panels have scores too.
    pub scores: &'a mut [f32],
}

/// The scores of a panel of queries and a panel of rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tile {
    /// The score of query `q` and row `r` of the panels is at `q * rows + r`.
    pub scores: [f32; MAX_PAIRS],
    /// Bit `i` is set if score `i` is at or above its threshold.
    pub selected: u32,
    pub query_panel: u32,
    pub row_panel: u32,
}

/// Maximum number of pairs in a tile, over all instruction sets.
const MAX_PAIRS: usize = 16;
