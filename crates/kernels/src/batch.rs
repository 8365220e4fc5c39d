use std::fmt;

use crate::Kernels;

/// Many queries times many rows with one instruction set.
#[derive(Debug)]
pub(crate) struct Panels {
    /// Floats of a chunk.
    pub width: usize,
    /// Queries of a panel.
    pub queries: usize,
    /// Rows of a panel.
    pub rows: usize,
    pub pack_queries: Pack,
    pub pack_rows: Pack,
    pub dot: Reach,
    pub squared_l2: Reach,
    pub fill_dot: Write,
    pub fill_squared_l2: Write,
}

/// `(vector, at, panel)`: puts a vector at a place of a panel.
type Pack = unsafe fn(&[f32], usize, &mut [f32]);
/// Lists the tiles with a pair that reaches; returns how many there are.
type Reach = unsafe fn(Work<'_>) -> usize;
/// Writes the scores of all pairs.
type Write = unsafe fn(Fill<'_>);

/// Panels of queries and of rows, all vectors of as many `chunks`.
pub(crate) struct Work<'a> {
    pub chunks: usize,
    pub queries: &'a [f32],
    pub rows: &'a [f32],
    /// What to fetch meanwhile.
    pub ahead: &'a [u8],
    /// For each panel of queries and each pair of a tile, the least score that reaches.
    pub least: &'a [f32],
    /// At least as many as there are tiles, which are the panels of queries times those of rows.
    pub tiles: &'a mut [Tile],
}

/// Panels of queries and of rows, all vectors of as many `chunks`, and room for all their scores.
pub(crate) struct Fill<'a> {
    pub chunks: usize,
    pub queries: &'a [f32],
    pub rows: &'a [f32],
    /// What to fetch meanwhile.
    pub ahead: &'a [u8],
    /// From one query's scores to the next query's.
    pub stride: usize,
    /// Those of query `q` and row `r` at `q * stride + r`, with those that only fill panels.
    pub scores: &'a mut [f32],
}

/// The scores of a panel of queries and a panel of rows.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tile {
    /// Those of query `q` and row `r` of the panels at `q * rows + r`.
    pub scores: [f32; MOST_PAIRS],
    /// A bit for every score that reaches.
    pub reached: u32,
    /// The panel of queries and the panel of rows.
    pub place: (u32, u32),
}

/// The most pairs of a tile of all instruction sets.
const MOST_PAIRS: usize = 16;

/// What a [`Batch`] scores with; higher is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// The inner product.
    Dot,
    /// The squared Euclidean distance with its sign turned.
    NegatedSquaredL2,
}

/// Queries laid out for the fastest scoring of many rows, of which only the scores that matter come out.
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
    queries: Aligned,
    rows: Aligned,
    rows_at_once: usize,
    least: Vec<f32>,
    tiles: Vec<Tile>,
}

/// Bytes of rows that are scored against one panel of queries after the other: together with two such panels they
/// stay in the first cache level.
const ROW_BYTES: usize = 16 << 10;
/// Bytes of the queries of a batch that stay in the second cache level.
const QUERY_BYTES: usize = 512 << 10;
/// The most rows and queries at once of vectors so short that the lists of tiles would outgrow them.
const MOST_ROWS: usize = 64;
const MOST_QUERIES: usize = 1024;

impl Batch {
    /// Lays out the queries `[q * dim]`.
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
        let padded = dim.next_multiple_of(panels.width);
        let row_panels = ROW_BYTES / (padded * size_of::<f32>() * panels.rows);
        let rows_at_once = row_panels.clamp(1, MOST_ROWS / panels.rows) * panels.rows;
        let count = length / dim;
        let panel = panels.queries * padded;
        let mut laid_out = Aligned::zeros(count.div_ceil(panels.queries) * panel);
        let mut least = vec![f32::NAN; count.div_ceil(panels.queries) * panels.queries * panels.rows];
        // A comparison with NaN fails: queries that only fill the last panel are never reported.
        least[..count * panels.rows].fill(f32::NEG_INFINITY);
        for (at, query) in queries.chunks_exact(dim).enumerate() {
            let panel = &mut laid_out.values()[at / panels.queries * panel..][..panel];
            // SAFETY: `kernels` exists, so the CPU has the features that its functions need.
            unsafe { (panels.pack_queries)(query, at % panels.queries, panel) }
        }
        let rows = Aligned::zeros(rows_at_once * padded);
        let tiles = vec![Tile::default(); count.div_ceil(panels.queries) * (rows_at_once / panels.rows)];
        Self { kernels, score, dim, queries: laid_out, rows, rows_at_once, least, tiles }
    }

    /// How many queries of a dimension are best put in one batch where there are many.
    #[must_use]
    pub fn queries_at_once(kernels: &Kernels, dim: usize) -> usize {
        let panel = kernels.panels.queries;
        (QUERY_BYTES / size_of::<f32>() / dim.max(1) / panel).clamp(2, MOST_QUERIES / panel) * panel
    }

    /// The most rows of one [`score`](Self::score), and the number that is fastest.
    #[must_use]
    pub fn rows_at_once(&self) -> usize {
        self.rows_at_once
    }

    /// Scores every query against `rows` of its dimension and calls `report(query, row, score)` for scores that
    /// are as high as what the last report of that query returned, or higher; before the first, for all but NaN.
    /// The rows of a query come in their order. A score has the bits that it has in [`Kernels`], but −0 is 0.
    ///
    /// `ahead` is memory that will soon be read, such as the next rows; it is fetched meanwhile.
    ///
    /// # Panics
    ///
    /// If there are more than [`rows_at_once`](Self::rows_at_once) rows or a row is of another dimension.
    pub fn score(&mut self, rows: &[&[f32]], ahead: &[u8], mut report: impl FnMut(usize, usize, f32) -> f32) {
        let laid_out = self.lay_out(rows);
        let panels = self.kernels.panels;
        let work = Work {
            chunks: self.dim.div_ceil(panels.width),
            queries: self.queries.values(),
            rows: &self.rows.values()[..laid_out],
            ahead,
            least: &self.least,
            tiles: &mut self.tiles,
        };
        let reach = match self.score {
            Score::Dot => panels.dot,
            Score::NegatedSquaredL2 => panels.squared_l2,
        };
        // SAFETY: `self.kernels` exists, so the CPU has the features that its functions need.
        let listed = unsafe { reach(work) };
        for tile in &self.tiles[..listed] {
            let mut reached = tile.reached;
            while reached != 0 {
                let pair = reached.trailing_zeros() as usize;
                reached &= reached - 1;
                let query = tile.place.0 as usize * panels.queries + pair / panels.rows;
                let row = tile.place.1 as usize * panels.rows + pair % panels.rows;
                let least = &mut self.least[query * panels.rows..][..panels.rows];
                // What follows the rows in the last panel is none.
                if row < rows.len() && tile.scores[pair] >= least[0] {
                    let next = report(query, row, tile.scores[pair]);
                    if next != least[0] {
                        least.fill(next);
                    }
                }
            }
        }
    }

    /// Scores every query against `rows` of its dimension: `scores[q * stride + r]` of query `q` and row `r`, with the bits
    /// that it has in [`Kernels`], but −0 is 0. What is beyond the rows up to the `stride`, and beyond the queries, is room
    /// that may be written to.
    ///
    /// `ahead` is memory that will soon be read, such as the next rows; it is fetched meanwhile.
    ///
    /// # Panics
    ///
    /// If there are more than [`rows_at_once`](Self::rows_at_once) rows, a row is of another dimension, or `scores` are
    /// fewer than [`room`](Self::room).
    pub fn score_all(&mut self, rows: &[&[f32]], ahead: &[u8], stride: usize, scores: &mut [f32]) {
        let laid_out = self.lay_out(rows);
        let panels = self.kernels.panels;
        let (room, got) = (self.room(rows.len(), stride), scores.len());
        assert!(got >= room, "batch: expected room for {room} scores, got {got}");
        let work = Fill {
            chunks: self.dim.div_ceil(panels.width),
            queries: self.queries.values(),
            rows: &self.rows.values()[..laid_out],
            ahead,
            stride,
            scores,
        };
        let fill = match self.score {
            Score::Dot => panels.fill_dot,
            Score::NegatedSquaredL2 => panels.fill_squared_l2,
        };
        // SAFETY: `self.kernels` exists, so the CPU has the features that its functions need.
        unsafe { fill(work) }
    }

    /// How many scores [`score_all`](Self::score_all) wants room for.
    ///
    /// # Panics
    ///
    /// If rows do not fit the `stride`: it is at least their number, rounded up to a multiple of 4.
    #[must_use]
    pub fn room(&self, rows: usize, stride: usize) -> usize {
        let panels = self.kernels.panels;
        let wide = rows.next_multiple_of(panels.rows);
        assert!(wide <= stride, "batch: expected a stride of {wide} or more, got {stride}");
        let queries = self.least.len() / panels.rows;
        if queries == 0 { 0 } else { (queries - 1) * stride + wide }
    }

    /// Lays out `rows`, and returns how many numbers their panels have.
    fn lay_out(&mut self, rows: &[&[f32]]) -> usize {
        let (dim, most, panels) = (self.dim, self.rows_at_once, self.kernels.panels);
        assert!(rows.len() <= most, "batch: expected up to {most} rows, got {}", rows.len());
        let padded = dim.next_multiple_of(panels.width);
        let panel = panels.rows * padded;
        for (at, row) in rows.iter().enumerate() {
            let length = row.len();
            assert!(length == dim, "batch: expected rows of dimension {dim}, got {length} values");
            let panel = &mut self.rows.values()[at / panels.rows * panel..][..panel];
            // SAFETY: `self.kernels` exists, so the CPU has the features that its functions need.
            unsafe { (panels.pack_rows)(row, at % panels.rows, panel) }
        }
        rows.len().div_ceil(panels.rows) * panel
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

/// Floats from the beginning of a cache line, so that no load crosses into another.
struct Aligned {
    storage: Vec<f32>,
    start: usize,
    length: usize,
}

impl Aligned {
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
    fn lists_of_tiles_stay_small_however_short_the_vectors() {
        for kernels in Kernels::available() {
            assert!(Batch::queries_at_once(kernels, 1) <= MOST_QUERIES);
            assert!(Batch::new(kernels, Score::Dot, 1, &[1.0]).rows_at_once() <= MOST_ROWS);
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
