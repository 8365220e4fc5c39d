//! The measured [search costs](super::SearchCosts), in one file for each instruction set of the
//! [int8 kernels](kernels::int8).
//!
//! `npm run bench -- planner` writes the file of the instruction set that it measures. Each file names the record of
//! its measurement.

mod avx2;
mod avx512vnni;
mod scalar;

pub(super) use avx2::COSTS as AVX2;
pub(super) use avx512vnni::COSTS as AVX512VNNI;
pub(super) use scalar::COSTS as SCALAR;
