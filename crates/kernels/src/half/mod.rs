//! Inner products and squared distances of `f32` queries and rows of 16-bit floats, and conversions between 16-bit
//! floats and `f32`.
//!
//! Rows are the bits of numbers in [`HalfFormat::F16`] or [`HalfFormat::Bf16`], as `u16`. Every number is widened to
//! the `f32` with the same value when it is loaded; everything else is the loop for `f32` rows (`float/tile.rs`, which
//! draws the layout). Therefore, scores have the same bits as the scores that [`Kernels`](crate::Kernels) with the same
//! instruction set computes for the widened rows. CPU instructions that multiply bf16 directly are not used: they would
//! need queries in bf16, and they treat subnormal numbers as zeros.
//!
//! ```
//! use kernels::half::{HalfFormat, HalfKernels};
//!
//! let kernels = HalfKernels::detect();
//! let mut row = [0; 3];
//! kernels.narrow(HalfFormat::F16, &[1.0, -0.5, 65504.0], &mut row);
//! assert_eq!(row, [0x3c00, 0xb800, 0x7bff]);
//!
//! let mut scores = [0.0; 1];
//! kernels.score_rows(HalfFormat::F16, &[2.0, 4.0, 0.0], &row, &mut scores);
//! assert_eq!(scores, [0.0]);
//! ```

#[macro_use]
mod tile;

mod dispatch;
mod format;
mod scalar;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use dispatch::HalfKernels;
pub use format::HalfFormat;
pub(crate) use format::{narrow, widen};
