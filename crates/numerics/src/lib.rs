//! Small numeric tools that several crates, their tests and benchmarks share: [reproducible random numbers](SplitMix64)
//! and [bounds on rounding errors](rounding).

pub mod rounding;
mod split_mix;

pub use split_mix::SplitMix64;
