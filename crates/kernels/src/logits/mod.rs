//! Softmax and ranks over a vocabulary whose logits (unnormalized scores of tokens) are computed block by block.
//!
//! - [`SoftmaxSum`] is the sum of the exponentials of all logits, the denominator of a softmax.
//! - [`LogitKernels::accumulate`] adds a block of logits to this sum.
//! - [`LogitKernels::count_above`] and [`LogitKernels::count_at_least`] count the logits above, or at or above, given
//!   scores. If a score is the logit of a token, the number of larger logits in all blocks is the token's rank, from 0.
//! - [`exp`] is an exponential function that can be vectorized.
//!
//! ```
//! use kernels::logits::{LogitKernels, SoftmaxSum};
//!
//! let (mut logits, bias) = ([0.0, 1.0, -1.0], [1.0, 0.0, 0.0]);
//! let mut sum = SoftmaxSum::new();
//! assert_eq!(LogitKernels::detect().accumulate(&mut logits, &bias, &mut sum), 1.0);
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
