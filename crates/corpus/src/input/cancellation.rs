//! Cancellation of readers.

use std::sync::{Arc, Mutex, PoisonError};

use control::{Cancelled, Control};

/// The [`Control`] that cancels a reader. All files that the reader opens share it, and the caller can replace it
/// between two reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedControl(Arc<Mutex<Arc<Control>>>);

impl SharedControl {
    pub fn new(control: Arc<Control>) -> Self {
        Self(Arc::new(Mutex::new(control)))
    }

    pub fn replace(&self, control: Arc<Control>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = control;
    }

    /// Fails if the current control was canceled.
    pub fn check(&self) -> Result<(), Cancelled> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).check()
    }
}
