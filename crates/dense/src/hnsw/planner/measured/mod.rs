//! The measured [search costs](super::SearchCosts), in one file for each instruction set of the
//! [int8 kernels](kernels::int8) that was measured.
//!
//! `npm run bench -- planner` writes the file of the instruction set that it measures. Each file that it
//! writes names the record of the measurement.

mod avx2;
mod avx512vnni;
mod scalar;

pub(super) use avx2::COSTS as AVX2;
pub(super) use avx512vnni::COSTS as AVX512VNNI;
pub(super) use scalar::COSTS as SCALAR;
