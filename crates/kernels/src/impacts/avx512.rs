//! Scans with AVX-512 and its VBMI2 extension. The 64 sums of a group are in two registers. The [module](super) draws
//! the operations of a scan, which AVX-512 performs as follows:
//!
//! - Expand: one instruction expands codes by a word of the bitmap.
//! - Look up: a permutation looks up bytes in a table of 64 bytes, so there are 64 classes of 4 neighboring codes.
//! - Report: one instruction compresses the sums of a register by a mask, and another compresses their positions.

use std::arch::x86_64::{
    __m128i, __m256i, __m512, __m512i, _mm_cvtsi32_si128, _mm256_storeu_si256, _mm512_add_epi8,
    _mm512_add_epi16, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_cmpge_epu16_mask,
    _mm512_cvtepi32_epi16, _mm512_cvtepu8_epi16, _mm512_cvttps_epi32, _mm512_extracti64x4_epi64,
    _mm512_loadu_ps, _mm512_loadu_si512, _mm512_maskz_compress_epi16, _mm512_maskz_expand_epi8,
    _mm512_maskz_permutexvar_epi8, _mm512_mul_ps, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_setzero_si512, _mm512_sll_epi16, _mm512_srli_epi16, _mm512_storeu_si512,
};

use super::kernels::ImpactKernels;
use super::operands::{Bounds, DenseTerm, GROUP, PADDING, ScanOptions, ScanProgress};
use super::scan::{advance, min_sum_to_reach_threshold};
use super::tables::avx2::codes;

pub(super) static KERNELS: ImpactKernels =
    ImpactKernels { name: "avx512vbmi2", codes_per_class: 4, scan, bounds, codes };

/// Maximum number of dense terms that are added in one pass over the sums. It is small enough that the loop keeps the
/// terms' positions in registers.
const TERMS_PER_PASS: usize = 8;

/// A scan checks whether groups can be skipped. It stops checking at a group that cannot be skipped, if there are at
/// least this many groups before it, and at most three quarters of those groups were skipped. Neither number was chosen
/// by a systematic measurement: `benches/impacts.rs` only measures scans that skip all groups or none.
const TRIAL_GROUPS: usize = 16;

/// See [`ImpactKernels::scan`]. If there are more than [`TERMS_PER_PASS`] dense terms, the others are first added to
/// all sums.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn scan(
    sums: &mut [u16],
    dense: &mut Vec<DenseTerm<'_>>,
    options: ScanOptions<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> ScanProgress {
    while dense.len() > TERMS_PER_PASS {
        let at = dense.len() - TERMS_PER_PASS;
        let terms: &[DenseTerm<'_>; TERMS_PER_PASS] =
            dense[at..].first_chunk().expect("the last terms of `dense`");
        add_terms(sums, terms, options.shift);
        dense.truncate(at);
    }
    match &mut dense[..] {
        [] => scan_pass::<0>(sums, &mut [], options, found, positions),
        [a] => scan_pass(sums, &mut [a], options, found, positions),
        [a, b] => scan_pass(sums, &mut [a, b], options, found, positions),
        [a, b, c] => scan_pass(sums, &mut [a, b, c], options, found, positions),
        [a, b, c, d] => scan_pass(sums, &mut [a, b, c, d], options, found, positions),
        [a, b, c, d, e] => scan_pass(sums, &mut [a, b, c, d, e], options, found, positions),
        [a, b, c, d, e, f] => scan_pass(sums, &mut [a, b, c, d, e, f], options, found, positions),
        [a, b, c, d, e, f, g] => scan_pass(sums, &mut [a, b, c, d, e, f, g], options, found, positions),
        [a, b, c, d, e, f, g, h, ..] => {
            scan_pass(sums, &mut [a, b, c, d, e, f, g, h], options, found, positions)
        }
    }
}

/// See [`ImpactKernels::bounds`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn bounds(scale: f32, saturations: &[f32; 256], bounds: &mut Bounds) {
    let scale = _mm512_set1_ps(scale);
    let (saturations, _) = saturations.as_chunks::<16>();
    let (out, _) = bounds.0.as_chunks_mut::<16>();
    for (out, saturations) in out.iter_mut().zip(saturations) {
        let floor = _mm512_cvttps_epi32(_mm512_mul_ps(scale, load_floats(saturations)));
        store_narrow(out, _mm512_cvtepi32_epi16(_mm512_add_epi32(floor, _mm512_set1_epi32(1))));
    }
    bounds.0[0] = 0;
}

/// Adds the bounds of dense terms to all sums, without checking whether groups can be skipped.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn add_terms<const D: usize>(sums: &mut [u16], dense: &[DenseTerm<'_>; D], shift: u32) {
    let shift = _mm_cvtsi32_si128(shift as i32);
    let mut codes_read = [0; D];
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        let mut units = _mm512_setzero_si512();
        for (term, read) in dense.iter().zip(&mut codes_read) {
            units = _mm512_add_epi8(units, units_of(term, u64::from_le_bytes(term.words[group]), read));
        }
        let (low, high) = halves(sums);
        let [a, b] = shifted(units, shift);
        let [a, b] = [_mm512_add_epi16(load(low), a), _mm512_add_epi16(load(high), b)];
        store(low, a);
        store(high, b);
    }
}

/// Scans with `D` dense terms; see [`ImpactKernels::scan`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn scan_pass<const D: usize>(
    sums: &mut [u16],
    dense: &mut [&mut DenseTerm<'_>; D],
    options: ScanOptions<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> ScanProgress {
    let min_sum = splat(min_sum_to_reach_threshold(dense.iter().map(|term| &**term), &options));
    let (threshold, shift) = (splat(options.threshold), _mm_cvtsi32_si128(options.shift as i32));
    let lanes = load(&std::array::from_fn(|lane| lane as u16));
    let mut codes_read = [0usize; D];
    let (mut scanned, mut count) = (sums.len(), 0);
    let (mut skipped, mut checks_groups) = (0, true);
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        if count + GROUP > found.len() {
            scanned = group * GROUP;
            break;
        }
        let (low, high) = halves(sums);
        let [mut a, mut b] = [load(low), load(high)];
        store(low, _mm512_setzero_si512());
        store(high, _mm512_setzero_si512());
        if D > 0 && checks_groups {
            if _mm512_cmpge_epu16_mask(a, min_sum) | _mm512_cmpge_epu16_mask(b, min_sum) == 0 {
                for (term, read) in dense.iter().zip(&mut codes_read) {
                    *read += u64::from_le_bytes(term.words[group]).count_ones() as usize;
                }
                skipped += 1;
                continue;
            }
            // If few groups can be skipped, mispredicted branches cost more than skipping saves.
            checks_groups = group < TRIAL_GROUPS || skipped * 4 > group * 3;
        }
        let mut units = _mm512_setzero_si512();
        for (term, read) in dense.iter().zip(&mut codes_read) {
            units = _mm512_add_epi8(units, units_of(term, u64::from_le_bytes(term.words[group]), read));
        }
        if D > 0 {
            let [lower, upper] = shifted(units, shift);
            a = _mm512_add_epi16(a, lower);
            b = _mm512_add_epi16(b, upper);
        }
        let mask = u64::from(_mm512_cmpge_epu16_mask(a, threshold))
            | u64::from(_mm512_cmpge_epu16_mask(b, threshold)) << 32;
        if mask != 0 {
            let mask = mask & options.allowed.map_or(u64::MAX, |allowed| allowed[group]);
            let first = _mm512_add_epi16(lanes, splat((group * GROUP) as u16));
            let second = _mm512_add_epi16(first, splat(GROUP as u16 / 2));
            for (sums, at, mask) in [(a, first, mask as u32), (b, second, (mask >> 32) as u32)] {
                store(half_group(&mut found[count..]), _mm512_maskz_compress_epi16(mask, sums));
                store(half_group(&mut positions[count..]), _mm512_maskz_compress_epi16(mask, at));
                count += mask.count_ones() as usize;
            }
        }
    }
    advance(dense.iter_mut().map(|term| &mut **term), scanned / GROUP, &codes_read);
    ScanProgress { sums: scanned, found: count }
}

/// Returns the units that a term adds to the 64 passages of a group. The bits of `word` are set for passages that have
/// the term; the codes of these passages begin at `codes_read`, which advances past them.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
#[inline]
fn units_of(term: &DenseTerm<'_>, word: u64, codes_read: &mut usize) -> __m512i {
    let codes: &[u8; PADDING] = term.codes[*codes_read..].first_chunk().expect("codes and their padding");
    *codes_read += word.count_ones() as usize;
    let codes = _mm512_maskz_expand_epi8(word, load_bytes(codes));
    // A class is a code divided by 4. Shifting 16-bit lanes moves two bits of one byte into the upper two bits of
    // another, which the permutation ignores.
    let classes = _mm512_srli_epi16::<2>(codes);
    _mm512_maskz_permutexvar_epi8(word, classes, load_bytes(&term.bounds.units))
}

/// Returns `units << shift` for 64 passages, in 16 bits. The caller adds this to their sums.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn shifted(units: __m512i, shift: __m128i) -> [__m512i; 2] {
    let lower = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(units));
    let upper = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(units));
    [_mm512_sll_epi16(lower, shift), _mm512_sll_epi16(upper, shift)]
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn splat(value: u16) -> __m512i {
    _mm512_set1_epi16(value.cast_signed())
}

/// Returns the next slots for half a group. The caller writes all of them, but only the slots of the passages found
/// count: the next half group overwrites the others.
#[inline]
fn half_group(room: &mut [u16]) -> &mut [u16; GROUP / 2] {
    room.first_chunk_mut().expect("room for a group")
}

/// Returns the sums of the lower and of the upper half of a group, which fill one register each.
#[inline]
fn halves(sums: &mut [u16; GROUP]) -> (&mut [u16; GROUP / 2], &mut [u16; GROUP / 2]) {
    let (low, high) = sums.split_at_mut(GROUP / 2);
    (low.first_chunk_mut().expect("half a group"), high.first_chunk_mut().expect("half a group"))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(sums: &[u16; GROUP / 2]) -> __m512i {
    // SAFETY: `sums` is 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: `bytes` is 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(sums: &mut [u16; GROUP / 2], value: __m512i) {
    // SAFETY: `sums` is 64 writable bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_floats(floats: &[f32; 16]) -> __m512 {
    // SAFETY: `floats` is 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_ps(floats.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_narrow(out: &mut [u16; 16], value: __m256i) {
    // SAFETY: `out` is 32 writable bytes; the store needs no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), value) }
}
