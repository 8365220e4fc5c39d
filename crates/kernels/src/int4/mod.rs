//! Exact inner products of rows of 4-bit codes and queries of signed bytes. HNSW graphs score vectors by such codes.
//!
//! [`Int4Kernels`] multiplies an [`Int4Query`] with rows. A row consists of blocks of 64 bytes. A block has 128 codes
//! of 0 to 15, one in each *nibble* (four bits) of its bytes. Their order is such that a mask (lower nibbles) and a
//! shift (upper nibbles) split a register of bytes into two registers of consecutive codes:
//!
//! ```text
//!                 byte 0       byte 1             byte 63
//! lower nibble │  code 0    │  code 1    │ … │  code 63    │
//! upper nibble │  code 64   │  code 65   │ … │  code 127   │
//! ```
//!
//! The last block is padded with zeros. All instruction sets return the same integers.
//!
//! ```
//! use kernels::ByteRows;
//! use kernels::int4::{BLOCK_BYTES, Int4Kernels, Int4Query, pack};
//!
//! let mut bytes = vec![0; 2 * BLOCK_BYTES];
//! pack(&[1, 2, 3], &mut bytes[..BLOCK_BYTES]);
//! pack(&[15, 0, 7], &mut bytes[BLOCK_BYTES..]);
//! let query = Int4Query::new(&[10, -1, 100]);
//! let mut products = [0; 2];
//! Int4Kernels::detect().products_of(&query, ByteRows::new(&bytes, BLOCK_BYTES), &[1, 0], &mut products);
//! assert_eq!(products, [850, 308]);
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

pub use dispatch::Int4Kernels;
pub use operands::{BLOCK_BYTES, BLOCK_DIM, Int4Query, pack, unpack};
