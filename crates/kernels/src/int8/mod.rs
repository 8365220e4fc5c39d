//! Exact inner products of rows of 8-bit codes and queries of signed bytes, and bounds on scores that follow from them.
//! They rule out most rows in the first pass of exact vector search (the storage `int8Rescored`), and score short
//! vectors in HNSW graphs.
//!
//! [`Int8Kernels`] multiplies [`Int8Queries`] with [`Int8Rows`]. A byte b of a row stands for the code b − 128, because
//! the x86-64 instructions that multiply bytes need one operand to be unsigned. These instructions compute Σ qᵢ·bᵢ.
//! Subtracting 128 Σ qᵢ, which depends only on the query, gives Σ qᵢ·(bᵢ − 128). All instruction sets return the same
//! integers.
//!
//! `tile.rs` has the loop and a drawing of its layout, and `packed_rows` and `i8mm.rs` have faster loops for many
//! queries with AVX-512 VNNI and AVX2, and with the matrix instructions of 64-bit ARM. `value_groups.rs` has a property
//! of queries with which AVX2 is faster. `bound.rs` computes the bounds. `kernels.rs` has the public functions,
//! `operands.rs` the types of queries and rows, and `instruction_set.rs` the names of the instruction sets.
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
mod instruction_set;
mod kernels;
mod operands;
mod scalar;
mod value_groups;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "aarch64")]
mod i8mm;
#[cfg(target_arch = "x86_64")]
mod packed_rows;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use bound::{BOUND_ROWS, HIGH_FACTOR, Int8Bound, Int8RowBounds};
pub use instruction_set::InstructionSet;
pub use kernels::Int8Kernels;
pub use operands::{Int8Queries, Int8Rows, MAX_DIM};
pub use value_groups::{MAX_GROUP_SUM, largest_group_sum};
