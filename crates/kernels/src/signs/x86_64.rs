//! Sums of selected query values with AVX-512, with and without VNNI (Vector Neural Network Instructions), and with
//! AVX2. A query value is *selected* if its bit is set in the row. The selected values are added with instructions that
//! multiply bytes and add neighboring products. With AVX-512, each value is multiplied by its bit, 1 or 0. With AVX2, a
//! mask first replaces the values that are not selected with 0, and then all values are multiplied by 1.

pub(super) mod avx512vnni {
    use std::arch::x86_64::{_mm512_dpbusd_epi32, _mm512_maskz_set1_epi8};

    define_signs!("avx512vnni", #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_byte_lanes_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);

    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[inline]
    fn add_selected(bits: u64, values: &[i8; WIDTH], sums: Sums) -> Sums {
        _mm512_dpbusd_epi32(sums, _mm512_maskz_set1_epi8(bits, 1), load_query(values))
    }
}

pub(super) mod avx512bw {
    use std::arch::x86_64::{
        _mm512_add_epi32, _mm512_madd_epi16, _mm512_maddubs_epi16, _mm512_maskz_set1_epi8, _mm512_set1_epi16,
    };

    define_signs!("avx512bw", #[target_feature(enable = "avx512f,avx512bw")]);
    define_byte_lanes_512!(#[target_feature(enable = "avx512f,avx512bw")]);

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn add_selected(bits: u64, values: &[i8; WIDTH], sums: Sums) -> Sums {
        let pairs = _mm512_maddubs_epi16(_mm512_maskz_set1_epi8(bits, 1), load_query(values));
        _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
    }
}

pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_madd_epi16,
        _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x,
        _mm256_setr_epi64x, _mm256_shuffle_epi8,
    };

    define_signs!("avx2", #[target_feature(enable = "avx2")]);
    define_byte_lanes_256!(#[target_feature(enable = "avx2")]);

    #[target_feature(enable = "avx2")]
    #[inline]
    fn add_selected(bits: u64, values: &[i8; 64], sums: Sums) -> Sums {
        // A register has 32 bytes, so the 64 values need two registers.
        let (low, high) = values.split_at(WIDTH);
        let pairs = _mm256_add_epi16(
            selected_pairs(bits as u32, low.first_chunk().expect("the lower half")),
            selected_pairs((bits >> 32) as u32, high.first_chunk().expect("the upper half")),
        );
        _mm256_add_epi32(sums, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }

    /// Adds pairs of neighboring values in 16 bits. Values that are not selected count as 0.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn selected_pairs(bits: u32, values: &[i8; WIDTH]) -> __m256i {
        // Repeats each byte of `bits` eight times, so that byte i of the register can test bit i.
        let spread =
            _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(bits.cast_signed()), spread);
        let bit_of_byte = _mm256_set1_epi64x(0x8040_2010_0804_0201u64.cast_signed());
        let mask = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit_of_byte), bit_of_byte);
        _mm256_maddubs_epi16(_mm256_set1_epi8(1), _mm256_and_si256(mask, load_query(values)))
    }
}
