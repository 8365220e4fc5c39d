//! AVX-512, with and without VNNI, and AVX2.

/// Defines the lanes of 64 bytes, but for the products.
macro_rules! define_lanes_512 {
    (#[$feature:meta]) => {
        type Sums = __m512i;
        const WIDTH: usize = 64;

        #[$feature]
        #[inline]
        fn zero() -> Sums {
            _mm512_setzero_si512()
        }

        #[$feature]
        #[inline]
        fn load(chunk: &[u8; WIDTH]) -> __m512i {
            // SAFETY: `chunk` is 64 readable bytes; the load asks for no alignment.
            unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) }
        }

        #[$feature]
        #[inline]
        fn load_query(chunk: &[i8; WIDTH]) -> __m512i {
            // SAFETY: `chunk` is 64 readable bytes; the load asks for no alignment.
            unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) }
        }

        /// The lower and the upper halves of bytes.
        #[$feature]
        #[inline]
        fn halves(bytes: __m512i) -> (__m512i, __m512i) {
            let mask = _mm512_set1_epi8(15);
            (_mm512_and_si512(bytes, mask), _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), mask))
        }

        #[$feature]
        #[inline]
        fn totals(sums: [Sums; 4]) -> [i32; 4] {
            let [a, b, c, d] = sums;
            let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
            let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
            // In each quarter a part of the four totals.
            let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
            let total = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
            let mut totals = [0; 4];
            // SAFETY: `totals` is 16 writable bytes; the store asks for no alignment.
            unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), total) };
            totals
        }
    };
}

pub(super) mod avx512vnni {
    use std::arch::x86_64::{
        __m512i, _mm_add_epi32, _mm_storeu_si128, _mm256_add_epi32, _mm256_castsi256_si128,
        _mm256_extracti128_si256, _mm512_add_epi32, _mm512_and_si512, _mm512_castsi512_si256,
        _mm512_dpbusd_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_set1_epi8,
        _mm512_setzero_si512, _mm512_srli_epi16, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
        _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    };

    define_int4!("avx512vnni", #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_lanes_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (lower, upper) = halves(load(codes));
        let sums = _mm512_dpbusd_epi32(sums, lower, load_query(low));
        _mm512_dpbusd_epi32(sums, upper, load_query(high))
    }
}

pub(super) mod avx512bw {
    use std::arch::x86_64::{
        __m512i, _mm_add_epi32, _mm_storeu_si128, _mm256_add_epi32, _mm256_castsi256_si128,
        _mm256_extracti128_si256, _mm512_add_epi16, _mm512_add_epi32, _mm512_and_si512,
        _mm512_castsi512_si256, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_madd_epi16,
        _mm512_maddubs_epi16, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_setzero_si512, _mm512_srli_epi16,
        _mm512_unpackhi_epi32, _mm512_unpackhi_epi64, _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
    };

    define_int4!("avx512bw", #[target_feature(enable = "avx512f,avx512bw")]);
    define_lanes_512!(#[target_feature(enable = "avx512f,avx512bw")]);

    /// Four products of at most 15 · 128 are added in 16 bits, which hold 32,767.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (lower, upper) = halves(load(codes));
        let words = _mm512_add_epi16(
            _mm512_maddubs_epi16(lower, load_query(low)),
            _mm512_maddubs_epi16(upper, load_query(high)),
        );
        _mm512_add_epi32(sums, _mm512_madd_epi16(words, _mm512_set1_epi16(1)))
    }
}

pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_storeu_si128, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256,
        _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_setzero_si256,
        _mm256_srli_epi16,
    };

    type Sums = __m256i;
    const WIDTH: usize = 32;

    define_int4!("avx2", #[target_feature(enable = "avx2")]);

    #[target_feature(enable = "avx2")]
    #[inline]
    fn zero() -> Sums {
        _mm256_setzero_si256()
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load(chunk: &[u8; WIDTH]) -> __m256i {
        // SAFETY: `chunk` is 32 readable bytes; the load asks for no alignment.
        unsafe { _mm256_loadu_si256(chunk.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load_query(chunk: &[i8; WIDTH]) -> __m256i {
        // SAFETY: `chunk` is 32 readable bytes; the load asks for no alignment.
        unsafe { _mm256_loadu_si256(chunk.as_ptr().cast()) }
    }

    /// Four products of at most 15 · 128 are added in 16 bits, which hold 32,767.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (bytes, mask) = (load(codes), _mm256_set1_epi8(15));
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), mask);
        let words = _mm256_add_epi16(
            _mm256_maddubs_epi16(_mm256_and_si256(bytes, mask), load_query(low)),
            _mm256_maddubs_epi16(upper, load_query(high)),
        );
        _mm256_add_epi32(sums, _mm256_madd_epi16(words, _mm256_set1_epi16(1)))
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn totals(sums: [Sums; 4]) -> [i32; 4] {
        let [a, b, c, d] = sums;
        // In each half a part of the four totals.
        let all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
        let total = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
        let mut totals = [0; 4];
        // SAFETY: `totals` is 16 writable bytes; the store asks for no alignment.
        unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), total) };
        totals
    }
}
