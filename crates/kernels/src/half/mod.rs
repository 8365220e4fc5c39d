//! Rows of 16-bit floats against queries of `f32`, and conversions to and fro.
//!
//! Rows are bits: `u16`, of [`HalfFormat::F16`] or [`HalfFormat::Bf16`]. Each number is widened to the `f32` of the same
//! value; products and sums have the bits that [`Kernels`](crate::Kernels) of the same instruction set give for the
//! widened row. (Instructions that multiply bf16 directly would want the query rounded to bf16 as well, and take
//! denormals for zeros.)
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
