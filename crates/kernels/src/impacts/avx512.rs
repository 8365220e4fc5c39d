//! 64 passages in two registers; codes expanded by the bitmap and looked up, by class, in one.

use std::arch::x86_64::{
    __m128i, __m256i, __m512, __m512i, _mm_cvtsi32_si128, _mm256_storeu_si256, _mm512_add_epi8,
    _mm512_add_epi16, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_cmpge_epu16_mask,
    _mm512_cvtepi32_epi16, _mm512_cvtepu8_epi16, _mm512_cvtepu16_epi32, _mm512_cvttps_epi32,
    _mm512_extracti64x4_epi64, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_maskz_compress_epi32,
    _mm512_maskz_expand_epi8, _mm512_maskz_permutexvar_epi8, _mm512_mul_ps, _mm512_or_si512,
    _mm512_set_epi32, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_si512,
    _mm512_sll_epi16, _mm512_slli_epi32, _mm512_srli_epi16, _mm512_storeu_si512,
};

use super::dispatch::least;
use super::generic::avx2;
use super::{Bounds, CLASS, DenseTerm, GROUP, ImpactKernels, PADDING, Reached, Scan, Scanned};

pub(super) static KERNELS: ImpactKernels =
    ImpactKernels { name: "avx512vbmi2", scan, bounds, codes: avx2::codes };

/// Dense terms that are added in one go.
const FEW: usize = 8;

/// Groups after which it is known whether leaving out groups pays.
const TRIAL: usize = 16;

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn scan(sums: &mut [u16], dense: &mut Vec<DenseTerm<'_>>, scan: Scan<'_>, found: &mut [Reached]) -> Scanned {
    while dense.len() > FEW {
        let at = dense.len() - FEW;
        let terms: &[DenseTerm<'_>; FEW] = dense[at..].first_chunk().expect("so many are left");
        add(sums, terms, scan.shift);
        dense.truncate(at);
    }
    match &mut dense[..] {
        [] => scan_few::<0>(sums, &mut [], scan, found),
        [a] => scan_few(sums, &mut [a], scan, found),
        [a, b] => scan_few(sums, &mut [a, b], scan, found),
        [a, b, c] => scan_few(sums, &mut [a, b, c], scan, found),
        [a, b, c, d] => scan_few(sums, &mut [a, b, c, d], scan, found),
        [a, b, c, d, e] => scan_few(sums, &mut [a, b, c, d, e], scan, found),
        [a, b, c, d, e, f] => scan_few(sums, &mut [a, b, c, d, e, f], scan, found),
        [a, b, c, d, e, f, g] => scan_few(sums, &mut [a, b, c, d, e, f, g], scan, found),
        [a, b, c, d, e, f, g, h, ..] => scan_few(sums, &mut [a, b, c, d, e, f, g, h], scan, found),
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
    found: &mut [Reached],
) -> Scanned {
    let least = splat(least(dense.iter().map(|term| &**term), &scan));
    let (bound, shift) = (splat(scan.bound), _mm_cvtsi32_si128(scan.shift as i32));
    let positions = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
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
            let first = _mm512_add_epi32(positions, _mm512_set1_epi32((group * GROUP) as i32));
            for (quarter, sums) in quarters(a, b).into_iter().enumerate() {
                let mask = (reached >> (16 * quarter)) as u16;
                let position = _mm512_add_epi32(first, _mm512_set1_epi32(16 * quarter as i32));
                let keys = _mm512_or_si512(_mm512_slli_epi32::<16>(sums), position);
                let room = found[count..].first_chunk_mut().expect("room for a group");
                store_keys(room, _mm512_maskz_compress_epi32(mask, keys));
                count += mask.count_ones() as usize;
            }
        }
    }
    for (term, read) in dense.iter_mut().zip(read) {
        term.words = &term.words[done / GROUP..];
        term.codes = &term.codes[read..];
    }
    Scanned { sums: done, found: count }
}

/// The steps of 64 passages, of which those in `word` have the term.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
#[inline]
fn steps_of(term: &DenseTerm<'_>, word: u64, read: &mut usize) -> __m512i {
    const { assert!(CLASS == 4) };
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

/// Sixteen sums each, in 32 bits.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn quarters(a: __m512i, b: __m512i) -> [__m512i; 4] {
    [
        _mm512_cvtepu16_epi32(_mm512_castsi512_si256(a)),
        _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(a)),
        _mm512_cvtepu16_epi32(_mm512_castsi512_si256(b)),
        _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(b)),
    ]
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn splat(value: u16) -> __m512i {
    _mm512_set1_epi16(value.cast_signed())
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
fn store_keys(found: &mut [Reached; 16], keys: __m512i) {
    // SAFETY: `found` is sixteen times a transparent u32, 64 writable bytes; the store asks for no alignment.
    unsafe { _mm512_storeu_si512(found.as_mut_ptr().cast(), keys) }
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
