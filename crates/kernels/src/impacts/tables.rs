//! The loops of [`ImpactKernels::codes`](super::ImpactKernels::codes) and
//! [`ImpactKernels::kth_sum_lower_bound`](super::ImpactKernels::kth_sum_lower_bound), compiled for several instruction
//! sets, and portable loops of [`ImpactKernels::bounds`](super::ImpactKernels::bounds) and
//! [`ImpactKernels::class_bounds`](super::ImpactKernels::class_bounds).

/// Defines `codes` and `kth_sum` for an instruction set.
macro_rules! define_tables {
    ($(#[$feature:meta])?) => {
        use crate::impacts::operands::{RANK_INTERVAL, RankedBitmap};

        $(#[$feature])?
        pub(in crate::impacts) fn kth_sum(sums: &[u16], k: usize, maxima: &mut [u16]) -> u16 {
            maxima.fill(0);
            for sums in sums.chunks(maxima.len()) {
                for (max, &sum) in maxima.iter_mut().zip(sums) {
                    *max = (*max).max(sum);
                }
            }
            // The largest multiple of 64 that at least `k` maxima reach is found bit by bit, from the highest.
            let mut kth = 0;
            for bit in (6..16).rev() {
                let higher = kth | 1 << bit;
                let reached: u16 = maxima.iter().map(|&max| u16::from(max >= higher)).sum();
                if usize::from(reached) >= k {
                    kth = higher;
                }
            }
            kth
        }

        $(#[$feature])?
        pub(in crate::impacts) fn codes(bitmap: RankedBitmap<'_>, passages: &[u32], codes: &mut [u8]) {
            const WORDS: usize = RANK_INTERVAL / 64;
            for (code, &passage) in codes.iter_mut().zip(passages) {
                let (at, interval) = (passage as usize / 64, passage as usize / RANK_INTERVAL);
                let word = u64::from_le_bytes(bitmap.words[at]);
                if word >> (passage % 64) & 1 == 0 {
                    *code = 0;
                    continue;
                }
                let mut rank = u32::from_le_bytes(bitmap.ranks[interval]);
                let words = &bitmap.words[interval * WORDS..];
                if let Some(words) = words.first_chunk::<WORDS>() {
                    // Counts the bits before the passage: in all words of the interval, with a mask for each. A loop of
                    // fixed length has no branch that depends on the passage.
                    for (before, &word) in (0u32..).step_by(64).zip(words) {
                        let below = (passage % RANK_INTERVAL as u32).saturating_sub(before);
                        let mask = if below < 64 { (1 << below) - 1 } else { u64::MAX };
                        rank += (u64::from_le_bytes(word) & mask).count_ones();
                    }
                } else {
                    // The last interval may have fewer words.
                    let before = words[..at % WORDS].iter().map(|&word| u64::from_le_bytes(word).count_ones());
                    rank += before.sum::<u32>() + (word & ((1 << (passage % 64)) - 1)).count_ones();
                }
                *code = bitmap.codes[rank as usize];
            }
        }
    };
}

pub(super) mod scalar {
    use crate::impacts::operands::{Bounds, DenseBounds};

    define_tables!();

    pub(in crate::impacts) fn bounds(scale: f32, saturations: &[f32; 256], bounds: &mut Bounds) {
        for (bound, &saturation) in bounds.0.iter_mut().zip(saturations) {
            *bound = ((scale * saturation) as i32 + 1) as u16;
        }
        bounds.0[0] = 0;
    }

    /// See [`ClassBoundsFn`](crate::impacts::kernels::ClassBoundsFn). A class has `N` codes.
    pub(in crate::impacts) fn class_bounds<const N: usize>(
        bounds: &Bounds,
        shift: u32,
        classes: &mut DenseBounds,
    ) -> u16 {
        let mut max_error = 0;
        for (units, bounds) in classes.units.iter_mut().zip(bounds.0.as_chunks::<N>().0) {
            let (mut min, mut max) = (u16::MAX, 0);
            for &bound in bounds {
                (min, max) = (min.min(bound), max.max(bound));
            }
            *units = max.div_ceil(1 << shift) as u8;
            max_error = max_error.max((u16::from(*units) << shift).saturating_sub(min));
        }
        max_error
    }
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    define_tables!(#[target_feature(enable = "avx2,bmi1,popcnt")]);
}
