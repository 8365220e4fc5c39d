//! Conversions between 16-bit floats and `f32` with AVX-512F, and with AVX2 and F16C.

// There are no instructions that load a number of 16-bit values, so pairs of them are loaded, and the last of an odd
// number is inserted. That is faster than loading a copy of the values, because a load must wait for the stores of the
// copy.

/// `PAIR_MASKS[8 - n..]` selects the first `n` pairs.
const PAIR_MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
/// `LANE_MASKS[16 - n..]` selects the 16-bit value `n - 1`.
const LANE_MASKS: [i16; 32] = {
    let mut masks = [0; 32];
    masks[15] = -1;
    masks
};

/// Registers of sixteen floats.
pub(super) mod avx512 {
    use std::arch::x86_64::{
        __m256i, _CMP_UNORD_Q, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT, _mm256_and_si256,
        _mm256_loadu_si256, _mm256_maskload_epi32, _mm256_or_si256, _mm256_set1_epi16, _mm256_storeu_si256,
        _mm512_add_epi32, _mm512_and_si512, _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cmp_ps_mask,
        _mm512_cvtepi32_epi16, _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_cvtps_ph,
        _mm512_mask_blend_epi32, _mm512_or_si512, _mm512_set1_epi32, _mm512_slli_epi32, _mm512_srli_epi32,
    };

    use crate::float::x86_64::avx512::{
        Lanes, WIDTH, add, horizontal_sum, load, load_part, multiply_add, store, subtract, zero,
    };

    // Tiles need 3 × 4 × 2 accumulators, 4 rows and 1 query: 29 of 32 registers.
    define_half!("avx512f", 3 x 4, #[target_feature(enable = "avx512f,avx2")]);

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
        // SAFETY: `halves` is 32 readable bytes; the load needs no alignment.
        widened_register::<BF16>(unsafe { _mm256_loadu_si256(halves.as_ptr().cast()) })
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn widened_part<const BF16: bool>(halves: &[u16]) -> Lanes {
        let len = halves.len().min(WIDTH);
        let pairs: &[i32; 8] = super::PAIR_MASKS[8 - len / 2..].first_chunk().expect("8 pairs");
        // SAFETY: `pairs` is 32 readable bytes; the load needs no alignment.
        let mask = unsafe { _mm256_loadu_si256(pairs.as_ptr().cast()) };
        // SAFETY: the mask selects only pairs within `halves`, and others are not read.
        let mut register = unsafe { _mm256_maskload_epi32(halves.as_ptr().cast(), mask) };
        if len % 2 == 1 {
            let last = _mm256_set1_epi16(halves[len - 1].cast_signed());
            let place: &[i16; 16] = super::LANE_MASKS[16 - len..].first_chunk().expect("16 numbers");
            // SAFETY: `place` is 32 readable bytes; the load needs no alignment.
            let place = unsafe { _mm256_loadu_si256(place.as_ptr().cast()) };
            register = _mm256_or_si256(register, _mm256_and_si256(last, place));
        }
        widened_register::<BF16>(register)
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn widened_register<const BF16: bool>(halves: __m256i) -> Lanes {
        if BF16 {
            _mm512_castsi512_ps(_mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(halves)))
        } else {
            _mm512_cvtph_ps(halves)
        }
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn narrowed<const BF16: bool>(values: &[f32; WIDTH]) -> [u16; WIDTH] {
        let values = load(values);
        let narrow: __m256i = if BF16 {
            let bits = _mm512_castps_si512(values);
            let odd = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
            // A NaN keeps its upper bits. Its quiet bit is set, because the upper bits alone may be those of an
            // infinity.
            let quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x0040_0000));
            let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(values, values);
            _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(_mm512_mask_blend_epi32(nan, rounded, quiet)))
        } else {
            _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(values)
        };
        let mut halves = [0; WIDTH];
        // SAFETY: `halves` is 32 writable bytes; the store needs no alignment.
        unsafe { _mm256_storeu_si256(halves.as_mut_ptr().cast(), narrow) };
        halves
    }
}

/// Registers of eight floats.
pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m128i, _CMP_UNORD_Q, _MM_FROUND_TO_NEAREST_INT, _mm_and_si128, _mm_loadu_si128, _mm_maskload_epi32,
        _mm_or_si128, _mm_packus_epi32, _mm_set1_epi16, _mm_storeu_si128, _mm256_add_epi32, _mm256_and_si256,
        _mm256_blendv_epi8, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmp_ps,
        _mm256_cvtepu16_epi32, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_extracti128_si256, _mm256_or_si256,
        _mm256_set1_epi32, _mm256_slli_epi32, _mm256_srli_epi32,
    };

    use crate::float::x86_64::avx2::{
        Lanes, WIDTH, add, horizontal_sum, load, load_part, multiply_add, store, subtract, zero,
    };

    // Tiles need 3 × 2 × 2 accumulators, 2 rows and 1 query: 15 of 16 registers.
    define_half!("avx2+fma+f16c", 3 x 2, #[target_feature(enable = "avx2,fma,f16c")]);

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
        // SAFETY: `halves` is 16 readable bytes; the load needs no alignment.
        widened_register::<BF16>(unsafe { _mm_loadu_si128(halves.as_ptr().cast()) })
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn widened_part<const BF16: bool>(halves: &[u16]) -> Lanes {
        let len = halves.len().min(WIDTH);
        let pairs: &[i32; 4] = super::PAIR_MASKS[8 - len / 2..].first_chunk().expect("4 pairs");
        // SAFETY: `pairs` is 16 readable bytes; the load needs no alignment.
        let mask = unsafe { _mm_loadu_si128(pairs.as_ptr().cast()) };
        // SAFETY: the mask selects only pairs within `halves`, and others are not read.
        let mut register = unsafe { _mm_maskload_epi32(halves.as_ptr().cast(), mask) };
        if len % 2 == 1 {
            let last = _mm_set1_epi16(halves[len - 1].cast_signed());
            let place: &[i16; 8] = super::LANE_MASKS[16 - len..].first_chunk().expect("8 numbers");
            // SAFETY: `place` is 16 readable bytes; the load needs no alignment.
            let place = unsafe { _mm_loadu_si128(place.as_ptr().cast()) };
            register = _mm_or_si128(register, _mm_and_si128(last, place));
        }
        widened_register::<BF16>(register)
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn widened_register<const BF16: bool>(halves: __m128i) -> Lanes {
        if BF16 {
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
        } else {
            _mm256_cvtph_ps(halves)
        }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn narrowed<const BF16: bool>(values: &[f32; WIDTH]) -> [u16; WIDTH] {
        let values = load(values);
        let narrow: __m128i = if BF16 {
            let bits = _mm256_castps_si256(values);
            let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
            let rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
            // A NaN keeps its upper bits. Its quiet bit is set, because the upper bits alone may be those of an
            // infinity.
            let quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x0040_0000));
            let nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(values, values));
            let wide = _mm256_srli_epi32::<16>(_mm256_blendv_epi8(rounded, quiet, nan));
            _mm_packus_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256::<1>(wide))
        } else {
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(values)
        };
        let mut halves = [0; WIDTH];
        // SAFETY: `halves` is 16 writable bytes; the store needs no alignment.
        unsafe { _mm_storeu_si128(halves.as_mut_ptr().cast(), narrow) };
        halves
    }
}
