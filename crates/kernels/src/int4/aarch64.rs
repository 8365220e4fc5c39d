//! Inner products of 4-bit codes with NEON, with and without its `dotprod` extension.

/// Defines everything that `define_int4` needs except `add_products`, for registers of sixteen bytes.
macro_rules! define_lanes {
    (#[$feature:meta]) => {
        type Sums = int32x4_t;
        const WIDTH: usize = 16;

        #[$feature]
        #[inline]
        fn zero() -> Sums {
            vdupq_n_s32(0)
        }

        /// Returns the codes in the lower four bits of sixteen bytes, and the codes in the upper four bits.
        #[$feature]
        #[inline]
        fn nibbles(chunk: &[u8; WIDTH]) -> (int8x16_t, int8x16_t) {
            // SAFETY: `chunk` is sixteen readable bytes; the load needs no more alignment than they have.
            let bytes = unsafe { vld1q_u8(chunk.as_ptr()) };
            let lower = vandq_u8(bytes, vdupq_n_u8(15));
            (vreinterpretq_s8_u8(lower), vreinterpretq_s8_u8(vshrq_n_u8::<4>(bytes)))
        }

        #[$feature]
        #[inline]
        fn load_query(chunk: &[i8; WIDTH]) -> int8x16_t {
            // SAFETY: `chunk` is sixteen readable bytes; the load needs no more alignment than they have.
            unsafe { vld1q_s8(chunk.as_ptr()) }
        }

        #[$feature]
        #[inline]
        fn totals(sums: [Sums; 4]) -> [i32; 4] {
            sums.map(|sums| vaddvq_s32(sums))
        }
    };
}

pub(super) mod dotprod {
    use std::arch::aarch64::{
        int8x16_t, int32x4_t, vaddvq_s32, vandq_u8, vdupq_n_s32, vdupq_n_u8, vld1q_s8, vld1q_u8,
        vreinterpretq_s8_u8, vshrq_n_u8,
    };
    use std::arch::asm;

    define_int4!("neon+dotprod", #[target_feature(enable = "neon,dotprod")]);
    define_lanes!(#[target_feature(enable = "neon,dotprod")]);

    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (lower, upper) = nibbles(codes);
        multiply_add(upper, load_query(high), multiply_add(lower, load_query(low), sums))
    }

    /// Adds four products of a code and a query value to each lane.
    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn multiply_add(codes: int8x16_t, query: int8x16_t, sums: Sums) -> Sums {
        let mut sums = sums;
        // SAFETY: the instruction uses only registers, and the function's features include it. Its intrinsic,
        // `vdotq_s32`, is not stable.
        unsafe {
            asm!("sdot {sums:v}.4s, {codes:v}.16b, {query:v}.16b", sums = inout(vreg) sums, codes = in(vreg) codes,
                query = in(vreg) query, options(pure, nomem, nostack, preserves_flags));
        }
        sums
    }
}

pub(super) mod neon {
    use std::arch::aarch64::{
        int8x16_t, int32x4_t, vaddvq_s32, vandq_u8, vdupq_n_s32, vdupq_n_u8, vget_low_s8, vld1q_s8, vld1q_u8,
        vmlal_high_s8, vmlal_s8, vmull_high_s8, vmull_s8, vpadalq_s16, vreinterpretq_s8_u8, vshrq_n_u8,
    };

    define_int4!("neon", #[target_feature(enable = "neon")]);
    define_lanes!(#[target_feature(enable = "neon")]);

    /// Adds two products, of at most 15 · 128 each, in 16 bits, and then adds pairs of such sums in 32 bits.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (lower, upper) = nibbles(codes);
        let (low, high) = (load_query(low), load_query(high));
        let first =
            vmlal_s8(vmull_s8(vget_low_s8(lower), vget_low_s8(low)), vget_low_s8(upper), vget_low_s8(high));
        let second = vmlal_high_s8(vmull_high_s8(lower, low), upper, high);
        vpadalq_s16(vpadalq_s16(sums, first), second)
    }
}
