//! Cancellation and progress of long work: one [`Control`] is shared by who waits and who works.
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

/// Work was asked to stop, and did, before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the work was cancelled")]
pub struct Cancelled;

/// Shared between the caller, who may cancel and watches progress, and the work, which polls and counts.
#[derive(Debug, Default)]
pub struct Control {
    cancelled: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// Not cancelled, nothing done, total unknown (0).
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks the work to stop at its next [`check`](Self::check).
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// To be called by the work every millisecond or so.
    ///
    /// # Errors
    ///
    /// [`Cancelled`] once [`cancel`](Self::cancel) was called.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() { Err(Cancelled) } else { Ok(()) }
    }

    /// States how many units of work there are in all; 0 is unknown.
    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Counts `units` more as done.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    /// Units of work done so far.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Units of work in all; 0 is unknown.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}
