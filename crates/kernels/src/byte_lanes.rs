//! Loads of bytes and horizontal sums that the x86-64 code of `int4`, `int8` and `signs` shares.
//!
//! `totals` adds the lanes of four accumulators a, b, c and d at once. In registers of 64 bytes, `unpacklo` and
//! `unpackhi` interleave two accumulators within each quarter (128 bits). Adding both results halves the number of
//! partial sums of each accumulator:
//!
//! ```text
//! a0 a1 a2 a3 │ …     unpacklo     a0 b0 a1 b1 │ …
//! b0 b1 b2 b3 │ …   + unpackhi     a2 b2 a3 b3 │ …   =   a0+a2 b0+b2 a1+a3 b1+b3 │ …
//! ```
//!
//! A second such step combines the result with the same sums of c and d; then each quarter has one partial sum of each
//! of a, b, c and d. Finally, the quarters are added. In registers of 32 bytes, `hadd` does the work of `unpacklo`,
//! `unpackhi` and the addition, and there are two halves instead of four quarters.

/// Defines `Sums`, `WIDTH`, `zero`, `load_query` and `totals` for registers of 64 bytes.
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
            // SAFETY: `chunk` is 64 readable bytes; the load needs no alignment.
            unsafe { std::arch::x86_64::_mm512_loadu_si512(chunk.as_ptr().cast()) }
        }

        /// Returns the sum of the lanes of each accumulator.
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
            // Each quarter has one partial sum of each accumulator.
            let all = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
            let half = _mm256_add_epi32(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64::<1>(all));
            let total = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
            let mut totals = [0; 4];
            // SAFETY: `totals` is 16 writable bytes; the store needs no alignment.
            unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), total) };
            totals
        }
    };
}

/// Defines the same names as `define_byte_lanes_512`, for registers of 32 bytes.
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
            // SAFETY: `chunk` is 32 readable bytes; the load needs no alignment.
            unsafe { std::arch::x86_64::_mm256_loadu_si256(chunk.as_ptr().cast()) }
        }

        /// Returns the sum of the lanes of each accumulator.
        #[$feature]
        #[inline]
        fn totals(sums: [Sums; 4]) -> [i32; 4] {
            use std::arch::x86_64::{
                _mm_add_epi32, _mm_storeu_si128, _mm256_castsi256_si128, _mm256_extracti128_si256,
                _mm256_hadd_epi32,
            };

            let [a, b, c, d] = sums;
            // Each half has one partial sum of each accumulator.
            let all = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
            let total = _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all));
            let mut totals = [0; 4];
            // SAFETY: `totals` is 16 writable bytes; the store needs no alignment.
            unsafe { _mm_storeu_si128(totals.as_mut_ptr().cast(), total) };
            totals
        }
    };
}

/// Defines `load_row` for registers of 64 bytes.
macro_rules! define_row_load_512 {
    (#[$feature:meta]) => {
        #[$feature]
        #[inline]
        fn load_row(chunk: &[u8; WIDTH]) -> std::arch::x86_64::__m512i {
            // SAFETY: `chunk` is 64 readable bytes; the load needs no alignment.
            unsafe { std::arch::x86_64::_mm512_loadu_si512(chunk.as_ptr().cast()) }
        }
    };
}

/// Defines `load_row` for registers of 32 bytes.
macro_rules! define_row_load_256 {
    (#[$feature:meta]) => {
        #[$feature]
        #[inline]
        fn load_row(chunk: &[u8; WIDTH]) -> std::arch::x86_64::__m256i {
            // SAFETY: `chunk` is 32 readable bytes; the load needs no alignment.
            unsafe { std::arch::x86_64::_mm256_loadu_si256(chunk.as_ptr().cast()) }
        }
    };
}
