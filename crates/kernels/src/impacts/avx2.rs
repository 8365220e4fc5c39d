//! Scans with AVX2. The 64 sums of a group are in four registers. The [parent module](super) has a diagram of the
//! operations of a scan, which AVX2 performs as follows:
//!
//! - Expand: AVX2 has no instruction that expands bytes by a mask. Instead, a table has a shuffle for each of the 256
//!   values of a byte of the bitmap. The shuffle moves up to eight codes to their lanes.
//! - Look up: a shuffle looks up bytes in a table of 16 bytes, so there are 16 classes of 16 neighboring codes.
//!
//! For four terms, the second check of a group takes about a third of the instructions of its scan: it tests the bits
//! of the bitmap but expands no codes.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm_cvtsi32_si128, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_max_epu16,
    _mm_min_epu16, _mm_minpos_epu16, _mm_set_epi64x, _mm_set1_epi8, _mm_shuffle_epi8, _mm_xor_si128,
    _mm256_add_epi8, _mm256_add_epi16, _mm256_adds_epu8, _mm256_adds_epu16, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_cmpeq_epi16, _mm256_cvtepu8_epi16, _mm256_cvttps_epi32, _mm256_extracti128_si256, _mm256_loadu_ps,
    _mm256_loadu_si256, _mm256_max_epu16, _mm256_movemask_epi8, _mm256_mul_ps, _mm256_or_si256,
    _mm256_packs_epi16, _mm256_packus_epi32, _mm256_permute4x64_epi64, _mm256_set_m128i, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_set1_ps, _mm256_setr_epi64x,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sll_epi16, _mm256_srli_epi16, _mm256_storeu_si256,
};

use super::kernels::{ImpactKernels, MAX_DENSE_TERMS};
use super::operands::{Bounds, DenseBounds, DenseTerm, GROUP, PADDING, ScanOptions, ScanProgress};
use super::scan::{
    Found, GROUPS_PER_CHECK, MIN_SECOND_CHECKS, SHUFFLES, advance, append_found, max_units,
    min_sum_to_reach_threshold, set_bits,
};
use super::tables::avx2::{codes, kth_sum};

pub(super) static KERNELS: ImpactKernels = ImpactKernels {
    name: "avx2",
    codes_per_class: CODES_PER_CLASS,
    scan,
    add,
    kth_sum,
    bounds,
    class_bounds,
    codes,
};

/// A table of one 16-byte register has 16 classes.
const CODES_PER_CLASS: usize = 16;

type Group = [__m256i; 4];
type Shift = __m128i;
type Units = [__m256i; 2];

define_scan!(#[target_feature(enable = "avx2,bmi1,popcnt")]);
define_scan_pass!(#[target_feature(enable = "avx2,bmi1,popcnt")]);

/// See [`ImpactKernels::bounds`].
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn bounds(scale: f32, saturations: &[f32; 256], bounds: &mut Bounds) {
    let (scale, one) = (_mm256_set1_ps(scale), _mm256_set1_epi16(1));
    let floor = |saturations| _mm256_cvttps_epi32(_mm256_mul_ps(scale, load_floats(saturations)));
    let (saturations, _) = saturations.as_chunks::<8>();
    let (out, _) = bounds.0.as_chunks_mut::<16>();
    for (out, [low, high]) in out.iter_mut().zip(saturations.as_chunks::<2>().0) {
        // Packing works within 128-bit halves; the permutation restores the order.
        let packed = _mm256_packus_epi32(floor(low), floor(high));
        store(out, _mm256_add_epi16(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed), one));
    }
    bounds.0[0] = 0;
}

/// See [`ImpactKernels::class_bounds`]. An instruction finds the minimum of eight lanes; the maximum is the complement
/// of the minimum of their complements.
#[target_feature(enable = "avx2,bmi1,popcnt")]
fn class_bounds(bounds: &Bounds, shift: u32, classes: &mut DenseBounds) -> u16 {
    let min_of_lanes = |lanes| _mm_cvtsi128_si32(_mm_minpos_epu16(lanes)) as u16;
    let ones = _mm_set1_epi8(-1);
    let mut max_error = 0;
    for (units, bounds) in classes.units.iter_mut().zip(bounds.0.as_chunks::<CODES_PER_CLASS>().0) {
        let bounds = load(bounds);
        let (low, high) = (_mm256_castsi256_si128(bounds), _mm256_extracti128_si256::<1>(bounds));
        let min = min_of_lanes(_mm_min_epu16(low, high));
        let max = !min_of_lanes(_mm_xor_si128(_mm_max_epu16(low, high), ones));
        *units = max.div_ceil(1 << shift) as u8;
        max_error = max_error.max((u16::from(*units) << shift).saturating_sub(min));
    }
    max_error
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn load_group(sums: &[u16; GROUP]) -> Group {
    let (quarters, _) = sums.as_chunks::<16>();
    [load(&quarters[0]), load(&quarters[1]), load(&quarters[2]), load(&quarters[3])]
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn store_group(sums: &mut [u16; GROUP], values: Group) {
    let (quarters, _) = sums.as_chunks_mut::<16>();
    quarters.iter_mut().zip(values).for_each(|(quarter, value)| store(quarter, value));
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn shift_of(shift: u32) -> Shift {
    _mm_cvtsi32_si128(shift as i32)
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn zero_units() -> Units {
    [_mm256_setzero_si256(); 2]
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn add_units(units: Units, term: &DenseTerm<'_>, word: u64, start: usize) -> Units {
    let [low, high] = units_of(term, word, start);
    [_mm256_add_epi8(units[0], low), _mm256_add_epi8(units[1], high)]
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn add_equal_units(units: Units, added: u8, word: u64) -> Units {
    // Each byte of the word is copied to eight lanes, where each lane then tests its own bit.
    let lanes = _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
    let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    let added = _mm256_set1_epi8(added.cast_signed());
    let units_if_present = |half: u32| {
        let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(half.cast_signed()), lanes);
        _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_and_si256(bytes, bits), bits), added)
    };
    let [low, high] = [word as u32, (word >> 32) as u32].map(units_if_present);
    [_mm256_adds_epu8(units[0], low), _mm256_adds_epu8(units[1], high)]
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn add_shifted(values: Group, units: Units, shift: Shift) -> Group {
    let ([a, b], [c, d]) = (shifted(units[0], shift), shifted(units[1], shift));
    [
        _mm256_adds_epu16(values[0], a),
        _mm256_adds_epu16(values[1], b),
        _mm256_adds_epu16(values[2], c),
        _mm256_adds_epu16(values[3], d),
    ]
}

/// Returns the units that a term adds to the 64 passages of a group. The bits of `word` are set for passages that have
/// the term; the codes of these passages begin at `start`.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn units_of(term: &DenseTerm<'_>, word: u64, start: usize) -> [__m256i; 2] {
    let codes: &[u8; PADDING] = term.codes[start..].first_chunk().expect("codes and their padding");
    let table = _mm256_broadcastsi128_si256(load_bytes(
        term.bounds.units.first_chunk().expect("units of 16 classes"),
    ));
    let mut expanded = [_mm256_setzero_si256(); 2];
    let mut before = 0;
    for (half, expanded) in expanded.iter_mut().enumerate() {
        let low = (word >> (32 * half)) as u16;
        let high = (word >> (32 * half + 16)) as u16;
        let middle = before + low.count_ones() as usize;
        *expanded = _mm256_set_m128i(expand(codes, middle, high), expand(codes, before, low));
        before = middle + high.count_ones() as usize;
    }
    expanded.map(|codes| {
        let classes = _mm256_and_si256(_mm256_srli_epi16::<4>(codes), _mm256_set1_epi8(0x0f));
        let absent = _mm256_cmpeq_epi8(codes, _mm256_setzero_si256());
        _mm256_andnot_si256(absent, _mm256_shuffle_epi8(table, classes))
    })
}

/// Moves the codes that begin at `start` to the lanes of the set bits among the `bits` of sixteen passages. The other
/// lanes are 0.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn expand(codes: &[u8; PADDING], start: usize, bits: u16) -> __m128i {
    let [low, high] = bits.to_le_bytes();
    // The codes of the upper eight passages follow those of the lower eight, whose number is added to each index. An
    // index of 0x80 or more still sets a lane to 0.
    let skipped = u64::from(low.count_ones()) * 0x0101_0101_0101_0101;
    let [low, high] = [SHUFFLES[usize::from(low)], SHUFFLES[usize::from(high)] + skipped];
    let shuffle = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
    _mm_shuffle_epi8(load_bytes(codes[start..].first_chunk().expect("sixteen codes")), shuffle)
}

/// Returns `units << shift` for 32 passages, in 16 bits. The caller adds this to their sums.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn shifted(units: __m256i, shift: __m128i) -> [__m256i; 2] {
    let lower = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(units));
    let upper = _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(units));
    [_mm256_sll_epi16(lower, shift), _mm256_sll_epi16(upper, shift)]
}

/// Returns true if one of 64 sums is at or above `min`.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn reaches(sums: Group, min: __m256i) -> bool {
    let [a, b, c, d] = sums;
    let max = _mm256_max_epu16(_mm256_max_epu16(a, b), _mm256_max_epu16(c, d));
    _mm256_movemask_epi8(_mm256_cmpeq_epi16(_mm256_max_epu16(max, min), max)) != 0
}

/// Returns a mask: bit `i` is set if sum `i` of 64 is at or above `min`.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn mask_at_least(sums: Group, min: __m256i) -> u64 {
    let [a, b, c, d] = sums.map(|sums| _mm256_cmpeq_epi16(_mm256_max_epu16(sums, min), sums));
    if _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d))) == 0 {
        return 0;
    }
    // Packing works within 128-bit halves; the permutation restores the order.
    let packed = |a, b| _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b));
    let mask = |packed| u64::from(_mm256_movemask_epi8(packed).cast_unsigned());
    mask(packed(a, b)) | mask(packed(c, d)) << 32
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn splat(value: u16) -> __m256i {
    _mm256_set1_epi16(value.cast_signed())
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn load(sums: &[u16; 16]) -> __m256i {
    // SAFETY: `sums` is 32 readable bytes; the load needs no alignment.
    unsafe { _mm256_loadu_si256(sums.as_ptr().cast()) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn load_bytes(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: `bytes` is 16 readable bytes; the load needs no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn load_floats(floats: &[f32; 8]) -> __m256 {
    // SAFETY: `floats` is 32 readable bytes; the load needs no alignment.
    unsafe { _mm256_loadu_ps(floats.as_ptr()) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn store(sums: &mut [u16; 16], value: __m256i) {
    // SAFETY: `sums` is 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), value) }
}
