//! Inner products and squared distances of `f32` vectors.
//!
//! - `dispatch.rs`: [`Kernels`], the public functions on pairs of vectors and on blocks of rows.
//! - `batch.rs`: [`Batch`], which scores many queries against many rows and can report only the scores at or above a
//!   threshold.
//! - `tile.rs`: the loop of [`Kernels`], as a macro that is expanded for each instruction set.
//! - `panels.rs`: the loop of [`Batch`], also a macro, which scores *panels*: copies of a few vectors, interleaved.
//! - `panel_kernels.rs`: the arguments and results of the loop in `panels.rs`.
//! - `x86_64.rs`, `aarch64.rs`, `scalar.rs`: registers and instructions of each instruction set.
//! - `shapes.rs`: checks of arguments.

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
