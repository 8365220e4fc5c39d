//! Upper bounds on BM25 scores, which rule out the passages of a block that cannot be among the best k.
//!
//! The upper bound on a passage's score is the sum of upper bounds on the contributions of its terms, in 16-bit
//! integers. The integers count *quantization steps*, whose size the caller chooses. The caller adds the bounds of rare
//! terms posting by posting to an array of sums, one per passage. The bounds of *dense* terms, which occur in many
//! passages, are added by [`ImpactKernels::scan`], 64 passages (a *group*) at a time. The scan then reports the
//! passages whose sum is at or above a threshold.
//!
//! A dense term is stored as a bitmap of its passages and one code per posting. The code stands for the posting's
//! impact: the term's frequency in the passage and the passage's length, as in Lucene. A *class* of 4 or 16 neighboring
//! codes shares one bound in 8 bits, counted in units of `1 << shift` steps, so that a table of all classes fits in one
//! register. For each group:
//!
//! ```text
//! word     1  0  0  1  1  0  …   which of the 64 passages have the term
//! codes    c0 c1 c2 …            the codes of their postings, in order
//! expand   c0 –  –  c1 c2 –  …   each code in the lane of its passage
//! look up  u0 0  0  u1 u2 0  …   the bound of its class, in units
//! sums  += u << shift            16 bits; sums at or above the threshold are reported
//! ```
//!
//! Groups are checked before they are scanned. The *first check* of a group: if no sum reaches the threshold minus the
//! maximum that all dense terms together can add, no passage of the group can reach the threshold, and the group is
//! skipped. The *second check* is stricter: to each passage's sum, it adds the maxima of only the terms that the passage
//! has. If it rules out few groups, the rest of the sums is scanned without it. With AVX-512, there is only the second
//! check; portable code has only the first. Usually, most groups are skipped.
//!
//! Before the first scan, nothing is known about the best passages. The caller can add all dense terms to the sums of
//! the first passages ([`ImpactKernels::add`]). [`ImpactKernels::kth_sum_lower_bound`] then gives a lower bound on the
//! k-th largest sum, from which the caller computes the threshold of the first scan.
//!
//! `operands.rs` has the arguments and results, `kernels.rs` has the public functions, and `scan.rs` has the parts that
//! the scans of all instruction sets share. `tables.rs` has other loops: two compute tables of bounds by code and by
//! class (AVX2 and AVX-512 have their own versions), one looks up the codes of single passages (AVX-512 has its own
//! version), and one finds a lower bound on the k-th largest sum.

#[macro_use]
mod scan;

mod dispatch;
mod kernels;
mod operands;
mod scalar;
mod tables;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

pub use kernels::{ImpactKernels, MAX_DENSE_TERMS};
pub use operands::{
    Bounds, DenseBounds, DenseTerm, FoundPassages, GROUP, MAX_CODES_PER_CLASS, MIN_CODES_PER_CLASS, PADDING,
    RANK_INTERVAL, RankedBitmap, ScanOptions, ScanProgress, Sums,
};
