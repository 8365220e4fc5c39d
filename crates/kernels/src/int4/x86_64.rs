//! Inner products of 4-bit codes with AVX-512, with and without VNNI (Vector Neural Network Instructions), and with
//! AVX2. The instructions of VNNI multiply unsigned with signed bytes and add four neighboring products.

/// Defines a function that separates the codes in 64 bytes.
macro_rules! define_nibbles_512 {
    (#[$feature:meta]) => {
        /// Returns the codes in the lower nibbles (four bits) of the bytes, and the codes in the upper nibbles.
        #[$feature]
        #[inline]
        fn nibbles(bytes: __m512i) -> (__m512i, __m512i) {
            let mask = _mm512_set1_epi8(15);
            (_mm512_and_si512(bytes, mask), _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), mask))
        }
    };
}

pub(super) mod avx512vnni {
    use std::arch::x86_64::{
        __m512i, _mm512_and_si512, _mm512_dpbusd_epi32, _mm512_set1_epi8, _mm512_srli_epi16,
    };

    define_int4!("avx512vnni", #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_byte_lanes_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_row_load_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_nibbles_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (lower, upper) = nibbles(load_row(codes));
        let sums = _mm512_dpbusd_epi32(sums, lower, load_query(low));
        _mm512_dpbusd_epi32(sums, upper, load_query(high))
    }
}

pub(super) mod avx512bw {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi16, _mm512_add_epi32, _mm512_and_si512, _mm512_madd_epi16,
        _mm512_maddubs_epi16, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_srli_epi16,
    };

    define_int4!("avx512bw", #[target_feature(enable = "avx512f,avx512bw")]);
    define_byte_lanes_512!(#[target_feature(enable = "avx512f,avx512bw")]);
    define_row_load_512!(#[target_feature(enable = "avx512f,avx512bw")]);
    define_nibbles_512!(#[target_feature(enable = "avx512f,avx512bw")]);

    /// Adds four products in 16 bits, which can hold their sum of at most 4 · 15 · 128 = 7,680, and then adds pairs of
    /// such sums in 32 bits.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (lower, upper) = nibbles(load_row(codes));
        let words = _mm512_add_epi16(
            _mm512_maddubs_epi16(lower, load_query(low)),
            _mm512_maddubs_epi16(upper, load_query(high)),
        );
        _mm512_add_epi32(sums, _mm512_madd_epi16(words, _mm512_set1_epi16(1)))
    }
}

pub(super) mod avx2 {
    use std::arch::x86_64::{
        _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
        _mm256_set1_epi8, _mm256_set1_epi16, _mm256_srli_epi16,
    };

    define_int4!("avx2", #[target_feature(enable = "avx2")]);

    define_byte_lanes_256!(#[target_feature(enable = "avx2")]);
    define_row_load_256!(#[target_feature(enable = "avx2")]);

    /// Adds four products in 16 bits, which can hold their sum of at most 4 · 15 · 128 = 7,680, and then adds pairs of
    /// such sums in 32 bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn add_products(codes: &[u8; WIDTH], low: &[i8; WIDTH], high: &[i8; WIDTH], sums: Sums) -> Sums {
        let (bytes, mask) = (load_row(codes), _mm256_set1_epi8(15));
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), mask);
        let words = _mm256_add_epi16(
            _mm256_maddubs_epi16(_mm256_and_si256(bytes, mask), load_query(low)),
            _mm256_maddubs_epi16(upper, load_query(high)),
        );
        _mm256_add_epi32(sums, _mm256_madd_epi16(words, _mm256_set1_epi16(1)))
    }
}
