use std::time::{Duration, Instant};

/// How long a writer keeps an index for itself while others search.
const SHARED: Duration = Duration::from_millis(4);
/// The same while nobody does.
const ALONE: Duration = Duration::from_millis(20);

/// Rows put in at a time: as many as take a few milliseconds.
pub struct Slices {
    rows: usize,
    started: Instant,
}

impl Slices {
    /// `rows` in the first slice.
    pub fn new(rows: usize) -> Self {
        Self { rows, started: Instant::now() }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn start(&mut self) {
        self.started = Instant::now();
    }

    /// Sets the size of the next slice by the time of this one, and by whether others came meanwhile.
    pub fn end(&mut self, others: bool) {
        let aim = if others { SHARED } else { ALONE };
        let took = self.started.elapsed().max(Duration::from_micros(1));
        let rows = self.rows as f64 * aim.as_secs_f64() / took.as_secs_f64();
        // Twice as many at most: rows differ.
        self.rows = (rows as usize).clamp(self.rows / 8, self.rows * 2).clamp(1, 1 << 20);
    }
}
