//! Upper bounds on BM25 scores: which passages of a block can still be among the best.
//!
//! The upper bound on a passage's score is the sum of upper bounds on what each of its terms contributes, in 16-bit
//! integers. The caller adds the contributions of rare terms posting by posting to an array of sums, one per passage. Terms
//! that many passages have, *dense* terms, are added by [`ImpactKernels::scan`], 64 passages (a *group*) at a time.
//!
//! A dense term is a bitmap of its passages and one code per posting. Bounds of codes are shared by *classes* of
//! neighboring codes, so that a table of all classes fits one register. For each group:
//!
//! ```text
//! word     1 0 0 1 1 0 …         which of the 64 passages have the term
//! codes    c0 c1 c2 …            the codes of their postings, in order
//! expand   c0 –  –  c1 c2 –  …   each code to the lane of its passage
//! look up  s0 0  0  s1 s2 0  …   the bound of its class, in steps of 8 bits
//! sums  += s << shift            16 bits; passages at or above the bound are reported
//! ```
//!
//! Most groups are skipped before that: if no sum of the group reaches the bound minus the most that all dense terms can
//! add, no passage of the group can.

mod dispatch;
mod kernels;
mod operands;
mod scalar;
mod scan;
mod tables;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

pub use kernels::{ImpactKernels, MAX_DENSE_TERMS};
pub use operands::{
    Bounds, DenseBounds, DenseTerm, FoundPassages, GROUP, MAX_CODES_PER_CLASS, MIN_CODES_PER_CLASS, PADDING,
    RANK_INTERVAL, RankedBitmap, ScanOptions, ScanProgress, Sums,
};
