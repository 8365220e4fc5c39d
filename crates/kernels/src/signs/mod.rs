//! Sums of the values of a query of signed bytes where the bits of a row are set: of signs, one bit a number, the
//! product is twice that less the sum of all values.
//!
//! A row begins with the words of its bits, bit `i` of word `w` for value `64 * w + i`; behind them may be anything else
//! that belongs to the row. All sets give the same integers.
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
pub use operands::{MOST_DIM, SignQuery, WORD_DIM};
