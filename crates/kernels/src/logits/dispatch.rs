//! [`LogitKernels`]: the choice of the instruction set, and the public functions, which check their arguments.

use super::lanes;
use super::sum::SoftmaxSum;

/// `(logits, bias, sum)` adds `bias` to `logits` and the exponentials of the results to `sum`, and returns the largest
/// result. `logits` and `bias` have the same length.
type AccumulateFn = unsafe fn(&mut [f32], &[f32], &mut SoftmaxSum) -> f32;
/// `(logits, scores, counts)` adds the number of logits above, or at or above, `scores[i]` to `counts[i]`. `scores` and
/// `counts` have the same length.
type CountFn = unsafe fn(&[f32], &[f32], &mut [u32]);

/// Softmax sums and counts of logits with one instruction set.
///
/// A value of this type is proof that the running CPU supports that instruction set: [`LogitKernels::detect`],
/// [`LogitKernels::available`] and [`LogitKernels::up_to`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct LogitKernels {
    name: &'static str,
    accumulate: AccumulateFn,
    count_above: CountFn,
    count_at_least: CountFn,
}

detect_kernels! {
    /// The name of the instruction set: `avx512f`, `avx2+fma`, `neon` or `scalar`.
    LogitKernels {
        x86_64 {
            Avx512: avx512 if "avx512f",
            Avx2: avx2 if "avx2" && "fma",
        }
        aarch64 {
            Neon: neon if "neon",
        }
        scalar
    }
}

/// Defines `KERNELS` for an instruction set: the loops of `lanes.rs`, compiled for that set. `$fused` says whether the
/// set has fused multiply-adds.
macro_rules! define_logits {
    ($name:literal, $fused:literal $(, #[$feature:meta])?) => {
        use super::{LogitKernels, SoftmaxSum, lanes};

        pub(super) static KERNELS: LogitKernels = LogitKernels { name: $name, accumulate, count_above, count_at_least };

        $(#[$feature])?
        fn accumulate(logits: &mut [f32], bias: &[f32], sum: &mut SoftmaxSum) -> f32 {
            lanes::accumulate::<$fused>(logits, bias, sum)
        }

        $(#[$feature])?
        fn count_above(logits: &[f32], scores: &[f32], counts: &mut [u32]) {
            lanes::count::<false>(logits, scores, counts)
        }

        $(#[$feature])?
        fn count_at_least(logits: &[f32], scores: &[f32], counts: &mut [u32]) {
            lanes::count::<true>(logits, scores, counts)
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    define_logits!("avx512f", true, #[target_feature(enable = "avx512f")]);
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    define_logits!("avx2+fma", true, #[target_feature(enable = "avx2,fma")]);
}

#[cfg(target_arch = "aarch64")]
mod neon {
    define_logits!("neon", true, #[target_feature(enable = "neon")]);
}

mod scalar {
    // Not fused, because fused multiply-adds are slow library calls on CPUs without the instruction.
    define_logits!("scalar", false);
}

impl LogitKernels {
    /// Adds `bias` to `logits`, and the exponentials of the results to `sum`. Returns the largest of the results, or −∞
    /// if there are none.
    ///
    /// With one instruction set, the bits of a sum depend only on the blocks that are added to it and on their order.
    /// An exponential has a relative error of at most 2⁻²², plus the error of rounding the difference between the logit
    /// and the largest logit so far to `f32`. A logit more than 87 below the largest logit so far adds nothing. Up to
    /// eight exponentials at a time are added up in `f32`, and these partial sums in `f64`.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn accumulate(&self, logits: &mut [f32], bias: &[f32], sum: &mut SoftmaxSum) -> f32 {
        assert_eq!(logits.len(), bias.len(), "accumulate: expected one bias for each logit");
        // SAFETY: `self` exists, so the CPU has the features that `self.accumulate` needs; the lengths are equal.
        unsafe { (self.accumulate)(logits, bias, sum) }
    }

    /// Adds the number of `logits` above `scores[i]` to `counts[i]`.
    ///
    /// # Panics
    ///
    /// If `scores` and `counts` differ in length.
    pub fn count_above(&self, logits: &[f32], scores: &[f32], counts: &mut [u32]) {
        assert_eq!(scores.len(), counts.len(), "count_above: expected one count for each score");
        // SAFETY: `self` exists, so the CPU has the features that `self.count_above` needs; the lengths are equal.
        unsafe { (self.count_above)(logits, scores, counts) }
    }

    /// Adds the number of `logits` at or above `scores[i]` to `counts[i]`.
    ///
    /// # Panics
    ///
    /// If `scores` and `counts` differ in length.
    pub fn count_at_least(&self, logits: &[f32], scores: &[f32], counts: &mut [u32]) {
        assert_eq!(scores.len(), counts.len(), "count_at_least: expected one count for each score");
        // SAFETY: `self` exists, so the CPU has the features that `self.count_at_least` needs; the lengths are equal.
        unsafe { (self.count_at_least)(logits, scores, counts) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "accumulate: expected one bias for each logit")]
    fn a_missing_bias_is_refused() {
        LogitKernels::detect().accumulate(&mut [1.0, 2.0], &[1.0], &mut SoftmaxSum::new());
    }
}
