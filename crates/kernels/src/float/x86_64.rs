//! Registers and instructions of AVX-512F, and of AVX2 with FMA.
//!
//! A *pair* is a query and a row. Each pair has a register with partial sums of its inner product or squared distance.
//! `horizontal_sums` reduces the registers of all pairs of a tile at once. It adds the halves of each register, then
//! the quarters, and so on. Each step combines two registers, a and b, into one of the same width:
//!
//! ```text
//! a0 a1 a2 a3 │ a4 a5 a6 a7      fold_halves       a0+a4 a1+a5 a2+a6 a3+a7 │ b0+b4 b1+b5 b2+b6 b3+b7
//! b0 b1 b2 b3 │ b4 b5 b6 b7   ──────────────►
//! ```
//!
//! After three (AVX2) or four (AVX-512) such steps, the sums of 8 or 16 pairs are side by side. `horizontal_sum` adds
//! the lanes of one register in the same order, so both functions return the same bits.

/// Registers of sixteen floats.
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

    // Tiles need 3 × 4 × 2 accumulators, 4 rows and 1 query: 29 of 32 registers.
    // Panels need 4 × 4 accumulators, 4 rows and 1 query: 21.
    define_kernels!("avx512f", 3 x 4, panels 4 x 4, #[target_feature(enable = "avx512f")]);

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn zero() -> Lanes {
        _mm512_setzero_ps()
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is sixteen readable floats; the load needs no alignment.
        unsafe { _mm512_loadu_ps(chunk.as_ptr()) }
    }

    /// Loads up to sixteen floats and fills the other lanes with zeros.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn load_part(part: &[f32]) -> Lanes {
        let len = part.len().min(WIDTH) as u32;
        let mask = ((1u32 << len) - 1) as __mmask16;
        // SAFETY: the mask selects only lanes within `part`, and other lanes are not read.
        unsafe { _mm512_maskz_loadu_ps(mask, part.as_ptr()) }
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub(crate) fn store(lanes: Lanes) -> [f32; WIDTH] {
        let mut values = [0.0; WIDTH];
        // SAFETY: `values` is sixteen writable floats; the store needs no alignment.
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
    pub(crate) fn horizontal_sum(lanes: Lanes) -> f32 {
        let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(lanes)));
        super::avx2::horizontal_sum(_mm256_add_ps(_mm512_castps512_ps256(lanes), high))
    }

    /// Returns the [`horizontal_sum`] of each pair: all rows of the first query, then all rows of the second, and so
    /// on.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn horizontal_sums(pairs: &[[Lanes; 4]; 4]) -> [Lanes; 1] {
        let [a, b, c, d] = pairs;
        // `rows[r]` has four partial sums for each of the four queries.
        let mut rows = [zero(); 4];
        for r in 0..4 {
            rows[r] = fold_quarters(fold_halves(a[r], b[r]), fold_halves(c[r], d[r]));
        }
        let [e, f, g, h] = rows;
        [fold_neighbors(fold_pairs(e, f), fold_pairs(g, h))]
    }

    /// Adds lanes `i` and `i + 8`: the sums of `a` are in the lower eight lanes, those of `b` in the upper eight.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn fold_halves(a: Lanes, b: Lanes) -> Lanes {
        add(_mm512_mask_blend_ps(0xFF00, a, b), _mm512_shuffle_f32x4::<0b01_00_11_10>(a, b))
    }

    /// Adds lanes `i` and `i + 4` of every eight: the sums of `a` are in the lower eight lanes, those of `b` in the
    /// upper eight.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn fold_quarters(a: Lanes, b: Lanes) -> Lanes {
        add(_mm512_shuffle_f32x4::<0b10_00_10_00>(a, b), _mm512_shuffle_f32x4::<0b11_01_11_01>(a, b))
    }

    /// Adds lanes `i` and `i + 2` of every four: the sums of `a` are in the lower two of the four lanes, those of `b`
    /// in the upper two.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn fold_pairs(a: Lanes, b: Lanes) -> Lanes {
        let (a, b) = (_mm512_castps_pd(a), _mm512_castps_pd(b));
        add(_mm512_castpd_ps(_mm512_unpacklo_pd(a, b)), _mm512_castpd_ps(_mm512_unpackhi_pd(a, b)))
    }

    /// Adds neighboring lanes: of every four lanes, the sums of `a` are in the lower two, those of `b` in the upper
    /// two.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn fold_neighbors(a: Lanes, b: Lanes) -> Lanes {
        add(_mm512_shuffle_ps::<0b10_00_10_00>(a, b), _mm512_shuffle_ps::<0b11_01_11_01>(a, b))
    }

    /// Returns a mask: bit `i` is set if lane `i` is at or above threshold `i`.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn mask_at_least(lanes: Lanes, thresholds: &[f32; WIDTH]) -> u32 {
        u32::from(_mm512_cmp_ps_mask::<_CMP_GE_OQ>(lanes, load(thresholds)))
    }
}

/// Registers of eight floats.
pub(crate) mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_GE_OQ, _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_movehdup_ps, _mm_movehl_ps,
        _mm256_add_ps, _mm256_blend_ps, _mm256_castpd_ps, _mm256_castps_pd, _mm256_castps256_ps128,
        _mm256_cmp_ps, _mm256_extractf128_ps, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_loadu_si256,
        _mm256_maskload_ps, _mm256_movemask_ps, _mm256_permute2f128_ps, _mm256_setzero_ps, _mm256_shuffle_ps,
        _mm256_storeu_ps, _mm256_sub_ps, _mm256_unpackhi_pd, _mm256_unpacklo_pd,
    };

    pub(crate) type Lanes = __m256;
    pub(crate) const WIDTH: usize = 8;

    // Tiles need 3 × 2 × 2 accumulators, 2 rows and 1 query: 15 of 16 registers.
    // Panels need 2 × 4 accumulators, 4 rows and 1 query: 13.
    define_kernels!("avx2+fma", 3 x 2, panels 2 x 4, #[target_feature(enable = "avx2,fma")]);

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn zero() -> Lanes {
        _mm256_setzero_ps()
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn load(chunk: &[f32; WIDTH]) -> Lanes {
        // SAFETY: `chunk` is eight readable floats; the load needs no alignment.
        unsafe { _mm256_loadu_ps(chunk.as_ptr()) }
    }

    /// Loads up to eight floats and fills the other lanes with zeros.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn load_part(part: &[f32]) -> Lanes {
        let mask = first_lanes(part.len().min(WIDTH));
        // SAFETY: the mask selects only lanes within `part`, and other lanes are not read.
        unsafe { _mm256_maskload_ps(part.as_ptr(), mask) }
    }

    /// Returns a register whose first `len` lanes of 32 bits have all bits set; the others are 0. Loading a part with it
    /// is faster than loading a copy of the part, because a load must wait for the stores of the copy.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn first_lanes(len: usize) -> __m256i {
        const MASKS: [i32; 2 * WIDTH] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
        let mask: &[i32; WIDTH] = MASKS[WIDTH - len..].first_chunk().expect("at most 8 lanes");
        // SAFETY: `mask` is 32 readable bytes; the load needs no alignment.
        unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2,fma")]
    #[inline]
    pub(crate) fn store(lanes: Lanes) -> [f32; WIDTH] {
        let mut values = [0.0; WIDTH];
        // SAFETY: `values` is eight writable floats; the store needs no alignment.
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
    pub(crate) fn horizontal_sum(lanes: Lanes) -> f32 {
        let four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps::<1>(lanes));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
    }

    /// Returns the [`horizontal_sum`] of each pair: all rows of the first query, then all rows of the second.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn horizontal_sums(pairs: &[[Lanes; 4]; 2]) -> [Lanes; 1] {
        let [a, b] = pairs;
        // `rows[r]` has four partial sums for each of the two queries.
        let mut rows = [zero(); 4];
        for r in 0..4 {
            rows[r] = fold_halves(a[r], b[r]);
        }
        let [e, f, g, h] = rows;
        [fold_neighbors(fold_pairs(e, f), fold_pairs(g, h))]
    }

    /// Adds lanes `i` and `i + 4`: the sums of `a` are in the lower four lanes, those of `b` in the upper four.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn fold_halves(a: Lanes, b: Lanes) -> Lanes {
        add(_mm256_blend_ps::<0xF0>(a, b), _mm256_permute2f128_ps::<0x21>(a, b))
    }

    /// Adds lanes `i` and `i + 2` of every four: the sums of `a` are in the lower two of the four lanes, those of `b`
    /// in the upper two.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn fold_pairs(a: Lanes, b: Lanes) -> Lanes {
        let (a, b) = (_mm256_castps_pd(a), _mm256_castps_pd(b));
        add(_mm256_castpd_ps(_mm256_unpacklo_pd(a, b)), _mm256_castpd_ps(_mm256_unpackhi_pd(a, b)))
    }

    /// Adds neighboring lanes: of every four lanes, the sums of `a` are in the lower two, those of `b` in the upper
    /// two.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn fold_neighbors(a: Lanes, b: Lanes) -> Lanes {
        add(_mm256_shuffle_ps::<0b10_00_10_00>(a, b), _mm256_shuffle_ps::<0b11_01_11_01>(a, b))
    }

    /// Returns a mask: bit `i` is set if lane `i` is at or above threshold `i`.
    #[target_feature(enable = "avx2,fma")]
    #[inline]
    fn mask_at_least(lanes: Lanes, thresholds: &[f32; WIDTH]) -> u32 {
        _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(lanes, load(thresholds))) as u32
    }
}
