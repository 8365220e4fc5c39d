//! Exact inner products of rows of bytes and queries of signed bytes.
//!
//! A byte `b` of a row is the code `b − 128`: instructions that multiply bytes want one side unsigned. All sets give
//! the same integers.
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

mod dispatch;
mod operands;
mod scalar;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use dispatch::Int8Kernels;
pub use operands::{Int8Queries, Int8Rows, MOST_DIM};
