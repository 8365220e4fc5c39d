use std::sync::{Arc, Mutex, PoisonError};

use control::{Cancelled, Control};

/// The [`Control`] that cancels a reader, shared by its inputs. The caller can replace it between two reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedControl(Arc<Mutex<Arc<Control>>>);

impl SharedControl {
    pub fn new(control: Arc<Control>) -> Self {
        Self(Arc::new(Mutex::new(control)))
    }

    pub fn replace(&self, control: Arc<Control>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = control;
    }

    /// Fails if the work was canceled.
    pub fn check(&self) -> Result<(), Cancelled> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).check()
    }
}
