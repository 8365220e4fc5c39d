//! Cancellation and progress of long-running work. The caller and the work share a [`Control`]: the caller can cancel
//! the work and read its progress; the work polls for cancellation and counts the units that are done.
//!
//! ```
//! use control::Control;
//!
//! let control = Control::new();
//! control.set_total(3);
//! for _ in 0..2 {
//!     control.check()?;
//!     control.advance(1);
//! }
//! assert_eq!((control.done(), control.total()), (2, 3));
//! control.cancel();
//! assert!(control.check().is_err());
//! # Ok::<(), control::Cancelled>(())
//! ```

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The work was cancelled and stopped before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the work was cancelled")]
pub struct Cancelled;

/// A cancellation flag and two progress counters, shared between the caller and the work.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// Returns a control that is not cancelled, with no progress and an unknown total (0).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop at its next [`check`](Self::check).
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Returns whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Fails if the work was cancelled. The work should call this at intervals of about a millisecond.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] after [`cancel`](Self::cancel).
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// Sets the total number of units of work; 0 means unknown.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Adds `units` to the number of units of work done so far.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Returns the number of units of work done so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Returns the total number of units of work; 0 means unknown.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}
