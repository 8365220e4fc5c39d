//! Inner products of 8-bit codes with AVX-512 and AVX2, each with and without VNNI (Vector Neural Network
//! Instructions). The instructions of VNNI multiply unsigned with signed bytes and add four neighboring products.

/// Defines functions that load up to 64 bytes.
macro_rules! define_part_loads_512 {
    (#[$feature:meta]) => {
        /// Loads up to 64 bytes and fills the rest with zeros.
        #[$feature]
        #[inline]
        fn load_row_part(part: &[u8]) -> __m512i {
            // SAFETY: the mask selects only bytes within `part`, and other bytes are not read.
            unsafe { _mm512_maskz_loadu_epi8(mask(part.len()), part.as_ptr().cast()) }
        }

        /// Returns a mask of the lowest `length` bits.
        #[inline]
        fn mask(length: usize) -> u64 {
            if length < WIDTH { (1 << length) - 1 } else { u64::MAX }
        }
    };
}

/// Defines functions that load up to 32 bytes.
macro_rules! define_part_loads_256 {
    (#[$feature:meta]) => {
        /// Loads up to 32 bytes and fills the rest with zeros.
        #[$feature]
        #[inline]
        fn load_row_part(part: &[u8]) -> __m256i {
            let mut chunk = [0; WIDTH];
            chunk[..part.len()].copy_from_slice(part);
            load_row(&chunk)
        }
    };
}

/// Defines loads and products for instruction sets with VNNI.
macro_rules! define_bytes {
    ($register:ty, $add_products:ident, #[$feature:meta]) => {
        type Row = $register;
        type Query = $register;
        const UNSIGNED: bool = true;

        #[$feature]
        #[inline]
        fn row(chunk: &[u8; WIDTH]) -> Row {
            load_row(chunk)
        }

        #[$feature]
        #[inline]
        fn row_part(part: &[u8]) -> Row {
            load_row_part(part)
        }

        #[$feature]
        #[inline]
        fn query(chunk: &[i8; WIDTH]) -> Query {
            load_query(chunk)
        }

        /// Adds four products to each lane. The instruction does not saturate (`vpdpbusd`, not `vpdpbusds`).
        #[$feature]
        #[inline]
        fn add_products(row: Row, query: Query, sums: Sums) -> Sums {
            $add_products(sums, row, query)
        }
    };
}

/// Defines loads and products for instruction sets without VNNI. They widen bytes to 16-bit numbers: the bytes at even
/// positions in one register, those at odd positions in another. `madd` multiplies these and adds two products in 32
/// bits.
///
/// `maddubs` multiplies bytes directly, but it adds two products in 16 bits, where 2 · 255 · 127 is too large. It is
/// used for queries whose values are small enough (`avx2::small_groups`).
macro_rules! define_words {
    ($register:ty, $and:ident, $set:ident, $right:ident, $left:ident, $right_signed:ident, $multiply:ident, $add:ident,
     #[$feature:meta]) => {
        type Row = [$register; 2];
        type Query = [$register; 2];
        const UNSIGNED: bool = true;

        #[$feature]
        #[inline]
        fn row(chunk: &[u8; WIDTH]) -> Row {
            split_row(load_row(chunk))
        }

        #[$feature]
        #[inline]
        fn row_part(part: &[u8]) -> Row {
            split_row(load_row_part(part))
        }

        #[$feature]
        #[inline]
        fn query(chunk: &[i8; WIDTH]) -> Query {
            split_query(load_query(chunk))
        }

        #[$feature]
        #[inline]
        fn split_row(bytes: $register) -> Row {
            [$and(bytes, $set(0x00ff)), $right::<8>(bytes)]
        }

        #[$feature]
        #[inline]
        fn split_query(bytes: $register) -> Query {
            [$right_signed::<8>($left::<8>(bytes)), $right_signed::<8>(bytes)]
        }

        #[$feature]
        #[inline]
        fn add_products(row: Row, query: Query, sums: Sums) -> Sums {
            $add($add(sums, $multiply(row[0], query[0])), $multiply(row[1], query[1]))
        }
    };
}

/// For many queries, `packed_rows/avx512.rs` is faster: its `KERNELS` are those of this module with a different
/// `products`.
pub(super) mod avx512vnni {
    use std::arch::x86_64::{__m512i, _mm512_dpbusd_epi32, _mm512_maskz_loadu_epi8};

    // A tile needs 4 × 4 sums, 4 queries and 1 row: 21 of 32 registers.
    define_int8!(
        Avx512Vnni, queries: 4, bounds: crate::int8::bound::avx512::at_least,
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    );
    define_byte_lanes_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_row_load_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_part_loads_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
    define_bytes!(__m512i, _mm512_dpbusd_epi32, #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]);
}

/// For many queries with small groups, `packed_rows/avx512bw.rs` is faster: its `KERNELS` are those of this module with
/// a different `products`.
pub(super) mod avx512bw {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi32, _mm512_and_si512, _mm512_madd_epi16, _mm512_maskz_loadu_epi8,
        _mm512_set1_epi16, _mm512_slli_epi16, _mm512_srai_epi16, _mm512_srli_epi16,
    };

    // A tile needs 4 × 4 sums, and 4 queries and 1 row of two registers each: 26 of 32 registers.
    define_int8!(
        Avx512Bw, queries: 4, bounds: crate::int8::bound::avx512::at_least,
        #[target_feature(enable = "avx512f,avx512bw")]
    );
    define_byte_lanes_512!(#[target_feature(enable = "avx512f,avx512bw")]);
    define_row_load_512!(#[target_feature(enable = "avx512f,avx512bw")]);
    define_part_loads_512!(#[target_feature(enable = "avx512f,avx512bw")]);
    define_words!(
        __m512i, _mm512_and_si512, _mm512_set1_epi16, _mm512_srli_epi16, _mm512_slli_epi16, _mm512_srai_epi16,
        _mm512_madd_epi16, _mm512_add_epi32, #[target_feature(enable = "avx512f,avx512bw")]
    );
}

pub(super) mod avxvnni {
    use std::arch::x86_64::{__m256i, _mm256_dpbusd_avx_epi32};

    // A tile needs 2 × 4 sums, 2 queries and 1 row: 11 of 16 registers.
    define_int8!(
        AvxVnni, queries: 2, bounds: crate::int8::bound::avx2::at_least,
        #[target_feature(enable = "avx2,avxvnni")]
    );
    define_byte_lanes_256!(#[target_feature(enable = "avx2,avxvnni")]);
    define_row_load_256!(#[target_feature(enable = "avx2,avxvnni")]);
    define_part_loads_256!(#[target_feature(enable = "avx2,avxvnni")]);
    define_bytes!(__m256i, _mm256_dpbusd_avx_epi32, #[target_feature(enable = "avx2,avxvnni")]);
}

/// `packed_rows/avx2.rs` has faster products for queries with small groups; its `KERNELS` call the functions of this
/// module for others.
pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_madd_epi16, _mm256_set1_epi16, _mm256_slli_epi16,
        _mm256_srai_epi16, _mm256_srli_epi16,
    };

    // A tile needs 2 × 4 sums, and 2 queries and 1 row of two registers each: 14 of 16 registers.
    define_int8!(
        Avx2, queries: 2, bounds: crate::int8::bound::avx2::at_least,
        #[target_feature(enable = "avx2")]
    );
    define_byte_lanes_256!(#[target_feature(enable = "avx2")]);
    define_row_load_256!(#[target_feature(enable = "avx2")]);
    define_part_loads_256!(#[target_feature(enable = "avx2")]);
    define_words!(
        __m256i, _mm256_and_si256, _mm256_set1_epi16, _mm256_srli_epi16, _mm256_slli_epi16, _mm256_srai_epi16,
        _mm256_madd_epi16, _mm256_add_epi32, #[target_feature(enable = "avx2")]
    );

    /// Products with queries that have small groups ([`MAX_GROUP_SUM`](crate::int8::MAX_GROUP_SUM)).
    /// `packed_rows/avx2.rs` has a drawing of the groups.
    pub(in crate::int8) mod small_groups {
        use std::arch::x86_64::{
            __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16,
            _mm256_set1_epi16,
        };

        // A tile needs 2 × 4 sums, 2 queries and 1 row of two registers each, and the ones: 15 of 16 registers.
        // Queries are also read from memory, so that there are registers for words.
        define_int8_products!(queries: 2, #[target_feature(enable = "avx2")]);

        /// A block of the groups, of two registers.
        const WIDTH: usize = crate::int8::value_groups::BLOCK_LEN;
        const UNSIGNED: bool = true;
        type Sums = __m256i;
        type Row = [__m256i; 2];
        type Query = [__m256i; 2];

        #[target_feature(enable = "avx2")]
        #[inline]
        fn row(chunk: &[u8; WIDTH]) -> Row {
            let (halves, _) = chunk.as_chunks();
            [super::load_row(&halves[0]), super::load_row(&halves[1])]
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn row_part(part: &[u8]) -> Row {
            let mut chunk = [0; WIDTH];
            chunk[..part.len()].copy_from_slice(part);
            row(&chunk)
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn query(chunk: &[i8; WIDTH]) -> Query {
            let (halves, _) = chunk.as_chunks();
            [super::load_query(&halves[0]), super::load_query(&halves[1])]
        }

        /// Adds eight products to each lane.
        #[target_feature(enable = "avx2")]
        #[inline]
        fn add_products(row: Row, query: Query, sums: Sums) -> Sums {
            let words = [0, 1].map(|half: usize| _mm256_maddubs_epi16(row[half], query[half]));
            let words = _mm256_add_epi16(words[0], words[1]);
            _mm256_add_epi32(sums, _mm256_madd_epi16(words, _mm256_set1_epi16(1)))
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn zero() -> Sums {
            super::zero()
        }

        #[target_feature(enable = "avx2")]
        #[inline]
        fn totals(sums: [Sums; 4]) -> [i32; 4] {
            super::totals(sums)
        }
    }
}
