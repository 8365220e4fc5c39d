//! Inner products of rows of sign bits and queries of signed bytes. HNSW graphs discard neighbors by such *sign-bit
//! sketches* of their vectors.
//!
//! A row has one bit per number: 1 stands for +1 and 0 for −1. [`SignKernels`] returns the sum of those values of a
//! [`SignQuery`] whose bits are set in the row:
//!
//! ```text
//! row      │  1   0   1   1   0  …   words of 64 bits; bit i of word w belongs to value 64 · w + i
//! query    │ q0  q1  q2  q3  q4  …   signed bytes
//! selected │ q0   0  q2  q3   0  …   the sum of these is returned
//! ```
//!
//! The inner product follows from this sum: Σ ±qᵢ = 2 Σ {qᵢ : bit i is set} − Σ qᵢ. In each row, other data may follow
//! the words. All instruction sets return the same integers.
//!
//! ```
//! use kernels::ByteRows;
//! use kernels::signs::{SignKernels, SignQuery};
//!
//! let mut bytes = vec![0; 2 * 16];
//! bytes[0] = 0b101;
//! bytes[16] = 0b010;
//! let query = SignQuery::new(&[10, -1, 100]);
//! let mut sums = [0; 2];
//! SignKernels::detect().sums_of(&query, ByteRows::new(&bytes, 16), &[1, 0], &mut sums);
//! assert_eq!(sums, [-1, 110]);
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

pub use dispatch::SignKernels;
pub use operands::{MAX_DIM, SignQuery, WORD_DIM};
