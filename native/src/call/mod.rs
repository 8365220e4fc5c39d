//! What every export needs: threads for its work, promises of the results, error codes, and cancellation.

mod codes;
mod control;
mod error;
mod task;
mod threads;

pub use control::{Control, control_or_new};
pub use error::{CallResult, Failure};
pub use task::{call_sync, spawn, spawn_on};
pub use threads::{drop_elsewhere, threads};
