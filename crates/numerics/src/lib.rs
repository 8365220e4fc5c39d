//! Numeric tools shared by several crates, their tests and their benchmarks: [reproducible random numbers](SplitMix64)
//! and [bounds on rounding errors](rounding).

pub mod rounding;
mod split_mix;

pub use split_mix::SplitMix64;
