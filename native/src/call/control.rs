//! Cancellation and progress of a call.

use std::sync::Arc;

use napi_derive::napi;

/// Cancels a call and reports its progress. JavaScript creates one for each call and passes it to the call.
#[napi]
pub struct Control {
    pub(crate) inner: Arc<control::Control>,
}

#[napi]
impl Control {
    #[napi(constructor, catch_unwind)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Self { inner: Arc::default() }
    }

    /// Asks the call to stop. A call that stops before it has finished fails with `ERR_CANCELED`.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.inner.cancel();
    }

    /// Number of units of work done so far. What a unit is depends on the call: a passage, a query, a step.
    #[napi(getter, catch_unwind)]
    pub fn done(&self) -> f64 {
        self.inner.done() as f64
    }

    /// Total number of units of work; 0 while it is unknown.
    #[napi(getter, catch_unwind)]
    pub fn total(&self) -> f64 {
        self.inner.total() as f64
    }
}

/// Returns the control that the caller passed, or a new one, which nothing will cancel.
pub fn control_or_new(control: Option<&Control>) -> Arc<control::Control> {
    control.map_or_else(Arc::default, |control| Arc::clone(&control.inner))
}
