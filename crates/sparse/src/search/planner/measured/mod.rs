//! The measured [search costs](super::SearchCosts), in one file for each instruction set of the
//! [impact kernels](kernels::impacts) that was measured.
//!
//! `npm run bench -- planner` writes the file of the instruction set that it measures. Each file that it
//! writes names the record of the measurement.

mod avx2;
mod avx512vbmi2;
mod scalar;

pub(super) use avx2::COSTS as AVX2;
pub(super) use avx512vbmi2::COSTS as AVX512VBMI2;
pub(super) use scalar::COSTS as SCALAR;
