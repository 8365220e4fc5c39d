//! Training of encoders and readers. `encoder` and `reader` have the trainers, `options` parses their options, and
//! `lists` unpacks columns.

mod encoder;
mod lists;
mod options;
mod reader;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a trainer, even after a panic. A step that panics may leave only some parameters updated; the caller gets the
/// error and closes the trainer.
fn lock<T>(trainer: &Mutex<T>) -> MutexGuard<'_, T> {
    trainer.lock().unwrap_or_else(PoisonError::into_inner)
}
