//! 64 passages in two registers; codes expanded by the bitmap and looked up, by class, in one.

use std::arch::x86_64::{
    __m128i, __m256i, __m512, __m512i, _mm_cvtsi32_si128, _mm256_storeu_si256, _mm512_add_epi8,
    _mm512_add_epi16, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_cmpge_epu16_mask,
    _mm512_cvtepi32_epi16, _mm512_cvtepu8_epi16, _mm512_cvttps_epi32, _mm512_extracti64x4_epi64,
    _mm512_loadu_ps, _mm512_loadu_si512, _mm512_maskz_compress_epi16, _mm512_maskz_expand_epi8,
    _mm512_maskz_permutexvar_epi8, _mm512_mul_ps, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_setzero_si512, _mm512_sll_epi16, _mm512_srli_epi16, _mm512_storeu_si512,
};

use super::dispatch::least;
use super::generic::avx2;
use super::{Bounds, DenseTerm, GROUP, ImpactKernels, PADDING, Scan, Scanned, pass};

pub(super) static KERNELS: ImpactKernels =
    ImpactKernels { name: "avx512vbmi2", class: CLASS, scan, bounds, codes: avx2::codes };

/// Codes whose upper six bits are the same.
const CLASS: usize = 4;

/// Dense terms that are added in one go.
const FEW: usize = 8;

/// Groups after which it is known whether leaving out groups pays.
const TRIAL: usize = 16;

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn scan(
    sums: &mut [u16],
    dense: &mut Vec<DenseTerm<'_>>,
    scan: Scan<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> Scanned {
    while dense.len() > FEW {
        let at = dense.len() - FEW;
        let terms: &[DenseTerm<'_>; FEW] = dense[at..].first_chunk().expect("so many are left");
        add(sums, terms, scan.shift);
        dense.truncate(at);
    }
    match &mut dense[..] {
        [] => scan_few::<0>(sums, &mut [], scan, found, positions),
        [a] => scan_few(sums, &mut [a], scan, found, positions),
        [a, b] => scan_few(sums, &mut [a, b], scan, found, positions),
        [a, b, c] => scan_few(sums, &mut [a, b, c], scan, found, positions),
        [a, b, c, d] => scan_few(sums, &mut [a, b, c, d], scan, found, positions),
        [a, b, c, d, e] => scan_few(sums, &mut [a, b, c, d, e], scan, found, positions),
        [a, b, c, d, e, f] => scan_few(sums, &mut [a, b, c, d, e, f], scan, found, positions),
        [a, b, c, d, e, f, g] => scan_few(sums, &mut [a, b, c, d, e, f, g], scan, found, positions),
        [a, b, c, d, e, f, g, h, ..] => scan_few(sums, &mut [a, b, c, d, e, f, g, h], scan, found, positions),
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn bounds(units: f32, gains: &[f32; 256], bounds: &mut Bounds) {
    let units = _mm512_set1_ps(units);
    let (gains, _) = gains.as_chunks::<16>();
    let (out, _) = bounds.0.as_chunks_mut::<16>();
    for (out, gains) in out.iter_mut().zip(gains) {
        let below = _mm512_cvttps_epi32(_mm512_mul_ps(units, load_floats(gains)));
        store_narrow(out, _mm512_cvtepi32_epi16(_mm512_add_epi32(below, _mm512_set1_epi32(1))));
    }
    bounds.0[0] = 0;
}

/// Adds dense terms to all sums.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn add<const D: usize>(sums: &mut [u16], dense: &[DenseTerm<'_>; D], shift: u32) {
    let shift = _mm_cvtsi32_si128(shift as i32);
    let mut read = [0; D];
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        let mut steps = _mm512_setzero_si512();
        for (term, read) in dense.iter().zip(&mut read) {
            steps = _mm512_add_epi8(steps, steps_of(term, u64::from_le_bytes(term.words[group]), read));
        }
        let (low, high) = halves(sums);
        let [a, b] = widened(steps, shift);
        let [a, b] = [_mm512_add_epi16(load(low), a), _mm512_add_epi16(load(high), b)];
        store(low, a);
        store(high, b);
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn scan_few<const D: usize>(
    sums: &mut [u16],
    dense: &mut [&mut DenseTerm<'_>; D],
    scan: Scan<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> Scanned {
    let least = splat(least(dense.iter().map(|term| &**term), &scan));
    let (bound, shift) = (splat(scan.bound), _mm_cvtsi32_si128(scan.shift as i32));
    let lanes = load(&std::array::from_fn(|lane| lane as u16));
    let mut read = [0usize; D];
    let (mut done, mut count) = (sums.len(), 0);
    let (mut hopeless, mut check) = (0, true);
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        if count + GROUP > found.len() {
            done = group * GROUP;
            break;
        }
        let (low, high) = halves(sums);
        let [mut a, mut b] = [load(low), load(high)];
        store(low, _mm512_setzero_si512());
        store(high, _mm512_setzero_si512());
        if D > 0 && check {
            if _mm512_cmpge_epu16_mask(a, least) | _mm512_cmpge_epu16_mask(b, least) == 0 {
                for (term, read) in dense.iter().zip(&mut read) {
                    *read += u64::from_le_bytes(term.words[group]).count_ones() as usize;
                }
                hopeless += 1;
                continue;
            }
            // A branch that goes either way costs more than what it saves.
            check = group < TRIAL || hopeless * 4 > group * 3;
        }
        let mut steps = _mm512_setzero_si512();
        for (term, read) in dense.iter().zip(&mut read) {
            steps = _mm512_add_epi8(steps, steps_of(term, u64::from_le_bytes(term.words[group]), read));
        }
        if D > 0 {
            let [lower, upper] = widened(steps, shift);
            a = _mm512_add_epi16(a, lower);
            b = _mm512_add_epi16(b, upper);
        }
        let reached =
            u64::from(_mm512_cmpge_epu16_mask(a, bound)) | u64::from(_mm512_cmpge_epu16_mask(b, bound)) << 32;
        if reached != 0 {
            let reached = reached & scan.allowed.map_or(u64::MAX, |allowed| allowed[group]);
            let first = _mm512_add_epi16(lanes, splat((group * GROUP) as u16));
            let second = _mm512_add_epi16(first, splat(GROUP as u16 / 2));
            for (sums, at, mask) in [(a, first, reached as u32), (b, second, (reached >> 32) as u32)] {
                store(half(&mut found[count..]), _mm512_maskz_compress_epi16(mask, sums));
                store(half(&mut positions[count..]), _mm512_maskz_compress_epi16(mask, at));
                count += mask.count_ones() as usize;
            }
        }
    }
    pass(dense.iter_mut().map(|term| &mut **term), done / GROUP, &read);
    Scanned { sums: done, found: count }
}

/// The steps of 64 passages, of which those in `word` have the term.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
#[inline]
fn steps_of(term: &DenseTerm<'_>, word: u64, read: &mut usize) -> __m512i {
    let codes: &[u8; PADDING] = term.codes[*read..].first_chunk().expect("codes and their padding");
    *read += word.count_ones() as usize;
    let codes = _mm512_maskz_expand_epi8(word, load_bytes(codes));
    // The permutation looks at six bits of each byte: what the shift brings in from beside is above.
    let classes = _mm512_srli_epi16::<2>(codes);
    _mm512_maskz_permutexvar_epi8(word, classes, load_bytes(&term.bounds.steps))
}

/// Steps of 64 passages as what they add to sums.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn widened(steps: __m512i, shift: __m128i) -> [__m512i; 2] {
    let lower = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(steps));
    let upper = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(steps));
    [_mm512_sll_epi16(lower, shift), _mm512_sll_epi16(upper, shift)]
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn splat(value: u16) -> __m512i {
    _mm512_set1_epi16(value.cast_signed())
}

/// Where half a group of what was found goes, whatever of it is meant.
#[inline]
fn half(room: &mut [u16]) -> &mut [u16; GROUP / 2] {
    room.first_chunk_mut().expect("room for a group")
}

#[inline]
fn halves(sums: &mut [u16; GROUP]) -> (&mut [u16; GROUP / 2], &mut [u16; GROUP / 2]) {
    let (low, high) = sums.split_at_mut(GROUP / 2);
    (low.first_chunk_mut().expect("half a group"), high.first_chunk_mut().expect("half a group"))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(sums: &[u16; GROUP / 2]) -> __m512i {
    // SAFETY: `sums` is 64 readable bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(sums.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: `bytes` is 64 readable bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(sums: &mut [u16; GROUP / 2], value: __m512i) {
    // SAFETY: `sums` is 64 writable bytes; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_floats(floats: &[f32; 16]) -> __m512 {
    // SAFETY: `floats` is 64 readable bytes; the load asks for no alignment.
    unsafe { _mm512_loadu_ps(floats.as_ptr()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_narrow(out: &mut [u16; 16], value: __m256i) {
    // SAFETY: `out` is 32 writable bytes; the store asks for no alignment.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), value) }
}
