//! Inner products and squared distances of `f32` vectors.
//!
//! - `dispatch.rs`: [`Kernels`], the public functions on blocks of rows.
//! - `batch.rs`: [`Batch`], many queries against many rows where only high scores matter.
//! - `tile.rs`, `panels.rs`: the loops of both, as macros that are expanded for each instruction set.
//! - `x86_64.rs`, `aarch64.rs`, `scalar.rs`: registers and instructions of each instruction set.

#[macro_use]
mod panels;
#[macro_use]
mod tile;

mod batch;
pub(crate) mod dispatch;
mod panel_kernels;
pub(crate) mod scalar;
pub(crate) mod shapes;

#[cfg(target_arch = "aarch64")]
pub(crate) mod aarch64;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

pub use batch::{Batch, Score};
pub use dispatch::Kernels;
