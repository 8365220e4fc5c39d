//! Scores a batch of queries: copies queries and rows into the layout of `panels.rs`, and calls the loops there.

use std::fmt;

use super::dispatch::Kernels;
use super::panel_kernels::{ScoreArgs, SelectArgs, Tile};

/// How a [`Batch`] scores a query and a row. Higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// The inner product.
    Dot,
    /// The negated squared Euclidean distance.
    NegatedSquaredL2,
}

/// Scores many queries against many rows, and reports only the scores at or above a threshold.
///
/// Queries are copied once into panels (`panels.rs`), whose layout lets the sums of all pairs of a few queries and a
/// few rows (a tile) stay in registers. Every query has a threshold. Scores are compared with the threshold of their
/// query while they are in registers. If no score of a tile is at or above its threshold, the next tile overwrites
/// this one in the list of tiles to report, which takes no branch.
///
/// ```
/// use kernels::{Batch, Kernels, Score};
///
/// let mut batch = Batch::new(Kernels::detect(), Score::Dot, 2, &[1.0, 0.0, 0.0, 1.0]);
/// let rows: [&[f32]; 3] = [&[1.0, 2.0], &[3.0, 4.0], &[2.0, 3.0]];
/// let mut best = [(0, f32::NEG_INFINITY); 2];
/// batch.score(&rows, &[], |query, row, score| {
///     best[query] = (row, score);
///     score.next_up() // The new threshold: from now on, only better rows are reported.
/// });
/// assert_eq!(best, [(1, 3.0), (1, 4.0)]);
/// ```
pub struct Batch {
    kernels: &'static Kernels,
    score: Score,
    dim: usize,
    /// All panels of queries.
    queries: AlignedFloats,
    /// The panels of the rows of the current call; the buffer is reused by the next call.
    rows: AlignedFloats,
    /// Maximum number of rows of one call.
    rows_at_once: usize,
    /// The threshold of each query, repeated for each row of a panel, so that it can be compared with a register of
    /// scores.
    thresholds: Vec<f32>,
    /// A buffer for the tiles that have scores to report; reused by the next call.
    tiles: Vec<Tile>,
}

/// Maximum number of bytes of the rows of one call, unless a single panel is larger. All panels of queries are scored
/// against these rows, which should stay in the L1 data cache: with 1,024 dimensions, these rows and two panels of
/// queries take 48 KiB with AVX-512 and 32 KiB with AVX2.
const ROW_BYTES: usize = 16 << 10;
/// Maximum number of bytes of the queries of one batch, unless two panels are larger. The queries should stay in the L2
/// cache.
const QUERY_BYTES: usize = 512 << 10;
/// Maximum number of rows of one call. With [`MAX_QUERIES`], it limits the list of tiles if vectors are short.
const MAX_ROWS: usize = 64;
/// Maximum number of queries that [`Batch::queries_at_once`] returns.
const MAX_QUERIES: usize = 1024;

impl Batch {
    /// Makes a batch of `q` queries. `queries` is `[q * dim]`, row-major.
    ///
    /// # Panics
    ///
    /// If `dim` is 0 or does not divide the length of `queries`.
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
        // Comparisons with NaN are false, so the unused slots of the last panel are never reported.
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

    /// Returns the number of queries for which one batch is fastest. More queries should be split into several batches.
    #[must_use]
    pub fn queries_at_once(kernels: &Kernels, dim: usize) -> usize {
        let panel = kernels.panels.queries;
        (QUERY_BYTES / size_of::<f32>() / dim.max(1) / panel).clamp(2, MAX_QUERIES / panel) * panel
    }

    /// Returns the maximum number of rows for one call of [`score`](Self::score), which is also the fastest number.
    #[must_use]
    pub fn rows_at_once(&self) -> usize {
        self.rows_at_once
    }

    /// Scores every query against `rows`, and calls `report(query, row, score)` for scores at or above the query's
    /// threshold, with the positions of the query and of the row. `report` returns the query's new threshold, which
    /// also applies to later calls. In a new batch, all thresholds are −∞, so all scores except NaN are reported.
    ///
    /// The rows of a query are reported in order. A score has the same bits as the value of [`Kernels`] (negated for
    /// squared distances), except that −0 becomes 0. `read_next` is memory that will soon be read, such as the next
    /// rows; it is prefetched.
    ///
    /// # Panics
    ///
    /// If there are more than [`rows_at_once`](Self::rows_at_once) rows or a row has a different dimension.
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
                // The last panel may have unused slots after the last row. The threshold may have changed since the
                // scores were compared with it.
                if row < rows.len() && tile.scores[pair] >= thresholds[0] {
                    let threshold = report(query, row, tile.scores[pair]);
                    if threshold != thresholds[0] {
                        thresholds.fill(threshold);
                    }
                }
            }
        }
    }

    /// Scores every query against `rows`, and writes the score of query `q` and row `r` to `scores[q * stride + r]`. A
    /// score has the same bits as the value of [`Kernels`] (negated for squared distances), except that −0 becomes 0.
    /// Other elements of `scores` may be overwritten.
    ///
    /// `read_next` is memory that will soon be read, such as the next rows; it is prefetched.
    ///
    /// # Panics
    ///
    /// If there are more than [`rows_at_once`](Self::rows_at_once) rows, a row has a different dimension, or `scores`
    /// is shorter than [`score_buffer_len`](Self::score_buffer_len).
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

    /// Returns the minimum length of the `scores` of [`score_all`](Self::score_all) for this number of rows.
    ///
    /// # Panics
    ///
    /// If `stride` is less than `rows` rounded up to a multiple of 4, the number of rows in a panel.
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

    /// A batch of one query with two dimensions.
    fn batch() -> Batch {
        Batch::new(Kernels::detect(), Score::Dot, 2, &[1.0, 2.0])
    }

    #[test]
    fn the_list_of_tiles_stays_small_even_for_short_vectors() {
        for kernels in Kernels::available() {
            assert!(Batch::queries_at_once(kernels, 1) <= MAX_QUERIES);
            assert!(Batch::new(kernels, Score::Dot, 1, &[1.0]).rows_at_once() <= MAX_ROWS);
            assert!(Batch::new(kernels, Score::Dot, 1 << 16, &[]).rows_at_once() >= 1);
        }
    }

    #[test]
    #[should_panic(expected = "batch: expected queries of dimension 2, got 3 values")]
    fn queries_of_a_different_dimension_are_refused() {
        let _ = Batch::new(Kernels::detect(), Score::Dot, 2, &[1.0; 3]);
    }

    #[test]
    #[should_panic(expected = "batch: expected rows of dimension 2, got 3 values")]
    fn rows_of_a_different_dimension_are_refused() {
        batch().score(&[&[1.0; 3]], &[], |_, _, score| score);
    }

    #[test]
    #[should_panic(expected = "batch: expected up to 64 rows, got 65")]
    fn too_many_rows_are_refused() {
        let row: &[f32] = &[1.0; 2];
        batch().score(&[row; 65], &[], |_, _, score| score);
    }
}
