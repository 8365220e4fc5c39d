//! Registers and instructions of NEON, which every known 64-bit ARM CPU has.

/// Registers of four floats.
pub(crate) mod neon {
    use std::arch::aarch64::{
        float32x4_t, vaddq_f32, vaddvq_u32, vandq_u32, vcgeq_f32, vdupq_n_f32, vfmaq_f32, vgetq_lane_f32,
        vld1q_f32, vld1q_u32, vpaddq_f32, vst1q_f32, vsubq_f32,
    };

    pub(crate) type Lanes = float32x4_t;
    pub(crate) const WIDTH: usize = 4;

    // Tiles need 2 × 4 × 2 accumulators, 4 rows and 1 query: 21 of 32 registers. Sixteen accumulators keep four
    // pipelines with a latency of four cycles busy. With 3 × 4, the compiler writes accumulators to the stack.
    // Panels need 4 × 4 accumulators, 4 rows and 1 query: 21.
    define_kernels!("neon", 2 x 4, panels 4 x 4, #[target_feature(enable = "neon")]);

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn zero() -> Lanes {
        vdupq_n_f32(0.0)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is four readable floats; the load needs no more alignment than they have.
        unsafe { vld1q_f32(chunk.as_ptr()) }
    }

    /// Loads up to four floats and fills the other lanes with zeros.
    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn load_part(part: &[f32]) -> Lanes {
        let mut chunk = [0.0; WIDTH];
        chunk[..part.len()].copy_from_slice(part);
        load(&chunk)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn store(lanes: Lanes) -> [f32; WIDTH] {
        let mut values = [0.0; WIDTH];
        // SAFETY: `values` is four writable floats; the store needs no more alignment than they have.
        unsafe { vst1q_f32(values.as_mut_ptr(), lanes) }
        values
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        vfmaq_f32(sum, a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn subtract(a: Lanes, b: Lanes) -> Lanes {
        vsubq_f32(a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn add(a: Lanes, b: Lanes) -> Lanes {
        vaddq_f32(a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    pub(crate) fn horizontal_sum(lanes: Lanes) -> f32 {
        let two = vpaddq_f32(lanes, lanes);
        vgetq_lane_f32::<0>(vpaddq_f32(two, two))
    }

    /// Returns the [`horizontal_sum`] of the register of each (query, row) pair: all rows of the first query, then all
    /// rows of the second, and so on.
    #[target_feature(enable = "neon")]
    #[inline]
    fn horizontal_sums(pairs: &[[Lanes; 4]; 4]) -> [Lanes; 4] {
        let mut sums = [zero(); 4];
        for q in 0..4 {
            let [a, b, c, d] = pairs[q];
            sums[q] = vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d));
        }
        sums
    }

    /// Returns a mask: bit `i` is set if lane `i` is at or above threshold `i`.
    #[target_feature(enable = "neon")]
    #[inline]
    fn mask_at_least(lanes: Lanes, thresholds: &[f32; WIDTH]) -> u32 {
        // SAFETY: the array is four readable words; the load needs no more alignment than they have.
        let bits = unsafe { vld1q_u32([1, 2, 4, 8].as_ptr()) };
        vaddvq_u32(vandq_u32(vcgeq_f32(lanes, load(thresholds)), bits))
    }
}
