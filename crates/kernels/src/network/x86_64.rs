//! The operations with AVX-512 and AVX2, each with and without VNNI (Vector Neural Network Instructions), whose
//! instructions multiply unsigned with signed bytes and add four neighboring products.

/// Defines everything for registers of 64 bytes, except `add_products`.
macro_rules! define_512 {
    (#[$feature:meta]) => {
        type Sums = __m512i;
        type Bytes = __m512i;
        type ByteLanes = __m512i;
        type Floats = __m512;

        #[$feature]
        #[inline]
        fn zero_sums() -> Sums {
            _mm512_setzero_si512()
        }

        #[$feature]
        #[inline]
        fn splat_bytes(bytes: [u8; 4]) -> Bytes {
            _mm512_set1_epi32(i32::from_le_bytes(bytes))
        }

        #[$feature]
        #[inline]
        fn load_step(step: &Step) -> ByteLanes {
            // SAFETY: a step is 64 readable bytes, and aligned to 64.
            unsafe { _mm512_load_si512(std::ptr::from_ref(step).cast()) }
        }

        #[$feature]
        #[inline]
        fn store_sums(sums: Sums) -> [i32; LANES] {
            let mut lanes = [0; LANES];
            // SAFETY: `lanes` is sixteen writable integers; the store needs no alignment.
            unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), sums) };
            lanes
        }

        #[$feature]
        #[inline]
        fn zero_floats() -> Floats {
            _mm512_setzero_ps()
        }

        #[$feature]
        #[inline]
        fn splat_float(value: f32) -> Floats {
            _mm512_set1_ps(value)
        }

        #[$feature]
        #[inline]
        fn load_floats(values: &[f32; LANES]) -> Floats {
            // SAFETY: `values` is sixteen readable floats; the load needs no alignment.
            unsafe { _mm512_loadu_ps(values.as_ptr()) }
        }

        #[$feature]
        #[inline]
        fn multiply_add(a: Floats, b: Floats, sum: Floats) -> Floats {
            _mm512_fmadd_ps(a, b, sum)
        }

        #[$feature]
        #[inline]
        fn store_floats(floats: Floats) -> [f32; LANES] {
            let mut lanes = [0.0; LANES];
            // SAFETY: `lanes` is sixteen writable floats; the store needs no alignment.
            unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), floats) };
            lanes
        }
    };
}

/// Defines everything for two registers of 32 bytes, except `add_products_of_half`, which adds to eight lanes.
macro_rules! define_256 {
    (#[$feature:meta]) => {
        type Sums = [__m256i; 2];
        type Bytes = __m256i;
        type ByteLanes = [__m256i; 2];
        type Floats = [__m256; 2];

        #[$feature]
        #[inline]
        fn zero_sums() -> Sums {
            [_mm256_setzero_si256(); 2]
        }

        #[$feature]
        #[inline]
        fn splat_bytes(bytes: [u8; 4]) -> Bytes {
            _mm256_set1_epi32(i32::from_le_bytes(bytes))
        }

        #[$feature]
        #[inline]
        fn load_step(step: &Step) -> ByteLanes {
            let [low, high] = step.0.as_chunks::<8>().0 else { unreachable!("a step has sixteen lanes") };
            // SAFETY: `low` is 32 readable bytes, and aligned to 32, because the step is.
            let low = unsafe { _mm256_load_si256(low.as_ptr().cast()) };
            // SAFETY: `high` is 32 readable bytes, and aligned to 32, because the step is.
            let high = unsafe { _mm256_load_si256(high.as_ptr().cast()) };
            [low, high]
        }

        #[$feature]
        #[inline]
        fn add_products<const NARROW: bool>(sums: Sums, bytes: Bytes, weights: ByteLanes) -> Sums {
            [
                add_products_of_half::<NARROW>(sums[0], bytes, weights[0]),
                add_products_of_half::<NARROW>(sums[1], bytes, weights[1]),
            ]
        }

        #[$feature]
        #[inline]
        fn store_sums(sums: Sums) -> [i32; LANES] {
            let mut lanes = [0; LANES];
            for (into, sums) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(sums) {
                // SAFETY: `into` is eight writable integers; the store needs no alignment.
                unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), sums) };
            }
            lanes
        }

        #[$feature]
        #[inline]
        fn zero_floats() -> Floats {
            [_mm256_setzero_ps(); 2]
        }

        #[$feature]
        #[inline]
        fn splat_float(value: f32) -> Floats {
            [_mm256_set1_ps(value); 2]
        }

        #[$feature]
        #[inline]
        fn load_floats(values: &[f32; LANES]) -> Floats {
            let [low, high] = values.as_chunks::<8>().0 else { unreachable!("there are sixteen values") };
            // SAFETY: `low` is eight readable floats; the load needs no alignment.
            let low = unsafe { _mm256_loadu_ps(low.as_ptr()) };
            // SAFETY: `high` is eight readable floats; the load needs no alignment.
            let high = unsafe { _mm256_loadu_ps(high.as_ptr()) };
            [low, high]
        }

        #[$feature]
        #[inline]
        fn multiply_add(a: Floats, b: Floats, sum: Floats) -> Floats {
            [_mm256_fmadd_ps(a[0], b[0], sum[0]), _mm256_fmadd_ps(a[1], b[1], sum[1])]
        }

        #[$feature]
        #[inline]
        fn store_floats(floats: Floats) -> [f32; LANES] {
            let mut lanes = [0.0; LANES];
            for (into, floats) in lanes.as_chunks_mut::<8>().0.iter_mut().zip(floats) {
                // SAFETY: `into` is eight writable floats; the store needs no alignment.
                unsafe { _mm256_storeu_ps(into.as_mut_ptr(), floats) };
            }
            lanes
        }
    };
}

/// Defines `$function`, which adds four products to each lane without VNNI.
///
/// `maddubs` adds two products as 16-bit integers, with saturation. With narrow weights, no sum saturates. For others,
/// the bytes are split into their highest bits and the rest: 2 · 127 · 127 and 2 · 128 · 127 are below 2¹⁵, and
/// 2 · 128 · −128 is −2¹⁵, so all sums fit.
macro_rules! define_words {
    ($function:ident, $register:ty, $and:ident, $set:ident, $set_words:ident, $multiply:ident, $add_pairs:ident,
     $add:ident, #[$feature:meta]) => {
        #[$feature]
        #[inline]
        fn $function<const NARROW: bool>(sums: $register, bytes: $register, weights: $register) -> $register {
            let ones = $set_words(1);
            if NARROW {
                return $add(sums, $add_pairs($multiply(bytes, weights), ones));
            }
            let low = $add_pairs($multiply($and(bytes, $set(0x7f)), weights), ones);
            let high = $add_pairs($multiply($and(bytes, $set(-128)), weights), ones);
            $add(sums, $add(low, high))
        }
    };
}

pub(super) mod avx512vnni {
    use std::arch::x86_64::{
        __m512, __m512i, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_load_si512, _mm512_loadu_ps,
        _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_storeu_ps,
        _mm512_storeu_si512,
    };

    use crate::network::weights::Step;

    // A tile needs 12 × 2 sums, 2 blocks of weights and 1 row: 27 of 32 registers.
    define_network!(
        "avx512vnni", rows: 12 > [1 2 3 4 5 6 7 8 9 10 11], blocks: 2, unsigned: true,
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni,fma")]
    );
    define_512!(#[target_feature(enable = "avx512f,avx512bw,avx512vnni,fma")]);

    /// Adds four products to each lane. The instruction does not saturate (`vpdpbusd`, not `vpdpbusds`).
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni,fma")]
    #[inline]
    fn add_products<const NARROW: bool>(sums: Sums, bytes: Bytes, weights: ByteLanes) -> Sums {
        _mm512_dpbusd_epi32(sums, bytes, weights)
    }
}

pub(super) mod avx512bw {
    use std::arch::x86_64::{
        __m512, __m512i, _mm512_add_epi32, _mm512_and_si512, _mm512_fmadd_ps, _mm512_load_si512,
        _mm512_loadu_ps, _mm512_madd_epi16, _mm512_maddubs_epi16, _mm512_set1_epi8, _mm512_set1_epi16,
        _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512, _mm512_storeu_ps,
        _mm512_storeu_si512,
    };

    use crate::network::weights::Step;

    // A tile needs 12 × 2 sums, 2 blocks of weights, 1 row, 1 constant and 1 intermediate result: 29 of 32 registers.
    define_network!(
        "avx512bw", rows: 12 > [1 2 3 4 5 6 7 8 9 10 11], blocks: 2, unsigned: true,
        #[target_feature(enable = "avx512f,avx512bw,fma")]
    );
    define_512!(#[target_feature(enable = "avx512f,avx512bw,fma")]);
    define_words!(
        add_products, __m512i, _mm512_and_si512, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_maddubs_epi16,
        _mm512_madd_epi16, _mm512_add_epi32, #[target_feature(enable = "avx512f,avx512bw,fma")]
    );
}

pub(super) mod avxvnni {
    use std::arch::x86_64::{
        __m256, __m256i, _mm256_dpbusd_avx_epi32, _mm256_fmadd_ps, _mm256_load_si256, _mm256_loadu_ps,
        _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_storeu_ps,
        _mm256_storeu_si256,
    };

    use crate::network::weights::Step;

    // A tile needs 6 × 2 sums, 2 registers of weights and 1 row: 15 of 16 registers.
    define_network!(
        "avxvnni", rows: 6 > [1 2 3 4 5], blocks: 1, unsigned: true,
        #[target_feature(enable = "avx2,fma,avxvnni")]
    );
    define_256!(#[target_feature(enable = "avx2,fma,avxvnni")]);

    /// Adds four products to each lane. The instruction does not saturate (`vpdpbusd`, not `vpdpbusds`).
    #[target_feature(enable = "avx2,fma,avxvnni")]
    #[inline]
    fn add_products_of_half<const NARROW: bool>(sums: __m256i, bytes: __m256i, weights: __m256i) -> __m256i {
        _mm256_dpbusd_avx_epi32(sums, bytes, weights)
    }
}

pub(super) mod avx2 {
    use std::arch::x86_64::{
        __m256, __m256i, _mm256_add_epi32, _mm256_and_si256, _mm256_fmadd_ps, _mm256_load_si256,
        _mm256_loadu_ps, _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi8, _mm256_set1_epi16,
        _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps, _mm256_setzero_si256, _mm256_storeu_ps,
        _mm256_storeu_si256,
    };

    use crate::network::weights::Step;

    // A tile needs 6 × 2 sums, 1 row, 1 constant and 1 intermediate result: 15 of 16 registers.
    define_network!(
        "avx2+fma", rows: 6 > [1 2 3 4 5], blocks: 1, unsigned: true,
        #[target_feature(enable = "avx2,fma")]
    );
    define_256!(#[target_feature(enable = "avx2,fma")]);
    define_words!(
        add_products_of_half, __m256i, _mm256_and_si256, _mm256_set1_epi8, _mm256_set1_epi16,
        _mm256_maddubs_epi16, _mm256_madd_epi16, _mm256_add_epi32, #[target_feature(enable = "avx2,fma")]
    );
}
