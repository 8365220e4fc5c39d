//! What every export needs: `task` runs its work and returns a promise, `threads` has the thread pool, `error` and
//! `codes` make the errors, and `control` cancels a call and reports progress.

mod codes;
mod control;
mod error;
mod task;
mod threads;

pub use control::{Control, control_or_new};
pub use error::{CallResult, Failure};
pub use task::{call_sync, spawn, spawn_on};
pub use threads::{drop_elsewhere, threads};
