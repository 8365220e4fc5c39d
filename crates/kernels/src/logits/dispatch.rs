use super::lanes;
use super::sum::SoftmaxSum;

/// `(logits, bias, sum)`; the first two are of one length.
type Gather = unsafe fn(&mut [f32], &[f32], &mut SoftmaxSum) -> f32;
/// `(logits, scores, counts)`; the last two are of one length.
type Count = unsafe fn(&[f32], &[f32], &mut [u32]);

/// Passes over logits with one instruction set.
///
/// A value of this type is proof that the running CPU has that instruction set: [`LogitKernels::detect`] and
/// [`LogitKernels::available`] are the only ways to get one, and they check.
#[derive(Debug)]
pub struct LogitKernels {
    name: &'static str,
    gather: Gather,
    above: Count,
    reaching: Count,
}

choose_kernels! {
    /// The instruction set: `avx512f`, `avx2+fma`, `neon` or `scalar`.
    LogitKernels {
        x86_64 {
            avx512 if "avx512f",
            avx2 if "avx2" && "fma",
        }
        aarch64 {
            neon if "neon",
        }
        scalar
    }
}

/// Defines `KERNELS` of an instruction set: the loops of `lanes`, compiled for it.
macro_rules! define_logits {
    ($name:literal, $fused:literal $(, #[$feature:meta])?) => {
        use super::{LogitKernels, SoftmaxSum, lanes};

        pub(super) static KERNELS: LogitKernels = LogitKernels { name: $name, gather, above, reaching };

        $(#[$feature])?
        fn gather(logits: &mut [f32], bias: &[f32], sum: &mut SoftmaxSum) -> f32 {
            lanes::gather::<$fused>(logits, bias, sum)
        }

        $(#[$feature])?
        fn above(logits: &[f32], scores: &[f32], counts: &mut [u32]) {
            lanes::count::<false>(logits, scores, counts)
        }

        $(#[$feature])?
        fn reaching(logits: &[f32], scores: &[f32], counts: &mut [u32]) {
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
    // A fused multiply-add is a slow library call on the CPUs that need this set.
    define_logits!("scalar", false);
}

impl LogitKernels {
    /// Adds `bias` to `logits`, adds their exponentials to `sum`, and returns the greatest of them, −∞ if there are none.
    ///
    /// The sum of many blocks has the same bits however many rows are gathered meanwhile, as long as the blocks are the same.
    /// An exponential is off by 2⁻²¹ relative to it and what the difference to the greatest logit, up to 87, is rounded by
    /// in single precision; sums of eight in single precision go to sums in double precision.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn gather(&self, logits: &mut [f32], bias: &[f32], sum: &mut SoftmaxSum) -> f32 {
        assert_eq!(logits.len(), bias.len(), "gather: expected one bias for each logit");
        // SAFETY: `self` exists, so the CPU has the features that `self.gather` needs; the lengths are equal.
        unsafe { (self.gather)(logits, bias, sum) }
    }

    /// Adds to each of `counts` how many of `logits` are above the score at its place.
    ///
    /// # Panics
    ///
    /// If scores and counts differ in number.
    pub fn count_above(&self, logits: &[f32], scores: &[f32], counts: &mut [u32]) {
        assert_eq!(scores.len(), counts.len(), "count_above: expected one count for each score");
        // SAFETY: `self` exists, so the CPU has the features that `self.above` needs; the lengths are equal.
        unsafe { (self.above)(logits, scores, counts) }
    }

    /// Adds to each of `counts` how many of `logits` are as high as the score at its place or above.
    ///
    /// # Panics
    ///
    /// If scores and counts differ in number.
    pub fn count_reaching(&self, logits: &[f32], scores: &[f32], counts: &mut [u32]) {
        assert_eq!(scores.len(), counts.len(), "count_reaching: expected one count for each score");
        // SAFETY: `self` exists, so the CPU has the features that `self.reaching` needs; the lengths are equal.
        unsafe { (self.reaching)(logits, scores, counts) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "gather: expected one bias for each logit")]
    fn a_bias_too_few_is_refused() {
        LogitKernels::detect().gather(&mut [1.0, 2.0], &[1.0], &mut SoftmaxSum::new());
    }
}
