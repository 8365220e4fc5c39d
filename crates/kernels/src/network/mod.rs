//! The operations of a neural network with the architecture of BERT: matrix products, layer normalization, softmax,
//! GELU and the quantization of activations (the values that a layer computes).
//!
//! - [`NetworkKernels::multiply_bytes`] multiplies [`QuantizedRows`] of activations by [`ByteWeights`].
//! - [`NetworkKernels::multiply_floats`] multiplies floats by [`FloatWeights`], or by any [`FloatBlocks`].
//! - [`NetworkKernels::normalize`], [`NetworkKernels::softmax`] and [`NetworkKernels::gelu`] change rows in place.
//!
//! # Reproducible results
//!
//! All instruction sets return the same bits. Sums are added in the same order everywhere, with fused multiply-adds at
//! the same places. (On a CPU without such instructions, they are slow library calls, which return the same bits.) The
//! result of a row does not depend on the other rows of a call.
//!
//! ```
//! use kernels::network::{ByteWeights, NetworkKernels, QuantizedRows};
//!
//! // Two inputs and one output: 2 · first − 1 · second + 0.5.
//! let weights = ByteWeights::new(2, 1, &[2, -1], &[1.0], &[0.5]);
//! let kernels = NetworkKernels::detect();
//! let mut rows = QuantizedRows::new(2);
//! kernels.quantize(&[255.0, 51.0], 2, &mut rows);
//! let mut out = [0.0; 16];
//! kernels.multiply_bytes(&rows, &weights, &mut out);
//! assert_eq!(out[0], 459.5); // 2 · 255 − 51 + 0.5
//! ```

#[macro_use]
mod tile;

mod dispatch;
mod kernels;
pub(crate) mod lanes;
mod operands;
mod scalar;
mod weights;

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

pub use kernels::NetworkKernels;
pub use operands::{FloatBlocks, FloatRows, QuantizedRows};
pub use weights::{ByteWeights, FloatWeights};

/// Number of outputs in a block, and of floats that are processed at once.
pub const LANES: usize = 16;
