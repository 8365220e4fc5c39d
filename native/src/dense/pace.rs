use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Longer than this, a search is worth waking a thread.
const QUICK: Duration = Duration::from_micros(250);

/// How long searches of an index take, by those before: as long as the fastest, as far as it was not long ago. A thread
/// that had to wait for a core says nothing of the search.
#[derive(Default)]
pub struct Pace {
    /// Nanoseconds for each row scored, the bits of an `f32`; 0 while unknown.
    per_row: AtomicU32,
}

impl Pace {
    /// Whether a search that scores so many rows is estimated to be quick.
    pub fn is_quick(&self, rows: usize) -> bool {
        let per_row = f32::from_bits(self.per_row.load(Ordering::Relaxed));
        per_row > 0.0 && per_row * (rows as f32) < QUICK.as_nanos() as f32
    }

    /// Learns from a search. What threads write at once may be lost.
    pub fn note(&self, rows: usize, took: Duration) {
        let new = took.as_nanos().max(1) as f32 / rows.max(1) as f32;
        let old = f32::from_bits(self.per_row.load(Ordering::Relaxed));
        let next = if old > 0.0 && new > old { old + (new - old) / 16.0 } else { new };
        self.per_row.store(next.to_bits(), Ordering::Relaxed);
    }
}
