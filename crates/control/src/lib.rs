//! Cancellation and progress of long-running work. The caller and the work share a [`Control`]: the caller can cancel
//! the work and read its progress; the work polls for cancellation and counts the units of work that are done. A caller
//! that must not block can give the work a time budget.
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
//! # Ok::<(), control::Canceled>(())
//! ```

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The work was canceled, or needed more than its time budget, and stopped before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the work was canceled")]
pub struct Canceled;

/// The value of [`Control::budget`] that stands for no limit.
const UNLIMITED: u64 = u64::MAX;

/// A cancellation flag, a time budget and two progress counters, shared between the caller and the work.
#[derive(Debug)]
pub struct Control {
    is_canceled: AtomicBool,
    /// Nanoseconds that the work may still [spend](Control::spend), or [`UNLIMITED`].
    budget: AtomicU64,
    done: AtomicU64,
    total: AtomicU64,
}

impl Control {
    /// Returns a control that is not canceled, without a budget, without progress, and with an unknown total (0).
    #[must_use]
    pub fn new() -> Self {
        Self {
            is_canceled: AtomicBool::new(false),
            budget: AtomicU64::new(UNLIMITED),
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
        }
    }

    /// Does the same as [`new`](Self::new), with a time budget for work that the caller could not foresee. When such
    /// work turns up, its time is [subtracted](Self::spend) from the budget; if too little is left, the work stops with
    /// [`Canceled`]. The time is estimated from the amount of work. No clock is read, so the same work always needs the
    /// same budget.
    #[must_use]
    pub fn with_budget(budget: Duration) -> Self {
        let nanos = u64::try_from(budget.as_nanos()).unwrap_or(UNLIMITED);
        Self { budget: AtomicU64::new(nanos), ..Self::new() }
    }

    /// Subtracts the estimated time of the next part of the work from the budget. The work should call this when it
    /// learns that it has more to do than its caller could foresee.
    ///
    /// # Errors
    ///
    /// [`Canceled`] if less than `time` is left of the budget, which then stays unchanged. Without a budget, this
    /// never fails.
    pub fn spend(&self, time: Duration) -> Result<(), Canceled> {
        if self.budget.load(Ordering::Relaxed) == UNLIMITED {
            return Ok(());
        }
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let remaining = |budget: u64| budget.checked_sub(nanos);
        match self.budget.fetch_update(Ordering::Relaxed, Ordering::Relaxed, remaining) {
            Ok(_) => Ok(()),
            Err(_) => Err(Canceled),
        }
    }

    /// Asks the work to stop at its next [`check`](Self::check).
    pub fn cancel(&self) {
        self.is_canceled.store(true, Ordering::Relaxed);
    }

    /// Returns whether [`cancel`](Self::cancel) was called.
    #[must_use]
    pub fn is_canceled(&self) -> bool {
        self.is_canceled.load(Ordering::Relaxed)
    }

    /// Fails if the work was canceled. The work should call this about once per millisecond.
    ///
    /// # Errors
    ///
    /// [`Canceled`] after [`cancel`](Self::cancel).
    pub fn check(&self) -> Result<(), Canceled> {
        if self.is_canceled() { Err(Canceled) } else { Ok(()) }
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

impl Default for Control {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_stops_when_it_needs_more_than_its_budget() {
        let control = Control::with_budget(Duration::from_nanos(10));
        assert_eq!(control.spend(Duration::from_nanos(4)), Ok(()));
        assert_eq!(control.spend(Duration::from_nanos(7)), Err(Canceled));
        // The refused 7 ns were not subtracted from the budget.
        assert_eq!(control.spend(Duration::from_nanos(6)), Ok(()));
        assert_eq!(control.spend(Duration::from_nanos(1)), Err(Canceled));
        assert_eq!(control.spend(Duration::ZERO), Ok(()));
        assert_eq!(control.check(), Ok(()), "an exhausted budget does not cancel the work");
    }

    #[test]
    fn without_a_budget_work_may_take_any_time() {
        for _ in 0..3 {
            assert_eq!(Control::new().spend(Duration::MAX), Ok(()));
            assert_eq!(Control::with_budget(Duration::MAX).spend(Duration::from_secs(1)), Ok(()));
        }
    }
}
