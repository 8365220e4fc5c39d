//! Conversions between 16-bit floats and `f32` with NEON.

/// Registers of four floats.
pub(super) mod neon {
    use std::arch::aarch64::{
        float32x4_t, uint16x4_t, vld1_u16, vmovl_u16, vreinterpretq_f32_u32, vshlq_n_u32, vst1_u16,
    };
    use std::arch::asm;

    use crate::float::aarch64::neon::{
        Lanes, WIDTH, add, horizontal_sum, load, load_part, multiply_add, store, subtract, zero,
    };
    use crate::half::format;

    // Tiles need 2 × 4 × 2 accumulators, 4 rows and 1 query: 21 of 32 registers. With 3 × 4, the compiler writes
    // accumulators to the stack.
    define_half!("neon", 2 x 4, #[target_feature(enable = "neon")]);

    #[target_feature(enable = "neon")]
    #[inline]
    fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
        // SAFETY: `halves` is four readable numbers; the load needs no more alignment than they have.
        let halves = unsafe { vld1_u16(halves.as_ptr()) };
        if BF16 {
            return vreinterpretq_f32_u32(vshlq_n_u32::<16>(vmovl_u16(halves)));
        }
        let wide: float32x4_t;
        // SAFETY: the instruction uses only registers and is part of NEON. Its intrinsic, `vcvt_f32_f16`, is not stable
        // in all supported compilers.
        unsafe {
            asm!("fcvtl {wide:v}.4s, {halves:v}.4h", wide = out(vreg) wide, halves = in(vreg) halves,
                options(pure, nomem, nostack, preserves_flags));
        }
        wide
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn widened_part<const BF16: bool>(halves: &[u16]) -> Lanes {
        let mut chunk = [0; WIDTH];
        chunk[..halves.len()].copy_from_slice(halves);
        widened::<BF16>(&chunk)
    }

    #[target_feature(enable = "neon")]
    #[inline]
    fn narrowed<const BF16: bool>(values: &[f32; WIDTH]) -> [u16; WIDTH] {
        if BF16 {
            return values.map(format::narrow::<true>);
        }
        let values = load(values);
        let narrow: uint16x4_t;
        // SAFETY: the instruction uses only registers and is part of NEON. It rounds ties to even, because this code
        // never changes the rounding mode.
        unsafe {
            asm!("fcvtn {narrow:v}.4h, {values:v}.4s", narrow = out(vreg) narrow, values = in(vreg) values,
                options(pure, nomem, nostack, preserves_flags));
        }
        let mut halves = [0; WIDTH];
        // SAFETY: `halves` is four writable numbers; the store needs no more alignment than they have.
        unsafe { vst1_u16(halves.as_mut_ptr(), narrow) };
        halves
    }
}
