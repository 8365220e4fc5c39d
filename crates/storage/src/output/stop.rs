//! A function with which a caller cancels a writer that waits for a reader.

/// A function that returns true if a writer that waits for a reader should give up.
pub type Stop = Box<dyn Fn() -> bool + Send + Sync>;

/// A [`Stop`] that never gives up.
#[must_use]
pub fn never() -> Stop {
    Box::new(|| false)
}
