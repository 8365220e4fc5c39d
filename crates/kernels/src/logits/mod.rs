//! Logits over a vocabulary, block by block: what a softmax divides by, and how many are above a token's.
//!
//! ```
//! use kernels::logits::{LogitKernels, SoftmaxSum};
//!
//! let (mut logits, bias) = ([0.0, 1.0, -1.0], [1.0, 0.0, 0.0]);
//! let mut sum = SoftmaxSum::new();
//! assert_eq!(LogitKernels::detect().gather(&mut logits, &bias, &mut sum), 1.0);
//! assert_eq!(logits, [1.0, 1.0, -1.0]);
//! // ln(e + e + 1/e)
//! assert!((sum.logarithm() - 1.758_622_7).abs() < 1e-6);
//! ```

mod dispatch;
mod lanes;
mod sum;

pub use dispatch::LogitKernels;
pub use lanes::exp;
pub use sum::SoftmaxSum;
