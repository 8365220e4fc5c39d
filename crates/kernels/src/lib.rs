//! SIMD kernels: inner products and distances of vectors, scans over BM25 impacts and logits, and classes of
//! characters. (The impact of a term
//! is its frequency in a passage together with the passage's length, as in Lucene.)
//!
//! Each module has the kernels for rows of one element type. Its main type is a struct of function pointers, such as
//! [`Kernels`], with one instance per instruction set. `detect` returns the fastest instance that the running CPU
//! supports:
//!
//! ```
//! use kernels::Kernels;
//!
//! let kernels = Kernels::detect();
//! assert_eq!(kernels.dot(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 32.0);
//!
//! let mut scores = [0.0; 2];
//! kernels.score_rows(&[1.0, 2.0], &[3.0, 4.0, 5.0, 6.0], &mut scores);
//! assert_eq!(scores, [11.0, 17.0]);
//! ```
//!
//! The environment variable `PASSAGEKIT_CPU` forces a lower [`Level`].
//!
//! | module | element type | used for |
//! |---|---|---|
//! | `float` ([`Kernels`], [`Batch`]) | `f32` | exact vector search, projections onto a vocabulary |
//! | [`half`] | `f16`, `bf16` | exact search of rows stored in 16 bits |
//! | [`int8`] | 8-bit codes | first pass of exact search (rules out rows by a bound), short vectors in HNSW graphs |
//! | [`int4`] | 4-bit codes | codes of vectors in HNSW graphs |
//! | [`signs`] | sign bits | sign-bit sketches in HNSW graphs |
//! | [`impacts`] | BM25 impact codes | upper bounds on BM25 scores |
//! | [`logits`] | `f32` | softmax and ranks over a vocabulary |
//! | [`ascii`] | bytes of text | words of texts |
//! | [`network`] | `f32`, bytes | layers of encoders and readers |
//! | [`gradients`], [`matrix`] | `f32`; products also with operands in `bf16` | training of encoders and readers |
//!
//! [`mod@reference`] has the definitions that tests compare the kernels with.
//!
//! In most modules, `tile.rs` has the main loop, as a macro. `x86_64.rs`, `aarch64.rs` and `scalar.rs` expand it
//! for each instruction set, with that set's registers and instructions. `dispatch.rs` lists the instruction sets,
//! and `operands.rs` has the types of queries and rows. `float` and `int8` have a second loop for batches of
//! queries (`panels.rs`; `packed_rows` and `i8mm.rs`), `logits` has portable loops that are compiled for each
//! instruction set (`lanes.rs`), and `impacts` has loops of its own for AVX-512 and for portable code (`scan.rs`
//! has that of the others).
//!
//! # Reproducible results
//!
//! With one instruction set, the score of a pair of vectors depends on that pair alone: [`Kernels::dot`],
//! [`Kernels::score_rows`], [`Kernels::score_block`] and [`Batch`] return the same bits for the pair, whatever other
//! rows and queries are in the call. The only exception is that [`Batch`] returns 0 instead of −0. Different
//! instruction sets round differently, each within the error bounds of [`mod@reference`]. Integer kernels return the
//! same integers on every CPU.
#![allow(unsafe_code, reason = "SIMD loads, and calls of functions that only some CPUs can run")]

#[macro_use]
mod detect;

#[cfg(target_arch = "x86_64")]
#[macro_use]
mod byte_lanes;

pub mod ascii;
#[macro_use]
mod float;
pub mod gradients;
pub mod half;
pub mod impacts;
pub mod int4;
pub mod int8;
mod level;
pub mod logits;
pub mod matrix;
mod memory;
pub mod network;
pub mod reference;
pub mod signs;

pub use float::{Batch, Kernels, Score};
pub use level::{Level, LevelError};
pub use memory::byte_rows::ByteRows;
pub use memory::cache_line::Line;
pub use memory::prefetch::{prefetch, prefetch_start};
