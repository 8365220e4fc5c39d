//! NEON, which every 64-bit ARM CPU that we know of has.

/// Four lanes.
pub(crate) mod neon {
    use std::arch::aarch64::{
        float32x4_t, vaddq_f32, vaddvq_f32, vdupq_n_f32, vfmaq_f32, vld1q_f32, vsubq_f32,
    };

    type Lanes = float32x4_t;
    const WIDTH: usize = 4;

    // 3 × 4 × 2 accumulators, 4 rows and 1 query: 29 of 32 registers.
    define_kernels!("neon", 3 x 4, #[target_feature(enable = "neon")]);

    #[target_feature(enable = "neon")]
    #[inline]
    fn zero() -> Lanes {
        vdupq_n_f32(0.0)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is four readable floats; the load asks for no more alignment than theirs.
        unsafe { vld1q_f32(chunk.as_ptr()) }
    }

    /// Up to four floats, then zeros.
    #[target_feature(enable = "neon")]
    #[inline]
    fn load_part(part: &[f32]) -> Lanes {
        let mut chunk = [0.0; WIDTH];
        chunk[..part.len()].copy_from_slice(part);
        load(&chunk)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        vfmaq_f32(sum, a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn subtract(a: Lanes, b: Lanes) -> Lanes {
        vsubq_f32(a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        vaddq_f32(a, b)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn sum(lanes: Lanes) -> f32 {
        vaddvq_f32(lanes)
    }
}
