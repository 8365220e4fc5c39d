//! Exact inner products of rows of bytes and queries of signed bytes, and bounds on scores that follow from them.
//!
//! A byte b of a row stands for the code b − 128, because the CPU instructions that multiply bytes need one side to be
//! unsigned. They compute Σ qᵢ·bᵢ, from which Σ qᵢ·(bᵢ − 128) follows by subtracting 128 Σ qᵢ, which depends only on the
//! query. All instruction sets return the same integers.
//!
//! ```
//! use kernels::int8::{Int8Kernels, Int8Queries, Int8Rows};
//!
//! let bytes = [130, 125, 128, 255]; // the rows (2, −3) and (0, 127)
//! let rows = Int8Rows::new(&bytes, 2, 2);
//! let queries = Int8Queries::new(2, vec![10, 1]);
//! let mut products = [0; 2];
//! Int8Kernels::detect().products(&queries, rows, &mut products);
//! assert_eq!(products, [17, 127]);
//! ```

#[macro_use]
mod tile;

mod bound;
mod dispatch;
mod kernels;
mod operands;
mod scalar;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod packed_rows;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use bound::{BOUND_ROWS, Int8Bound, Int8RowBounds};
pub use kernels::Int8Kernels;
pub use operands::{Int8Queries, Int8Rows, MAX_DIM};
