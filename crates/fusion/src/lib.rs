//! Several ranked lists into one: the hybrids of Ma et al. (2021), interpolation and reciprocal rank fusion.
//!
//! ```
//! use fusion::{Method, fuse};
//! use ranking::Hit;
//!
//! let dense = [Hit { ord: 7, score: 80.0 }, Hit { ord: 3, score: 79.0 }];
//! let sparse = [Hit { ord: 3, score: 12.0 }];
//! let fused = fuse(&[&dense, &sparse], &Method::hybrid(0.5), 10)?;
//! assert_eq!(fused, [Hit { ord: 3, score: 85.0 }, Hit { ord: 7, score: 80.0 }]); // 79 + 0.5 · 12
//! # Ok::<(), fusion::Error>(())
//! ```

mod error;
mod fuse;
mod grid;
mod hybrid;
mod interpolate;
mod linear;
mod reciprocal_rank;
mod union;

pub use error::Error;
pub use fuse::{Method, fuse, fuse_many};
pub use grid::{Judged, first_ranks};
pub use interpolate::Normalisation;
pub use linear::{Linear, Missing};
pub use reciprocal_rank::ReciprocalRank;
