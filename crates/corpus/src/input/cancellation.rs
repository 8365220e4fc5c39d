//! Cancellation of readers.

use std::sync::{Arc, Mutex, PoisonError};

use control::{Canceled, Control};

/// The [`Control`] that cancels a reader. All files that the reader opens share this control. The caller can replace it
/// between two reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedControl(Arc<Mutex<Arc<Control>>>);

impl SharedControl {
    pub fn new(control: Arc<Control>) -> Self {
        Self(Arc::new(Mutex::new(control)))
    }

    /// Replaces the control in all clones.
    pub fn replace(&self, control: Arc<Control>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = control;
    }

    /// Fails if the current control was canceled.
    pub fn check(&self) -> Result<(), Canceled> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).check()
    }
}
