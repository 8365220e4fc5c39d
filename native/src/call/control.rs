//! Cancellation and progress of a call.

use std::sync::Arc;

use napi_derive::napi;

/// Cancels a call and reports its progress.
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

    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.inner.cancel();
    }

    /// Units of work done so far.
    #[napi(getter, catch_unwind)]
    pub fn done(&self) -> f64 {
        self.inner.done() as f64
    }

    /// Units of work in all; 0 while unknown.
    #[napi(getter, catch_unwind)]
    pub fn total(&self) -> f64 {
        self.inner.total() as f64
    }
}

/// The control that the caller passed, or a new one that nobody watches.
pub fn control_or_new(control: Option<&Control>) -> Arc<control::Control> {
    control.map_or_else(Arc::default, |control| Arc::clone(&control.inner))
}
