//! AVX-512F, and AVX2 with FMA and F16C.

/// Sixteen lanes.
pub(super) mod avx512 {
    use std::arch::x86_64::{
        __m256i, __m512, __mmask16, _CMP_UNORD_Q, _MM_FROUND_NO_EXC, _MM_FROUND_TO_NEAREST_INT,
        _mm256_loadu_si256, _mm256_storeu_si256, _mm512_add_epi32, _mm512_add_ps, _mm512_and_si512,
        _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cmp_ps_mask, _mm512_cvtepi32_epi16,
        _mm512_cvtepu16_epi32, _mm512_cvtph_ps, _mm512_cvtps_ph, _mm512_fmadd_ps, _mm512_loadu_ps,
        _mm512_mask_blend_epi32, _mm512_maskz_loadu_ps, _mm512_or_si512, _mm512_reduce_add_ps,
        _mm512_set1_epi32, _mm512_setzero_ps, _mm512_slli_epi32, _mm512_srli_epi32, _mm512_storeu_ps,
        _mm512_sub_ps,
    };

    type Lanes = __m512;
    const WIDTH: usize = 16;

    // 3 × 4 × 2 accumulators, 4 rows and 1 query: 29 of 32 registers.
    define_half!("avx512f", 3 x 4, #[target_feature(enable = "avx512f,avx2")]);

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn zero() -> Lanes {
        _mm512_setzero_ps()
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is sixteen readable floats; the load asks for no alignment.
        unsafe { _mm512_loadu_ps(chunk.as_ptr()) }
    }

    /// Up to sixteen floats, then zeros.
    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn load_part(part: &[f32]) -> Lanes {
        let present = part.len().min(WIDTH) as u32;
        let mask = ((1u32 << present) - 1) as __mmask16;
        // SAFETY: the mask has a bit for no lane beyond `part`, and lanes without a bit are not read.
        unsafe { _mm512_maskz_loadu_ps(mask, part.as_ptr()) }
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn store(into: &mut [f32; WIDTH], lanes: Lanes) {
        // SAFETY: `into` is sixteen writable floats; the store asks for no alignment.
        unsafe { _mm512_storeu_ps(into.as_mut_ptr(), lanes) }
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
        // SAFETY: `halves` is 32 readable bytes; the load asks for no alignment.
        let halves = unsafe { _mm256_loadu_si256(halves.as_ptr().cast()) };
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
            // A NaN keeps its upper bits, and one that they do not show.
            let quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x0040_0000));
            let nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(values, values);
            _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(_mm512_mask_blend_epi32(nan, rounded, quiet)))
        } else {
            _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(values)
        };
        let mut halves = [0; WIDTH];
        // SAFETY: `halves` is 32 writable bytes; the store asks for no alignment.
        unsafe { _mm256_storeu_si256(halves.as_mut_ptr().cast(), narrow) };
        halves
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        _mm512_fmadd_ps(a, b, sum)
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn subtract(a: Lanes, b: Lanes) -> Lanes {
        _mm512_sub_ps(a, b)
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        _mm512_add_ps(a, b)
    }

    #[target_feature(enable = "avx512f,avx2")]
    #[inline]
    fn sum(lanes: Lanes) -> f32 {
        _mm512_reduce_add_ps(lanes)
    }
}

/// Eight lanes.
pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m128i, __m256, _CMP_UNORD_Q, _MM_FROUND_TO_NEAREST_INT, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32,
        _mm_loadu_si128, _mm_movehdup_ps, _mm_movehl_ps, _mm_packus_epi32, _mm_storeu_si128,
        _mm256_add_epi32, _mm256_add_ps, _mm256_and_si256, _mm256_blendv_epi8, _mm256_castps_si256,
        _mm256_castps256_ps128, _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmp_ps,
        _mm256_cvtepu16_epi32, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_extractf128_ps,
        _mm256_extracti128_si256, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_or_si256, _mm256_set1_epi32,
        _mm256_setzero_ps, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_storeu_ps, _mm256_sub_ps,
    };

    type Lanes = __m256;
    const WIDTH: usize = 8;

    // 3 × 2 × 2 accumulators, 2 rows and 1 query: 15 of 16 registers.
    define_half!("avx2+fma+f16c", 3 x 2, #[target_feature(enable = "avx2,fma,f16c")]);

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn zero() -> Lanes {
        _mm256_setzero_ps()
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is eight readable floats; the load asks for no alignment.
        unsafe { _mm256_loadu_ps(chunk.as_ptr()) }
    }

    /// Up to eight floats, then zeros.
    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn load_part(part: &[f32]) -> Lanes {
        let mut chunk = [0.0; WIDTH];
        chunk[..part.len()].copy_from_slice(part);
        load(&chunk)
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn store(into: &mut [f32; WIDTH], lanes: Lanes) {
        // SAFETY: `into` is eight writable floats; the store asks for no alignment.
        unsafe { _mm256_storeu_ps(into.as_mut_ptr(), lanes) }
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn widened<const BF16: bool>(halves: &[u16; WIDTH]) -> Lanes {
        // SAFETY: `halves` is 16 readable bytes; the load asks for no alignment.
        let halves = unsafe { _mm_loadu_si128(halves.as_ptr().cast()) };
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
            // A NaN keeps its upper bits, and one that they do not show.
            let quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x0040_0000));
            let nan = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(values, values));
            let wide = _mm256_srli_epi32::<16>(_mm256_blendv_epi8(rounded, quiet, nan));
            _mm_packus_epi32(_mm256_castsi256_si128(wide), _mm256_extracti128_si256::<1>(wide))
        } else {
            _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(values)
        };
        let mut halves = [0; WIDTH];
        // SAFETY: `halves` is 16 writable bytes; the store asks for no alignment.
        unsafe { _mm_storeu_si128(halves.as_mut_ptr().cast(), narrow) };
        halves
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        _mm256_fmadd_ps(a, b, sum)
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn subtract(a: Lanes, b: Lanes) -> Lanes {
        _mm256_sub_ps(a, b)
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        _mm256_add_ps(a, b)
    }

    #[target_feature(enable = "avx2,fma,f16c")]
    #[inline]
    fn sum(lanes: Lanes) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }
}
