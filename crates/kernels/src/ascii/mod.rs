//! Classes of the ASCII characters of a text, as bits, for tokenizers that split texts into words.
//!
//! A tokenizer reads a text 64 bytes (a *group*) at a time, and finds the ends of words by finding set bits
//! instead of comparing bytes one by one.

mod dispatch;
mod kernels;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "aarch64")]
mod neon;
mod scalar;

pub use kernels::{AsciiClasses, AsciiKernels, GROUP};
