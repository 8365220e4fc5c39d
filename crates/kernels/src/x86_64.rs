//! AVX-512F, and AVX2 with FMA.

/// Sixteen lanes.
pub(crate) mod avx512 {
    use std::arch::x86_64::{
        __m512, __mmask16, _mm512_add_ps, _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_maskz_loadu_ps,
        _mm512_reduce_add_ps, _mm512_setzero_ps, _mm512_sub_ps,
    };

    type Lanes = __m512;
    const WIDTH: usize = 16;

    // 3 × 4 × 2 accumulators, 4 rows and 1 query: 29 of 32 registers.
    define_kernels!("avx512f", 3 x 4, #[target_feature(enable = "avx512f")]);

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn zero() -> Lanes {
        _mm512_setzero_ps()
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is sixteen readable floats; the load asks for no alignment.
        unsafe { _mm512_loadu_ps(chunk.as_ptr()) }
    }

    /// Up to sixteen floats, then zeros.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load_part(part: &[f32]) -> Lanes {
        let present = part.len().min(WIDTH) as u32;
        let mask = ((1u32 << present) - 1) as __mmask16;
        // SAFETY: the mask has a bit for no lane beyond `part`, and lanes without a bit are not read.
        unsafe { _mm512_maskz_loadu_ps(mask, part.as_ptr()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        _mm512_fmadd_ps(a, b, sum)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn subtract(a: Lanes, b: Lanes) -> Lanes {
        _mm512_sub_ps(a, b)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        _mm512_add_ps(a, b)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn sum(lanes: Lanes) -> f32 {
        _mm512_reduce_add_ps(lanes)
    }
}

/// Eight lanes.
pub(crate) mod avx2 {
    use std::arch::x86_64::{
        __m256, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_movehdup_ps, _mm_movehl_ps, _mm256_add_ps,
        _mm256_castps256_ps128, _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_setzero_ps,
        _mm256_sub_ps,
    };

    type Lanes = __m256;
    const WIDTH: usize = 8;

    // 3 × 2 × 2 accumulators, 2 rows and 1 query: 15 of 16 registers.
    define_kernels!("avx2+fma", 3 x 2, #[target_feature(enable = "avx2,fma")]);

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn zero() -> Lanes {
        _mm256_setzero_ps()
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is eight readable floats; the load asks for no alignment.
        unsafe { _mm256_loadu_ps(chunk.as_ptr()) }
    }

    /// Up to eight floats, then zeros.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn load_part(part: &[f32]) -> Lanes {
        let mut chunk = [0.0; WIDTH];
        chunk[..part.len()].copy_from_slice(part);
        load(&chunk)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        _mm256_fmadd_ps(a, b, sum)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn subtract(a: Lanes, b: Lanes) -> Lanes {
        _mm256_sub_ps(a, b)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn add(a: Lanes, b: Lanes) -> Lanes {
        _mm256_add_ps(a, b)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn sum(lanes: Lanes) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }
}
