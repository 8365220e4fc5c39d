//! Decides how many rows to write before waiting searches may run again.

use std::time::{Duration, Instant};

/// Target time of a slice if searches arrived during the previous one.
const SLICE_WITH_READERS: Duration = Duration::from_millis(4);
/// Target time of a slice if no search arrived.
const SLICE_ALONE: Duration = Duration::from_millis(20);
/// Maximum number of rows in a slice.
const MAX_ROWS: usize = 1 << 20;

/// Adapts the number of rows that are written under one lock (a slice) to the time that the previous slice took.
#[derive(Debug)]
pub struct WriteSlices {
    row_count: usize,
    started: Instant,
}

impl WriteSlices {
    /// Begins with slices of `row_count` rows.
    #[must_use]
    pub fn new(row_count: usize) -> Self {
        Self { row_count, started: Instant::now() }
    }

    /// Number of rows to write in the next slice.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Must be called when a slice begins, that is, as soon as it has the lock.
    pub fn start(&mut self) {
        self.started = Instant::now();
    }

    /// Must be called when a slice has ended. `has_readers` says whether searches arrived during the slice.
    pub fn finish(&mut self, has_readers: bool) {
        self.adapt(self.started.elapsed(), has_readers);
    }

    fn adapt(&mut self, elapsed: Duration, has_readers: bool) {
        let target = if has_readers { SLICE_WITH_READERS } else { SLICE_ALONE };
        let elapsed = elapsed.max(Duration::from_micros(1));
        let row_count = (self.row_count as f64 * target.as_secs_f64() / elapsed.as_secs_f64()) as usize;
        // Rows differ: a slice that happened to be fast says little about a slice of many more rows.
        self.row_count = row_count.clamp(self.row_count / 8, self.row_count * 2).clamp(1, MAX_ROWS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the number of rows of the next slice after a slice of `row_count` rows.
    fn after(row_count: usize, elapsed_ms: u64, has_readers: bool) -> usize {
        let mut slices = WriteSlices::new(row_count);
        slices.adapt(Duration::from_millis(elapsed_ms), has_readers);
        slices.row_count()
    }

    #[test]
    fn slices_take_about_4_ms_if_there_are_searches_and_20_ms_otherwise() {
        assert_eq!(after(100, 8, true), 50);
        assert_eq!(after(100, 4, true), 100);
        assert_eq!(after(100, 40, false), 50);
        assert_eq!(after(100, 20, false), 100);
    }

    #[test]
    fn a_slice_has_at_most_twice_and_at_least_an_eighth_of_the_rows_of_the_one_before() {
        assert_eq!(after(100, 0, true), 200);
        assert_eq!(after(100, 10_000, true), 12);
    }

    #[test]
    fn a_slice_has_at_least_one_row_and_at_most_2_to_the_20th() {
        assert_eq!(after(1, 10_000, true), 1);
        assert_eq!(after(MAX_ROWS, 0, false), MAX_ROWS);
    }
}
