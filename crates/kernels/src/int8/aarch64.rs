//! Inner products of 8-bit codes with NEON, with and without its `dotprod` extension.

/// Defines everything that `define_int8` needs except `add_products`, for registers of sixteen bytes. Loading a row
/// converts its bytes to signed codes: flipping the highest bit of a byte b gives b − 128.
macro_rules! define_signed {
    (#[$feature:meta]) => {
        type Row = int8x16_t;
        type Query = int8x16_t;
        type Sums = int32x4_t;
        const WIDTH: usize = 16;
        const UNSIGNED: bool = false;

        #[$feature]
        #[inline]
        fn zero() -> Sums {
            vdupq_n_s32(0)
        }

        #[$feature]
        #[inline]
        fn row(chunk: &[u8; WIDTH]) -> Row {
            // SAFETY: `chunk` is sixteen readable bytes; the load needs no more alignment than they have.
            let bytes = unsafe { vld1q_u8(chunk.as_ptr()) };
            vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(0x80)))
        }

        #[$feature]
        #[inline]
        fn row_part(part: &[u8]) -> Row {
            let mut chunk = [0; WIDTH];
            chunk[..part.len()].copy_from_slice(part);
            row(&chunk)
        }

        #[$feature]
        #[inline]
        fn query(chunk: &[i8; WIDTH]) -> Query {
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
        int8x16_t, int32x4_t, vaddvq_s32, vdupq_n_s32, vdupq_n_u8, veorq_u8, vld1q_s8, vld1q_u8,
        vreinterpretq_s8_u8,
    };
    use std::arch::asm;

    // A tile needs 4 × 4 sums, 4 queries and 1 row: 21 of 32 registers.
    define_int8!(
        NeonDotprod, queries: 4, bounds: crate::int8::bound::at_least,
        #[target_feature(enable = "neon,dotprod")]
    );
    define_signed!(#[target_feature(enable = "neon,dotprod")]);

    /// Adds four products to each lane.
    #[target_feature(enable = "neon,dotprod")]
    #[inline]
    fn add_products(row: Row, query: Query, sums: Sums) -> Sums {
        let mut sums = sums;
        // SAFETY: the instruction uses only registers, and the function's features include it. Its intrinsic,
        // `vdotq_s32`, is not stable.
        unsafe {
            asm!("sdot {sums:v}.4s, {row:v}.16b, {query:v}.16b", sums = inout(vreg) sums, row = in(vreg) row,
                query = in(vreg) query, options(pure, nomem, nostack, preserves_flags));
        }
        sums
    }
}

pub(super) mod neon {
    use std::arch::aarch64::{
        int8x16_t, int32x4_t, vaddvq_s32, vdupq_n_s32, vdupq_n_u8, veorq_u8, vget_low_s8, vld1q_s8, vld1q_u8,
        vmull_high_s8, vmull_s8, vpadalq_s16, vreinterpretq_s8_u8,
    };

    // A tile needs 2 × 4 sums, 2 queries and 1 row, and registers for products of 16 bits.
    define_int8!(
        Neon, queries: 2, bounds: crate::int8::bound::at_least,
        #[target_feature(enable = "neon")]
    );
    define_signed!(#[target_feature(enable = "neon")]);

    /// Multiplies in 16 bits, which can hold the largest product, 128 · 128, and adds neighboring products in 32 bits.
    #[target_feature(enable = "neon")]
    #[inline]
    fn add_products(row: Row, query: Query, sums: Sums) -> Sums {
        let sums = vpadalq_s16(sums, vmull_s8(vget_low_s8(row), vget_low_s8(query)));
        vpadalq_s16(sums, vmull_high_s8(row, query))
    }
}
