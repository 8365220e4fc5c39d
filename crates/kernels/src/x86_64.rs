//! AVX-512F, and AVX2 with FMA.

/// Sixteen lanes.
pub(crate) mod avx512 {
    use std::arch::x86_64::{
        __m512, __mmask16, _CMP_GE_OQ, _mm256_add_ps, _mm256_castpd_ps, _mm512_add_ps, _mm512_castpd_ps,
        _mm512_castps_pd, _mm512_castps512_ps256, _mm512_cmp_ps_mask, _mm512_extractf64x4_pd,
        _mm512_fmadd_ps, _mm512_loadu_ps, _mm512_mask_blend_ps, _mm512_maskz_loadu_ps, _mm512_setzero_ps,
        _mm512_shuffle_f32x4, _mm512_shuffle_ps, _mm512_storeu_ps, _mm512_sub_ps, _mm512_unpackhi_pd,
        _mm512_unpacklo_pd,
    };

    pub(crate) type Lanes = __m512;
    pub(crate) const WIDTH: usize = 16;

    // 3 × 4 × 2 accumulators, 4 rows and 1 query: 29 of 32 registers.
    // Panels: 4 × 4 accumulators, 4 rows and 1 query: 21.
    define_kernels!("avx512f", 3 x 4, panels 4 x 4, #[target_feature(enable = "avx512f")]);

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn zero() -> Lanes {
        _mm512_setzero_ps()
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is sixteen readable floats; the load asks for no alignment.
        unsafe { _mm512_loadu_ps(chunk.as_ptr()) }
    }

    /// Up to sixteen floats, then zeros.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn load_part(part: &[f32]) -> Lanes {
        let present = part.len().min(WIDTH) as u32;
        let mask = ((1u32 << present) - 1) as __mmask16;
        // SAFETY: the mask has a bit for no lane beyond `part`, and lanes without a bit are not read.
        unsafe { _mm512_maskz_loadu_ps(mask, part.as_ptr()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn store(lanes: Lanes) -> [f32; WIDTH] {
        let mut values = [0.0; WIDTH];
        // SAFETY: `values` is sixteen writable floats; the store asks for no alignment.
        unsafe { _mm512_storeu_ps(values.as_mut_ptr(), lanes) }
        values
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        _mm512_fmadd_ps(a, b, sum)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn subtract(a: Lanes, b: Lanes) -> Lanes {
        _mm512_sub_ps(a, b)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn add(a: Lanes, b: Lanes) -> Lanes {
        _mm512_add_ps(a, b)
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn sum(lanes: Lanes) -> f32 {
        let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(lanes)));
        super::avx2::sum(_mm256_add_ps(_mm512_castps512_ps256(lanes), high))
    }

    /// The sum of every pair, added up as in [`sum`].
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn sums(pairs: &[[Lanes; 4]; 4]) -> [Lanes; 1] {
        let [a, b, c, d] = pairs;
        // One row of every query; each query keeps a quarter of the lanes from here on.
        let mut of_rows = [zero(); 4];
        for r in 0..4 {
            of_rows[r] = quarters(halves(a[r], b[r]), halves(c[r], d[r]));
        }
        let [e, f, g, h] = of_rows;
        [neighbours(pairs_of_four(e, f), pairs_of_four(g, h))]
    }

    /// Lanes `i` and `i + 8` added: of `a` in the lower eight lanes, of `b` in the upper.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn halves(a: Lanes, b: Lanes) -> Lanes {
        add(_mm512_mask_blend_ps(0xFF00, a, b), _mm512_shuffle_f32x4::<0b01_00_11_10>(a, b))
    }

    /// Lanes `i` and `i + 4` of every eight added: of `a` in the lower eight lanes, of `b` in the upper.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn quarters(a: Lanes, b: Lanes) -> Lanes {
        add(_mm512_shuffle_f32x4::<0b10_00_10_00>(a, b), _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b))
    }

    /// Lanes `i` and `i + 2` of every four added: of `a` in the lower two lanes of four, of `b` in the upper.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn pairs_of_four(a: Lanes, b: Lanes) -> Lanes {
        let (a, b) = (_mm512_castps_pd(a), _mm512_castps_pd(b));
        add(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)))
    }

    /// Neighbouring lanes added: of `a` in the lower two lanes of four, of `b` in the upper.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn neighbours(a: Lanes, b: Lanes) -> Lanes {
        add(_mm512_shuffle_ps::<0b10_00_10_00>(a, b), _mm512_shuffle_ps::<0b11_01_11_01>(a, b))
    }

    /// A bit for every lane that is `least` or more.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn reaching(lanes: Lanes, least: &[f32; WIDTH]) -> u32 {
        u32::from(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(lanes, load(least)))
    }
}

/// Eight lanes.
pub(crate) mod avx2 {
    use std::arch::x86_64::{
        __m256, _CMP_GE_OQ, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_movehdup_ps, _mm_movehl_ps,
        _mm256_add_ps, _mm256_blend_ps, _mm256_castpd_ps, _mm256_castps_pd, _mm256_castps256_ps128,
        _mm256_cmp_ps, _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_movemask_ps,
        _mm256_permute2f128_ps, _mm256_setzero_ps, _mm256_shuffle_ps, _mm256_storeu_ps, _mm256_sub_ps,
        _mm256_unpackhi_pd, _mm256_unpacklo_pd,
    };

    pub(crate) type Lanes = __m256;
    pub(crate) const WIDTH: usize = 8;

    // 3 × 2 × 2 accumulators, 2 rows and 1 query: 15 of 16 registers.
    // Panels: 2 × 4 accumulators, 4 rows and 1 query: 13.
    define_kernels!("avx2+fma", 3 x 2, panels 2 x 4, #[target_feature(enable = "avx2,fma")]);

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn zero() -> Lanes {
        _mm256_setzero_ps()
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is eight readable floats; the load asks for no alignment.
        unsafe { _mm256_loadu_ps(chunk.as_ptr()) }
    }

    /// Up to eight floats, then zeros.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn load_part(part: &[f32]) -> Lanes {
        let mut chunk = [0.0; WIDTH];
        chunk[..part.len()].copy_from_slice(part);
        load(&chunk)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn store(lanes: Lanes) -> [f32; WIDTH] {
        let mut values = [0.0; WIDTH];
        // SAFETY: `values` is eight writable floats; the store asks for no alignment.
        unsafe { _mm256_storeu_ps(values.as_mut_ptr(), lanes) }
        values
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn multiply_add(a: Lanes, b: Lanes, sum: Lanes) -> Lanes {
        _mm256_fmadd_ps(a, b, sum)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn subtract(a: Lanes, b: Lanes) -> Lanes {
        _mm256_sub_ps(a, b)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn add(a: Lanes, b: Lanes) -> Lanes {
        _mm256_add_ps(a, b)
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn sum(lanes: Lanes) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }

    /// The sum of every pair, added up as in [`sum`].
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn sums(pairs: &[[Lanes; 4]; 2]) -> [Lanes; 1] {
        let [a, b] = pairs;
        // One row of both queries; each query keeps a half of the lanes from here on.
        let mut of_rows = [zero(); 4];
        for r in 0..4 {
            of_rows[r] = halves(a[r], b[r]);
        }
        let [e, f, g, h] = of_rows;
        [neighbours(pairs_of_four(e, f), pairs_of_four(g, h))]
    }

    /// Lanes `i` and `i + 4` added: of `a` in the lower four lanes, of `b` in the upper.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn halves(a: Lanes, b: Lanes) -> Lanes {
        add(_mm256_blend_ps::<0xF0>(a, b), _mm256_permute2f128_ps::<0x21>(a, b))
    }

    /// Lanes `i` and `i + 2` of every four added: of `a` in the lower two lanes of four, of `b` in the upper.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn pairs_of_four(a: Lanes, b: Lanes) -> Lanes {
        let (a, b) = (_mm256_castps_pd(a), _mm256_castps_pd(b));
        add(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)), _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)))
    }

    /// Neighbouring lanes added: of `a` in the lower two lanes of four, of `b` in the upper.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn neighbours(a: Lanes, b: Lanes) -> Lanes {
        add(_mm256_shuffle_ps::<0b10_00_10_00>(a, b), _mm256_shuffle_ps::<0b11_01_11_01>(a, b))
    }

    /// A bit for every lane that is `least` or more.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn reaching(lanes: Lanes, least: &[f32; WIDTH]) -> u32 {
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(lanes, load(least))) as u32
    }
}
