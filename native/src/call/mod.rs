//! What every export needs: `task` runs its work on another thread or on the JavaScript thread, `threads` has the
//! thread pool, `settle` settles the promises of calls, `error` has the error that JavaScript receives, `codes` maps
//! the errors of all crates to it, and `control` cancels a call and reports its progress.

mod codes;
mod control;
mod error;
mod settle;
mod task;
mod threads;

pub use control::{Control, control_or_new};
pub use error::{CallResult, Failure};
pub use task::{call_sync, spawn, spawn_on};
pub use threads::{drop_elsewhere, threads};
