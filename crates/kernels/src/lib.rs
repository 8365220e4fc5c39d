//! SIMD inner products and squared distances, chosen for the running CPU.
//!
//! ```
//! use kernels::Kernels;
//!
//! let kernels = Kernels::detect();
//! assert_eq!(kernels.dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
//!
//! let mut scores = [0.0; 2];
//! kernels.score_rows(&[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0], &mut scores);
//! assert_eq!(scores, [11.0, 17.0]);
//! ```
//!
//! Within one set of kernels the value for a pair of vectors depends on the pair alone: [`Kernels::dot`],
//! [`Kernels::score_rows`], [`Kernels::score_block`] and [`Batch`] give the same bits, wherever in a block the row stands
//! and however many rows and queries stand beside it. Sets of different CPUs round differently, each within the
//! bounds of [`mod@reference`].
#![allow(unsafe_code, reason = "SIMD loads, and calls of what only some CPUs can run")]

#[macro_use]
mod choice;
#[macro_use]
mod panels;
#[macro_use]
mod tile;

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod byte_lanes;

mod batch;
mod byte_rows;
mod dispatch;
pub mod half;
pub mod impacts;
pub mod int4;
pub mod int8;
mod line;
pub mod logits;
mod prefetch;
pub mod reference;
mod scalar;
pub mod signs;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use batch::{Batch, Score};
pub use byte_rows::ByteRows;
pub use dispatch::Kernels;
pub use line::Line;
pub use prefetch::{prefetch, prefetch_bytes, prefetch_value};
