//! Estimates how many of the best rows a search must find to have `k` passages, in an index with a row for each phrase.

use std::sync::atomic::{AtomicU32, Ordering};

/// The estimate before the first search; for graph searches, always. If phrases are sentences, this is enough to find a
/// hundred passages for nine out of ten questions.
const INITIAL_ROWS_PER_PASSAGE: f32 = 1.5;
/// A search asks for this many rows in addition to the estimated number.
const EXTRA_ROWS: usize = 8;
/// After a search, the estimate is at least the number of rows per passage that the search needed, times this factor.
const MARGIN: f32 = 1.1;
/// A search that needed fewer rows than estimated (with the margin) lowers the estimate by this fraction of the
/// difference.
const DECAY: f32 = 1.0 / 64.0;

/// An estimate of the number of rows per passage that a search must find, learned from searches. It is stored as the
/// bits of an `f32`.
#[derive(Debug)]
pub(in crate::index) struct RowsPerPassage(AtomicU32);

impl Default for RowsPerPassage {
    fn default() -> Self {
        Self(AtomicU32::new(INITIAL_ROWS_PER_PASSAGE.to_bits()))
    }
}

impl RowsPerPassage {
    /// Returns the number of rows that an exact search should find first. If they belong to fewer than `k` passages,
    /// the search is repeated with more rows.
    pub fn rows_for_exact_search(&self, k: usize) -> usize {
        (k as f32 * f32::from_bits(self.0.load(Ordering::Relaxed))) as usize + EXTRA_ROWS
    }

    /// Returns the number of rows that a graph search should find first. This number does not depend on earlier
    /// searches, because a graph search for a different number of rows may find different hits.
    pub fn rows_for_graph_search(k: usize) -> usize {
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
        assert_eq!(RowsPerPassage::default().rows_for_exact_search(100), 158);
        assert_eq!(RowsPerPassage::rows_for_graph_search(100), 158);
    }

    #[test]
    fn a_search_that_needed_more_rows_raises_the_estimate_immediately_and_others_lower_it_slowly() {
        let estimate = RowsPerPassage::default();
        estimate.record(100, 400);
        // 4 rows per passage, plus a tenth.
        assert_eq!(estimate.rows_for_exact_search(100), 440 + 8);
        estimate.record(100, 100);
        // 4.4 + (1.1 − 4.4) / 64 ≈ 4.348.
        assert_eq!(estimate.rows_for_exact_search(100), 434 + 8);
        for _ in 0..1000 {
            estimate.record(100, 100);
        }
        assert_eq!(estimate.rows_for_exact_search(100), 110 + 8);
    }

    #[test]
    fn the_estimate_is_at_least_one_row_per_passage() {
        let estimate = RowsPerPassage::default();
        for _ in 0..1000 {
            estimate.record(100, 1);
        }
        assert_eq!(estimate.rows_for_exact_search(100), 100 + 8);
        // A search for no passages is ignored.
        estimate.record(0, 7);
        assert_eq!(estimate.rows_for_exact_search(100), 100 + 8);
    }
}
