//! The operations with NEON, with and without its `dotprod` extension. The products multiply signed bytes: flipping the
//! highest bit of a byte b gives b − 128.

/// Defines everything for four registers of sixteen bytes, except `add_products_of_quarter`, which adds to four lanes.
macro_rules! define_128 {
    (#[$feature:meta]) => {
        type Sums = [int32x4_t; 4];
        type Bytes = int8x16_t;
        type ByteLanes = [int8x16_t; 4];
        type Floats = [float32x4_t; 4];

        #[$feature]
        #[inline]
        fn zero_sums() -> Sums {
            [vdupq_n_s32(0); 4]
        }

        #[$feature]
        #[inline]
        fn splat_bytes(bytes: [u8; 4]) -> Bytes {
            let bytes = vdupq_n_u32(u32::from_le_bytes(bytes));
            vreinterpretq_s8_u32(veorq_u32(bytes, vdupq_n_u32(0x8080_8080)))
        }

        #[$feature]
        #[inline]
        fn load_step(step: &Step) -> ByteLanes {
            let mut lanes = [vdupq_n_s8(0); 4];
            for (lanes, weights) in lanes.iter_mut().zip(step.0.as_chunks::<4>().0) {
                // SAFETY: `weights` is sixteen readable bytes; the load needs no more alignment than they have.
                *lanes = unsafe { vld1q_s8(weights.as_ptr().cast()) };
            }
            lanes
        }

        #[$feature]
        #[inline]
        fn add_products<const NARROW: bool>(sums: Sums, bytes: Bytes, weights: ByteLanes) -> Sums {
            let mut sums = sums;
            for (sums, weights) in sums.iter_mut().zip(weights) {
                *sums = add_products_of_quarter(*sums, bytes, weights);
            }
            sums
        }

        #[$feature]
        #[inline]
        fn store_sums(sums: Sums) -> [i32; LANES] {
            let mut lanes = [0; LANES];
            for (into, sums) in lanes.as_chunks_mut::<4>().0.iter_mut().zip(sums) {
                // SAFETY: `into` is four writable integers; the store needs no more alignment than they have.
                unsafe { vst1q_s32(into.as_mut_ptr(), sums) };
            }
            lanes
        }

        #[$feature]
        #[inline]
        fn zero_floats() -> Floats {
            [vdupq_n_f32(0.0); 4]
        }

        #[$feature]
        #[inline]
        fn splat_float(value: f32) -> Floats {
            [vdupq_n_f32(value); 4]
        }

        #[$feature]
        #[inline]
        fn load_floats(values: &[f32; LANES]) -> Floats {
            let mut floats = zero_floats();
            for (floats, values) in floats.iter_mut().zip(values.as_chunks::<4>().0) {
                // SAFETY: `values` is four readable floats; the load needs no more alignment than they have.
                *floats = unsafe { vld1q_f32(values.as_ptr()) };
            }
            floats
        }

        #[$feature]
        #[inline]
        fn multiply_add(a: Floats, b: Floats, sum: Floats) -> Floats {
            let mut sum = sum;
            for (sum, (a, b)) in sum.iter_mut().zip(a.into_iter().zip(b)) {
                *sum = vfmaq_f32(*sum, a, b);
            }
            sum
        }

        #[$feature]
        #[inline]
        fn store_floats(floats: Floats) -> [f32; LANES] {
            let mut lanes = [0.0; LANES];
            for (into, floats) in lanes.as_chunks_mut::<4>().0.iter_mut().zip(floats) {
                // SAFETY: `into` is four writable floats; the store needs no more alignment than they have.
                unsafe { vst1q_f32(into.as_mut_ptr(), floats) };
            }
            lanes
        }
    };
}

pub(super) mod dotprod {
    use std::arch::aarch64::{
        float32x4_t, int8x16_t, int32x4_t, vdupq_n_f32, vdupq_n_s8, vdupq_n_s32, vdupq_n_u32, veorq_u32,
        vfmaq_f32, vld1q_f32, vld1q_s8, vreinterpretq_s8_u32, vst1q_f32, vst1q_s32,
    };
    use std::arch::asm;

    use crate::network::weights::Step;

    // A tile needs 6 × 4 sums, 4 registers of weights and 1 row: 29 of 32 registers.
    define_network!(
        "neon+dotprod", rows: 6 > [1 2 3 4 5], blocks: 1, unsigned: false,
        #[target_feature(enable = "neon,dotprod")]
    );
    define_128!(#[target_feature(enable = "neon,dotprod")]);

    /// Adds four products to each lane.
    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn add_products_of_quarter(sums: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
        let mut sums = sums;
        // SAFETY: the instruction uses only registers, and the function's features include it. Its intrinsic,
        // `vdotq_s32`, is not stable.
        unsafe {
            asm!("sdot {sums:v}.4s, {weights:v}.16b, {bytes:v}.16b", sums = inout(vreg) sums,
                weights = in(vreg) weights, bytes = in(vreg) bytes,
                options(pure, nomem, nostack, preserves_flags));
        }
        sums
    }
}

pub(super) mod neon {
    use std::arch::aarch64::{
        float32x4_t, int8x16_t, int32x4_t, vaddq_s32, vdupq_n_f32, vdupq_n_s8, vdupq_n_s32, vdupq_n_u32,
        veorq_u32, vfmaq_f32, vget_low_s8, vld1q_f32, vld1q_s8, vmull_high_s8, vmull_s8, vpaddlq_s16,
        vpaddq_s32, vreinterpretq_s8_u32, vst1q_f32, vst1q_s32,
    };

    use crate::network::weights::Step;

    // A tile needs 4 × 4 sums, 4 registers of weights and 1 row, and registers for products of 16 bits.
    define_network!(
        "neon", rows: 4 > [1 2 3], blocks: 1, unsigned: false,
        #[target_feature(enable = "neon")]
    );
    define_128!(#[target_feature(enable = "neon")]);

    /// Adds four products to each lane. Multiplies in 16 bits, which can hold the largest product, 128 · 128, and adds
    /// neighboring products in 32 bits.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add_products_of_quarter(sums: int32x4_t, bytes: int8x16_t, weights: int8x16_t) -> int32x4_t {
        // Each element is the sum of two neighboring products: those of the lanes 0 and 1, and those of the lanes 2 and
        // 3.
        let low = vpaddlq_s16(vmull_s8(vget_low_s8(weights), vget_low_s8(bytes)));
        let high = vpaddlq_s16(vmull_high_s8(weights, bytes));
        vaddq_s32(sums, vpaddq_s32(low, high))
    }
}
