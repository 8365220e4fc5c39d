//! Loads of bytes, and sums across lanes, that the sets of `int4`, `int8` and `signs` have in common.

/// Defines, for 64 bytes at a time, `Sums`, `WIDTH`, `zero`, `load_query` and `totals`.
macro_rules! define_byte_lanes_512 {
    (#[$feature:meta]) => {
        type Sums = std::arch::x86_64::__m512i;
        const WIDTH: usize = 64;

        #[$feature]
        #[inline]
        fn zero() -> Sums {
            std::arch::x86_64::_mm512_setzero_si512()
        }

        #[$feature]
        #[inline]
        fn load_query(chunk: &[i8; WIDTH]) -> std::arch::x86_64::__m512i {
            // SAFETY: `chunk` is 64 readable bytes; the load asks for no alignment.
            unsafe { std::arch::x86_64::_mm512_loadu_si512(chunk.as_ptr().cast()) }
        }

        /// The sum of the lanes of each.
        #[$feature]
        #[inline]
        fn totals(sums: [Sums; 4]) -> [i32; 4] {
            use std::arch::x86_64::{
                _mm_add_epi32, _mm_storeu_si128, _mm256_add_epi32, _mm256_castsi256_si128,
                _mm256_extracti128_si256, _mm512_add_epi32, _mm512_castsi512_si256,
                _mm512_extracti64x4_epi64, _mm512_unpackhi_epi32, _mm512_unpackhi_epi64,
                _mm512_unpacklo_epi32, _mm512_unpacklo_epi64,
            };

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

/// As `define_byte_lanes_512`, for 32 bytes at a time.
macro_rules! define_byte_lanes_256 {
    (#[$feature:meta]) => {
        type Sums = std::arch::x86_64::__m256i;
        const WIDTH: usize = 32;

        #[$feature]
        #[inline]
        fn zero() -> Sums {
            std::arch::x86_64::_mm256_setzero_si256()
        }

        #[$feature]
        #[inline]
        fn load_query(chunk: &[i8; WIDTH]) -> std::arch::x86_64::__m256i {
            // SAFETY: `chunk` is 32 readable bytes; the load asks for no alignment.
            unsafe { std::arch::x86_64::_mm256_loadu_si256(chunk.as_ptr().cast()) }
        }

        /// The sum of the lanes of each.
        #[$feature]
        #[inline]
        fn totals(sums: [Sums; 4]) -> [i32; 4] {
            use std::arch::x86_64::{
                _mm_add_epi32, _mm_storeu_si128, _mm256_castsi256_si128, _mm256_extracti128_si256,
                _mm256_hadd_epi32,
            };

            let [a, b, c, d] = sums;
            // In each half a part of the four totals.
            let all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
            let total = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
            let mut totals = [0; 4];
            // SAFETY: `totals` is 16 writable bytes; the store asks for no alignment.
            unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), total) };
            totals
        }
    };
}

/// Defines `load_row` beside what `define_byte_lanes_512` does.
macro_rules! define_row_load_512 {
    (#[$feature:meta]) => {
        #[$feature]
        #[inline]
        fn load_row(chunk: &[u8; WIDTH]) -> std::arch::x86_64::__m512i {
            // SAFETY: `chunk` is 64 readable bytes; the load asks for no alignment.
            unsafe { std::arch::x86_64::_mm512_loadu_si512(chunk.as_ptr().cast()) }
        }
    };
}

/// Defines `load_row` beside what `define_byte_lanes_256` does.
macro_rules! define_row_load_256 {
    (#[$feature:meta]) => {
        #[$feature]
        #[inline]
        fn load_row(chunk: &[u8; WIDTH]) -> std::arch::x86_64::__m256i {
            // SAFETY: `chunk` is 32 readable bytes; the load asks for no alignment.
            unsafe { std::arch::x86_64::_mm256_loadu_si256(chunk.as_ptr().cast()) }
        }
    };
}
