//! Scores rows by their codes, for beam searches, code scans and building.
//!
//! Scores are approximate; a row with a higher score is nearer. For inner products and cosine, the score of a row `x`
//! for a query `q` is about `q·x`. For L2 it is about `q·x − |x|²/2`, which decreases as the distance increases.
//!
//! **Augmented vectors.** With [`InnerProduct::AugmentedL2`](crate::InnerProduct::AugmentedL2), the graph for inner
//! products is built by the Euclidean distance of augmented rows (Bachrach et al., 2014). Each row gets one more
//! coordinate, `x' = (x, √(φ² − |x|²))`, with `φ` the maximum length of a row, so that all augmented rows have the
//! length `φ`. The squared distance
//!
//! ```text
//! |x' − y'|² = 2φ² − 2·(x·y + √(φ² − |x|²) · √(φ² − |y|²))
//! ```
//!
//! decreases as the sum in the outer parentheses increases; that sum is the score of one row for another. The query of
//! a search has the augmented coordinate 0, so its scores are still inner products.

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

/// Buffers for [`Scorer::score`], and the scores that it computed last.
#[derive(Debug, Default)]
pub(crate) struct ScoreBuffers {
    products: Vec<i32>,
    /// The scores of the rows passed to [`Scorer::score`], in the order of the rows.
    pub scores: Vec<f32>,
}

/// The augmented coordinates of rows, which are computed from their squared lengths.
#[derive(Debug, Clone, Copy)]
struct AugmentedCoordinates<'a> {
    /// |x|² of the rows that are in a mapped file.
    mapped: &'a [f32],
    /// |x|² of the rows after these, which are in memory.
    appended: &'a [f32],
    /// φ², the maximum squared length of a row.
    max_squared: f32,
}

impl<'a> Scorer<'a> {
    pub fn new(
        view: RowsView<'a>,
        codes: CodesView<'a>,
        squared_lengths: Option<&'a SquaredLengths>,
    ) -> Self {
        let augmented = squared_lengths.map(|squared_lengths| {
            let (mapped, appended) = squared_lengths.column().parts();
            AugmentedCoordinates { mapped, appended, max_squared: squared_lengths.max() }
        });
        Self { view, codes, augmented }
    }

    /// Quantizes a query that is already [prepared](crate::Similarity::prepare).
    pub fn query(&self, vector: &[f32]) -> QuantizedQuery {
        self.codes.query(vector)
    }

    /// Makes a query from a row's vector.
    pub fn query_from_row(&self, row: u32) -> QuantizedQuery {
        let mut query = self.codes.query(self.view.row(row));
        query.augmented = self.augmented_coordinate(row);
        query
    }

    /// Makes a query from a row's codes, which are less exact than its vector, but more likely to be in the cache.
    pub fn query_from_codes(&self, row: u32) -> QuantizedQuery {
        let mut query = self.codes.query_from_codes(row);
        query.augmented = self.augmented_coordinate(row);
        query
    }

    /// Overwrites a query made by [`query_from_codes`](Self::query_from_codes) with the codes of another row. With
    /// 4-bit codes, the query's memory is reused.
    pub fn set_query_to_codes(&self, query: &mut QuantizedQuery, row: u32) {
        self.codes.set_query_to_codes(query, row);
        query.augmented = self.augmented_coordinate(row);
    }

    /// Scores rows and writes the results to `buffers.scores`, in the order of `rows`.
    pub fn score(&self, query: &QuantizedQuery, rows: &[u32], buffers: &mut ScoreBuffers) {
        self.codes.score(query, rows, &mut buffers.products, &mut buffers.scores);
        if let Some(augmented) = self.augmented.filter(|_| query.augmented > 0.0) {
            for (score, &row) in buffers.scores.iter_mut().zip(rows) {
                *score += query.augmented * augmented.of(row);
            }
        }
    }

    /// Removes the rows that, by their sign-bit sketches, are unlikely to reach the threshold. Keeps all rows if they
    /// have no sketches.
    pub fn prune(
        &self,
        query: &QuantizedQuery,
        rows: &mut Vec<u32>,
        threshold: Threshold,
        buffers: &mut ScoreBuffers,
    ) {
        match self.augmented.filter(|_| query.augmented > 0.0) {
            Some(augmented) => {
                let addend = |row| query.augmented * augmented.of(row);
                self.codes.prune(query, rows, threshold, &mut buffers.products, addend);
            }
            None => self.codes.prune(query, rows, threshold, &mut buffers.products, |_| 0.0),
        }
    }

    /// Returns whether two rows have the same vector.
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
    /// Returns √(φ² − |x|²) for a row x.
    fn of(&self, row: u32) -> f32 {
        let squared = match (row as usize).checked_sub(self.mapped.len()) {
            Some(row) => self.appended[row],
            None => self.mapped[row as usize],
        };
        (self.max_squared - squared).max(0.0).sqrt()
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
    fn scores_of_augmented_rows_approximate_their_euclidean_distances() {
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
                // The squared distance is 2φ² minus twice the score. It is approximate, because codes are rounded.
                let distance = 32.0 - 2.0 * buffers.scores[0];
                assert!((distance - expected(a, b)).abs() < 0.5, "{a} and {b}: {distance}");
            }
        }
    }
}
