//! Estimates how many of the best rows a search needs to find `k` passages, in an index with a row for each phrase.

use std::sync::atomic::{AtomicU32, Ordering};

/// Estimate of the rows per passage before the first search; for a graph, also afterwards. If phrases are sentences,
/// this is enough to find a hundred passages for nine of ten questions.
const INITIAL_ROWS_PER_PASSAGE: f32 = 1.5;
/// Rows in addition to the estimate.
const EXTRA_ROWS: usize = 8;
/// The estimate is the number of rows that a search needed, times this factor.
const MARGIN: f32 = 1.1;
/// A search that needed fewer rows than estimated lowers the estimate by this fraction of the difference.
const DECAY: f32 = 1.0 / 64.0;

/// An estimate of the number of best rows per best passage, learned from searches. It is stored as the bits of an
/// `f32`.
#[derive(Debug)]
pub(in crate::index) struct RowsPerPassage(AtomicU32);

impl Default for RowsPerPassage {
    fn default() -> Self {
        Self(AtomicU32::new(INITIAL_ROWS_PER_PASSAGE.to_bits()))
    }
}

impl RowsPerPassage {
    /// Returns the number of rows to ask an exact index for first.
    pub fn rows(&self, k: usize) -> usize {
        (k as f32 * f32::from_bits(self.0.load(Ordering::Relaxed))) as usize + EXTRA_ROWS
    }

    /// Returns the number of rows to ask a graph for first. It does not depend on earlier searches, because a graph
    /// search that asks for another number of rows may have other hits.
    pub fn rows_of_graph(k: usize) -> usize {
        (k as f32 * INITIAL_ROWS_PER_PASSAGE) as usize + EXTRA_ROWS
    }

    /// Learns from a search that needed `row_count` rows for `k` passages.
    pub fn record(&self, k: usize, row_count: usize) {
        if k == 0 {
            return;
        }
        let old = f32::from_bits(self.0.load(Ordering::Relaxed));
        let new = row_count as f32 / k as f32 * MARGIN;
        let next = if new > old { new } else { old + (new - old) * DECAY };
        self.0.store(next.clamp(1.0, 1e6).to_bits(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_search_asks_for_one_and_a_half_rows_per_passage_and_eight_more() {
        assert_eq!(RowsPerPassage::default().rows(100), 158);
        assert_eq!(RowsPerPassage::rows_of_graph(100), 158);
    }

    #[test]
    fn a_search_that_needed_more_raises_the_estimate_at_once_and_others_lower_it_slowly() {
        let estimate = RowsPerPassage::default();
        estimate.record(100, 400);
        // 4 rows per passage and a tenth more.
        assert_eq!(estimate.rows(100), 440 + 8);
        estimate.record(100, 100);
        // 4.4 + (1.1 − 4.4) / 64 ≈ 4.348.
        assert_eq!(estimate.rows(100), 434 + 8);
        for _ in 0..1000 {
            estimate.record(100, 100);
        }
        assert_eq!(estimate.rows(100), 110 + 8);
    }

    #[test]
    fn there_is_at_least_one_row_per_passage() {
        let estimate = RowsPerPassage::default();
        for _ in 0..1000 {
            estimate.record(100, 1);
        }
        assert_eq!(estimate.rows(100), 100 + 8);
        estimate.record(0, 7);
        assert_eq!(estimate.rows(100), 100 + 8);
    }
}
