//! Predicts how long a search takes, from the times that earlier searches took.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A search that takes at least this long is worth the time to wake another thread.
pub const MAX_QUICK_TIME: Duration = Duration::from_micros(250);

/// The time that searches of one index take for each row that they score.
///
/// The estimate follows the fastest recent searches: the time of a faster search replaces it, and that of a slower one
/// raises it by only a sixteenth of the difference, because a search may be slow only because its thread waited for a
/// CPU core.
#[derive(Debug, Default)]
pub struct LatencyEstimate {
    /// Nanoseconds per row, as the bits of an `f32`; 0 while unknown.
    nanos_per_row: AtomicU32,
}

impl LatencyEstimate {
    /// Whether a search that scores `rows` rows will probably take less than [`MAX_QUICK_TIME`]. Returns false until a
    /// search has been [recorded](Self::record).
    pub fn is_quick(&self, rows: usize) -> bool {
        self.predict(rows).is_some_and(|time| time < MAX_QUICK_TIME)
    }

    /// Predicts how long a search that scores `rows` rows takes. Returns `None` until a search has been
    /// [recorded](Self::record).
    pub fn predict(&self, rows: usize) -> Option<Duration> {
        let nanos_per_row = f32::from_bits(self.nanos_per_row.load(Ordering::Relaxed));
        // Casts of floats saturate.
        (nanos_per_row > 0.0).then(|| Duration::from_nanos((nanos_per_row * rows as f32) as u64))
    }

    /// Learns from a search that scored `rows` rows. If two threads call this at the same time, one search may be
    /// ignored.
    pub fn record(&self, rows: usize, elapsed: Duration) {
        let new = elapsed.as_nanos().max(1) as f32 / rows.max(1) as f32;
        let old = f32::from_bits(self.nanos_per_row.load(Ordering::Relaxed));
        let next = if old > 0.0 && new > old { old + (new - old) / 16.0 } else { new };
        self.nanos_per_row.store(next.to_bits(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_search_is_quick_before_one_has_been_recorded() {
        assert!(!LatencyEstimate::default().is_quick(1));
        assert_eq!(LatencyEstimate::default().predict(1), None);
    }

    #[test]
    fn searches_are_quick_up_to_a_quarter_of_a_millisecond() {
        let estimate = LatencyEstimate::default();
        // 10 ns per row: 24,999 rows take just less than 250 µs.
        estimate.record(100, Duration::from_micros(1));
        assert!(estimate.is_quick(24_999));
        assert!(!estimate.is_quick(25_000));
        assert_eq!(estimate.predict(300), Some(Duration::from_micros(3)));
    }

    #[test]
    fn slow_searches_raise_the_estimate_step_by_step_and_a_fast_one_lowers_it_immediately() {
        let estimate = LatencyEstimate::default();
        estimate.record(100, Duration::from_micros(1));
        // Sixteen times as long: the estimate rises from 10 to 10 + 150 / 16 ≈ 19.4 ns per row.
        estimate.record(100, Duration::from_micros(16));
        assert!(estimate.is_quick(12_800) && !estimate.is_quick(13_000));
        for _ in 0..200 {
            estimate.record(100, Duration::from_micros(16));
        }
        // 160 ns per row.
        assert!(!estimate.is_quick(1_600));
        estimate.record(100, Duration::from_micros(1));
        assert!(estimate.is_quick(24_999));
    }

    #[test]
    fn a_search_of_no_rows_in_no_time_counts_as_one_row_in_one_nanosecond() {
        let estimate = LatencyEstimate::default();
        estimate.record(0, Duration::ZERO);
        assert!(estimate.is_quick(0) && estimate.is_quick(249_999) && !estimate.is_quick(250_000));
    }
}
