//! Scores rows by their codes: what graph searches, code scans and the builder compare.
//!
//! Scores are approximate, and higher is nearer. For inner products and cosine a score is about `q·x`; for L2 it is about
//! `q·x − |x|²/2`, which falls as the distance grows.
//!
//! **Augmented vectors.** With [`InnerProduct::AugmentedL2`](crate::InnerProduct::AugmentedL2) the graph of inner products is
//! built with a distance (Bachrach et al., 2014): each row gets one more coordinate, `x' = (x, √(φ² − |x|²))`, with
//! `φ` the maximum length of a row, so that all rows have the length `φ`, and
//!
//! ```text
//! |x' − y'|² = 2φ² − 2·(x·y + √(φ² − |x|²) · √(φ² − |y|²))
//! ```
//!
//! falls as the sum in brackets grows. That sum is the score between two rows. A query has 0 as its augmented coordinate,
//! so its scores remain inner products.

use crate::hnsw::codes::{CodesView, QuantizedQuery, Threshold};
use crate::hnsw::squared_lengths::SquaredLengths;
use crate::store::rows_view::RowsView;

/// Scores the rows of an index by their codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scorer<'a> {
    view: RowsView<'a>,
    codes: CodesView<'a>,
    augmented: Option<AugmentedCoordinates<'a>>,
}

/// Buffers of a scorer, and the scores that it computed last.
#[derive(Debug, Default)]
pub(crate) struct ScoreBuffers {
    products: Vec<i32>,
    /// The scores of the rows passed to [`Scorer::score`], in their order.
    pub scores: Vec<f32>,
}

/// |x|² of the rows in a file and of those appended, and φ².
#[derive(Debug, Clone, Copy)]
struct AugmentedCoordinates<'a> {
    mapped: &'a [f32],
    appended: &'a [f32],
    max: f32,
}

impl<'a> Scorer<'a> {
    pub fn new(
        view: RowsView<'a>,
        codes: CodesView<'a>,
        squared_lengths: Option<&'a SquaredLengths>,
    ) -> Self {
        let augmented = squared_lengths.map(|squared_lengths| {
            let (mapped, appended) = squared_lengths.column().parts();
            AugmentedCoordinates { mapped, appended, max: squared_lengths.max() }
        });
        Self { view, codes, augmented }
    }

    /// Quantizes a prepared query.
    pub fn query(&self, vector: &[f32]) -> QuantizedQuery {
        self.codes.query(vector)
    }

    /// Makes a query of a row's vector.
    pub fn query_from_row(&self, row: u32) -> QuantizedQuery {
        let mut query = self.codes.query(self.view.row(row));
        query.augmented = self.augmented_coordinate(row);
        query
    }

    /// Makes a query of a row's codes: less exact than of its vector, but the codes are more likely in the cache.
    pub fn query_from_codes(&self, row: u32) -> QuantizedQuery {
        let mut query = self.codes.query_from_codes(row);
        query.augmented = self.augmented_coordinate(row);
        query
    }

    /// Turns a query of [`query_from_codes`](Self::query_from_codes) into that of another row, in its own memory.
    pub fn set_query_to_codes(&self, query: &mut QuantizedQuery, row: u32) {
        self.codes.set_query_to_codes(query, row);
        query.augmented = self.augmented_coordinate(row);
    }

    /// Scores rows; `buffers.scores` has the results.
    pub fn score(&self, query: &QuantizedQuery, rows: &[u32], buffers: &mut ScoreBuffers) {
        self.codes.score(query, rows, &mut buffers.products, &mut buffers.scores);
        if let Some(augmented) = self.augmented.filter(|_| query.augmented > 0.0) {
            for (score, &row) in buffers.scores.iter_mut().zip(rows) {
                *score += query.augmented * augmented.of(row);
            }
        }
    }

    /// Keeps the rows whose sketches do not rule out that they reach the threshold; all rows if there are no sketches.
    pub fn prefilter(
        &self,
        query: &QuantizedQuery,
        rows: &mut Vec<u32>,
        threshold: Threshold,
        buffers: &mut ScoreBuffers,
    ) {
        match self.augmented.filter(|_| query.augmented > 0.0) {
            Some(augmented) => {
                let addend = |row| query.augmented * augmented.of(row);
                self.codes.prefilter(query, rows, threshold, &mut buffers.products, addend);
            }
            None => self.codes.prefilter(query, rows, threshold, &mut buffers.products, |_| 0.0),
        }
    }

    /// Whether two rows are the same vector.
    pub fn are_equal(&self, a: u32, b: u32) -> bool {
        self.codes.are_equal(a, b) && self.view.row(a) == self.view.row(b)
    }

    pub fn codes(&self) -> &CodesView<'a> {
        &self.codes
    }

    pub fn view(&self) -> &RowsView<'a> {
        &self.view
    }

    fn augmented_coordinate(&self, row: u32) -> f32 {
        self.augmented.map_or(0.0, |augmented| augmented.of(row))
    }
}

impl AugmentedCoordinates<'_> {
    /// √(φ² − |x|²) of a row.
    fn of(&self, row: u32) -> f32 {
        let squared = match (row as usize).checked_sub(self.mapped.len()) {
            Some(row) => self.appended[row],
            None => self.mapped[row as usize],
        };
        (self.max - squared).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Similarity;
    use crate::hnsw::codes::Codes;
    use crate::hnsw::options::Layout;
    use crate::store::rows::Rows;

    #[test]
    fn augmented_rows_rank_as_their_euclidean_distance_does() {
        let mut rows = Rows::new(2, Similarity::Dot, serde_json::Value::Null).expect("a dimension");
        rows.append(&["a", "b", "c"], &[3.0, 0.0, 0.0, 4.0, 1.0, 1.0]).expect("rows");
        let mut lengths = SquaredLengths::new();
        (0..3).for_each(|row| lengths.push(rows.stored(row)));
        let mut codes = Codes::new(2, Similarity::Dot, Layout::Fast);
        codes.extend(&rows.view(), 0..3);
        let scorer = Scorer::new(rows.view(), codes.view(), Some(&lengths));
        // φ² = 16: a' = (3, 0, √7), b' = (0, 4, 0), c' = (1, 1, √14).
        let expected = |a: u32, b: u32| {
            let augmented = [[3.0, 0.0, 7f32.sqrt()], [0.0, 4.0, 0.0], [1.0, 1.0, 14f32.sqrt()]];
            let [a, b] = [augmented[a as usize], augmented[b as usize]];
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>()
        };
        let mut buffers = ScoreBuffers::default();
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            for query in [scorer.query_from_row(a), scorer.query_from_codes(a)] {
                scorer.score(&query, &[b], &mut buffers);
                let distance = 32.0 - 2.0 * buffers.scores[0];
                assert!((distance - expected(a, b)).abs() < 0.5, "{a} and {b}: {distance}");
            }
        }
    }
}
