use std::fmt;

use super::dispatch::Kernels;
use super::panel_kernels::{ScoreArgs, SelectArgs, Tile};

/// What a [`Batch`] scores with. Higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// The inner product.
    Dot,
    /// The negated squared Euclidean distance.
    NegatedSquaredL2,
}

/// Scores many queries against many rows, and reports only the scores that matter.
///
/// Queries are copied once into panels (`panels.rs`), whose layout lets a tile of queries and rows stay in registers. Every
/// query has a threshold. Scores are compared with it while they are in registers, so a score that is too low costs
/// neither a store nor a branch.
///
/// ```
/// use kernels::{Batch, Kernels, Score};
///
/// let mut batch = Batch::new(Kernels::detect(), Score::Dot, 2, &[1.0, 0.0, 0.0, 1.0]);
/// let rows: [&[f32]; 3] = [&[1.0, 2.0], &[3.0, 4.0], &[2.0, 3.0]];
/// let mut best = [(0, f32::NEG_INFINITY); 2];
/// batch.score(&rows, &[], |query, row, score| {
///     best[query] = (row, score);
///     score.next_up()
/// });
/// assert_eq!(best, [(1, 3.0), (1, 4.0)]);
/// ```
pub struct Batch {
    kernels: &'static Kernels,
    score: Score,
    dim: usize,
    /// Panels of queries.
    queries: AlignedFloats,
    /// Panels of the rows that are scored, reused by each call.
    rows: AlignedFloats,
    rows_at_once: usize,
    /// For each query its threshold, as many times as a panel has rows.
    thresholds: Vec<f32>,
    tiles: Vec<Tile>,
}

/// Bytes of rows that are scored against each panel of queries: together with two panels of queries they fit the
/// first-level cache.
const ROW_BYTES: usize = 16 << 10;
/// Bytes of queries that fit the second-level cache.
const QUERY_BYTES: usize = 512 << 10;
/// Maximum number of rows and queries at once. It keeps the list of tiles small if vectors are short.
const MAX_ROWS: usize = 64;
const MAX_QUERIES: usize = 1024;

impl Batch {
    /// A batch of the queries `[q * dim]`.
    ///
    /// # Panics
    ///
    /// If `dim` is 0 or `queries` is not of that dimension.
    #[must_use]
    pub fn new(kernels: &'static Kernels, score: Score, dim: usize, queries: &[f32]) -> Self {
        assert!(dim > 0, "batch: expected a dimension of 1 or more, got 0");
        let length = queries.len();
        assert!(
            length.is_multiple_of(dim),
            "batch: expected queries of dimension {dim}, got {length} values"
        );
        let panels = kernels.panels;
        let padded_dim = dim.next_multiple_of(panels.chunk_len);
        let row_panels = ROW_BYTES / (padded_dim * size_of::<f32>() * panels.rows);
        let rows_at_once = row_panels.clamp(1, MAX_ROWS / panels.rows) * panels.rows;
        let count = length / dim;
        let query_panels = count.div_ceil(panels.queries);
        let panel_len = panels.queries * padded_dim;
        let mut packed = AlignedFloats::zeros(query_panels * panel_len);
        // Comparisons with NaN are false, so the unused places of the last panel are never reported.
        let mut thresholds = vec![f32::NAN; query_panels * panels.queries * panels.rows];
        thresholds[..count * panels.rows].fill(f32::NEG_INFINITY);
        for (at, query) in queries.chunks_exact(dim).enumerate() {
            let panel = &mut packed.values()[at / panels.queries * panel_len..][..panel_len];
            // SAFETY: `kernels` exists, so the CPU has the features that its functions need.
            unsafe { (panels.pack_query)(query, at % panels.queries, panel) }
        }
        let rows = AlignedFloats::zeros(rows_at_once * padded_dim);
        let tiles = vec![Tile::default(); query_panels * (rows_at_once / panels.rows)];
        Self { kernels, score, dim, queries: packed, rows, rows_at_once, thresholds, tiles }
    }

    /// The number of queries for which one batch is fastest; more queries are best split into several batches.
    #[must_use]
    pub fn queries_at_once(kernels: &Kernels, dim: usize) -> usize {
        let panel = kernels.panels.queries;
        (QUERY_BYTES / size_of::<f32>() / dim.max(1) / panel).clamp(2, MAX_QUERIES / panel) * panel
    }

    /// The maximum number of rows for one call of [`score`](Self::score), which is also the fastest.
    #[must_use]
    pub fn rows_at_once(&self) -> usize {
        self.rows_at_once
    }

    /// Scores every query against `rows`, and calls `report(query, row, score)` for scores at or above the query's
    /// threshold. `report` returns the query's next threshold; before its first call all scores except NaN are reported.
    ///
    /// The rows of a query are reported in order. A score has the same bits as with [`Kernels`], except that −0 becomes 0.
    /// `read_next` is memory that will soon be read, such as the next rows; it is prefetched.
    ///
    /// # Panics
    ///
    /// If there are more than [`rows_at_once`](Self::rows_at_once) rows or a row is of another dimension.
    pub fn score(
        &mut self,
        rows: &[&[f32]],
        read_next: &[u8],
        mut report: impl FnMut(usize, usize, f32) -> f32,
    ) {
        let packed_len = self.pack(rows);
        let panels = self.kernels.panels;
        let args = SelectArgs {
            chunks: self.dim.div_ceil(panels.chunk_len),
            queries: self.queries.values(),
            rows: &self.rows.values()[..packed_len],
            read_next,
            thresholds: &self.thresholds,
            tiles: &mut self.tiles,
        };
        let select = match self.score {
            Score::Dot => panels.select_dot,
            Score::NegatedSquaredL2 => panels.select_squared_l2,
        };
        // SAFETY: `self.kernels` exists, so the CPU has the features that its functions need.
        let tile_count = unsafe { select(args) };
        for tile in &self.tiles[..tile_count] {
            let mut selected = tile.selected;
            while selected != 0 {
                let pair = selected.trailing_zeros() as usize;
                selected &= selected - 1;
                let query = tile.query_panel as usize * panels.queries + pair / panels.rows;
                let row = tile.row_panel as usize * panels.rows + pair % panels.rows;
                let thresholds = &mut self.thresholds[query * panels.rows..][..panels.rows];
                // The last panel may have unused places behind the rows. The threshold may have risen since the
                // comparison.
                if row < rows.len() && tile.scores[pair] >= thresholds[0] {
                    let threshold = report(query, row, tile.scores[pair]);
                    if threshold != thresholds[0] {
                        thresholds.fill(threshold);
                    }
                }
            }
        }
    }

    /// Scores every query against `rows`: the score of query `q` and row `r` goes to `scores[q * stride + r]`. It has the
    /// same bits as with [`Kernels`], except that −0 becomes 0. Other elements of `scores` may be overwritten.
    ///
    /// `read_next` is memory that will soon be read, such as the next rows; it is prefetched.
    ///
    /// # Panics
    ///
    /// If there are more than [`rows_at_once`](Self::rows_at_once) rows, a row is of another dimension, or `scores` is
    /// shorter than [`score_buffer_len`](Self::score_buffer_len).
    pub fn score_all(&mut self, rows: &[&[f32]], read_next: &[u8], stride: usize, scores: &mut [f32]) {
        let packed_len = self.pack(rows);
        let panels = self.kernels.panels;
        let (expected, got) = (self.score_buffer_len(rows.len(), stride), scores.len());
        assert!(got >= expected, "batch: expected room for {expected} scores, got {got}");
        let args = ScoreArgs {
            chunks: self.dim.div_ceil(panels.chunk_len),
            queries: self.queries.values(),
            rows: &self.rows.values()[..packed_len],
            read_next,
            stride,
            scores,
        };
        let score = match self.score {
            Score::Dot => panels.score_dot,
            Score::NegatedSquaredL2 => panels.score_squared_l2,
        };
        // SAFETY: `self.kernels` exists, so the CPU has the features that its functions need.
        unsafe { score(args) }
    }

    /// The number of scores that [`score_all`](Self::score_all) needs room for.
    ///
    /// # Panics
    ///
    /// If `stride` is less than `rows` rounded up to a multiple of 4.
    #[must_use]
    pub fn score_buffer_len(&self, rows: usize, stride: usize) -> usize {
        let panels = self.kernels.panels;
        let padded_rows = rows.next_multiple_of(panels.rows);
        assert!(padded_rows <= stride, "batch: expected a stride of {padded_rows} or more, got {stride}");
        let queries = self.thresholds.len() / panels.rows;
        if queries == 0 { 0 } else { (queries - 1) * stride + padded_rows }
    }

    /// Copies `rows` into panels, and returns the number of floats of these panels.
    fn pack(&mut self, rows: &[&[f32]]) -> usize {
        let (dim, max_rows, panels) = (self.dim, self.rows_at_once, self.kernels.panels);
        assert!(rows.len() <= max_rows, "batch: expected up to {max_rows} rows, got {}", rows.len());
        let padded_dim = dim.next_multiple_of(panels.chunk_len);
        let panel_len = panels.rows * padded_dim;
        for (at, row) in rows.iter().enumerate() {
            let length = row.len();
            assert!(length == dim, "batch: expected rows of dimension {dim}, got {length} values");
            let panel = &mut self.rows.values()[at / panels.rows * panel_len..][..panel_len];
            // SAFETY: `self.kernels` exists, so the CPU has the features that its functions need.
            unsafe { (panels.pack_row)(row, at % panels.rows, panel) }
        }
        rows.len().div_ceil(panels.rows) * panel_len
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernels, score, dim, .. } = self;
        f.debug_struct("Batch")
            .field("kernels", &kernels.name)
            .field("score", score)
            .field("dim", dim)
            .finish()
    }
}

/// Floats that start at a cache line, so that no load of a chunk touches two lines.
struct AlignedFloats {
    storage: Vec<f32>,
    start: usize,
    length: usize,
}

impl AlignedFloats {
    const LINE_BYTES: usize = 64;

    fn zeros(length: usize) -> Self {
        let storage = vec![0.0; length + Self::LINE_BYTES / size_of::<f32>()];
        let start = storage.as_ptr().align_offset(Self::LINE_BYTES);
        Self { storage, start, length }
    }

    fn values(&mut self) -> &mut [f32] {
        &mut self.storage[self.start..][..self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch() -> Batch {
        Batch::new(Kernels::detect(), Score::Dot, 2, &[1.0, 2.0])
    }

    #[test]
    fn the_list_of_tiles_stays_small_however_short_the_vectors() {
        for kernels in Kernels::available() {
            assert!(Batch::queries_at_once(kernels, 1) <= MAX_QUERIES);
            assert!(Batch::new(kernels, Score::Dot, 1, &[1.0]).rows_at_once() <= MAX_ROWS);
            assert!(Batch::new(kernels, Score::Dot, 1 << 16, &[]).rows_at_once() >= 1);
        }
    }

    #[test]
    #[should_panic(expected = "batch: expected queries of dimension 2, got 3 values")]
    fn queries_of_another_dimension_are_refused() {
        let _ = Batch::new(Kernels::detect(), Score::Dot, 2, &[1.0; 3]);
    }

    #[test]
    #[should_panic(expected = "batch: expected rows of dimension 2, got 3 values")]
    fn rows_of_another_dimension_are_refused() {
        batch().score(&[&[1.0; 3]], &[], |_, _, score| score);
    }

    #[test]
    #[should_panic(expected = "batch: expected up to 64 rows, got 65")]
    fn too_many_rows_are_refused() {
        let row: &[f32] = &[1.0; 2];
        batch().score(&[row; 65], &[], |_, _, score| score);
    }
}
