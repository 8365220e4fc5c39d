//! The element-wise and row-wise operations of training: the backward passes of the operations in
//! [`network`](crate::network), dropout, and the update of AdamW. Matrix products are in [`matrix`](crate::matrix).
//!
//! A *gradient* of a value is the derivative of the loss with respect to this value. An operation's backward function
//! takes the gradient of the operation's output and returns that of its input.
//!
//! As in [`network`](crate::network), all instruction sets return the same bits: the loops are portable (`lanes.rs`)
//! and compiled for each instruction set (`sets.rs`), and sums have a partial sum for each of sixteen lanes.

mod dispatch;
mod kernels;
mod lanes;
mod sets;

pub use kernels::{AdamStep, Dropout, GradientKernels};
