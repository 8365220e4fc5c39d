//! The function by which a caller cancels a writer that waits for a reader.

/// A function that returns true if a writer that waits for a reader should give up.
pub type Stop = Box<dyn Fn() -> bool + Send + Sync>;

/// Returns a [`Stop`] that always returns false, so that the writer never gives up.
#[must_use]
pub fn never() -> Stop {
    Box::new(|| false)
}
