//! 64 passages in four registers; codes expanded eight passages at a time by a table of shuffles and looked up, by
//! sixteens, in one register.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cvtsi32_si128, _mm_loadu_si128, _mm_set_epi64x, _mm_shuffle_epi8, _mm256_add_epi8,
    _mm256_add_epi16, _mm256_and_si256, _mm256_andnot_si256, _mm256_broadcastsi128_si256,
    _mm256_castsi256_si128, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16, _mm256_cvtepu8_epi16,
    _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_max_epu16, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_packs_epi16, _mm256_permute4x64_epi64, _mm256_set_m128i, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sll_epi16, _mm256_srli_epi16, _mm256_storeu_si256,
};

use super::dispatch::{MANY, least};
use super::generic::avx2::{bounds, codes};
use super::{DenseTerm, GROUP, ImpactKernels, PADDING, Scan, Scanned, pass, report};

pub(super) static KERNELS: ImpactKernels = ImpactKernels { name: "avx2", class: 16, scan, bounds, codes };

/// For each byte of a bitmap where its passages' codes are among those that follow; 0x80 where there is none.
static SHUFFLES: [u64; 256] = shuffles();

const fn shuffles() -> [u64; 256] {
    let mut shuffles = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut rank) = (0, 0);
        while bit < 8 {
            let present = byte >> bit & 1 == 1;
            shuffles[byte] |= (if present { rank } else { 0x80 }) << (8 * bit);
            rank += present as u64;
            bit += 1;
        }
        byte += 1;
    }
    shuffles
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn scan(
    sums: &mut [u16],
    dense: &mut Vec<DenseTerm<'_>>,
    scan: Scan<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> Scanned {
    let least = splat(least(dense.iter(), &scan));
    let (bound, shift) = (splat(scan.bound), _mm_cvtsi32_si128(scan.shift as i32));
    let mut read = [0usize; MANY];
    let (mut done, mut count) = (sums.len(), 0);
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        if count + GROUP > found.len() {
            done = group * GROUP;
            break;
        }
        let (quarters, _) = sums.as_chunks_mut::<16>();
        let mut values: [__m256i; 4] =
            [load(&quarters[0]), load(&quarters[1]), load(&quarters[2]), load(&quarters[3])];
        quarters.iter_mut().for_each(|quarter| store(quarter, _mm256_setzero_si256()));
        if !dense.is_empty() {
            if reaches(values, least) == 0 {
                for (term, read) in dense.iter().zip(&mut read) {
                    *read += u64::from_le_bytes(term.words[group]).count_ones() as usize;
                }
                continue;
            }
            let mut steps = [_mm256_setzero_si256(); 2];
            for (term, read) in dense.iter().zip(&mut read) {
                let word = u64::from_le_bytes(term.words[group]);
                let [low, high] = steps_of(term, word, *read);
                steps = [_mm256_add_epi8(steps[0], low), _mm256_add_epi8(steps[1], high)];
                *read += word.count_ones() as usize;
            }
            let [a, b] = widened(steps[0], shift);
            let [c, d] = widened(steps[1], shift);
            for (value, steps) in values.iter_mut().zip([a, b, c, d]) {
                *value = _mm256_add_epi16(*value, steps);
            }
        }
        let reached = reaches(values, bound) & scan.allowed.map_or(u64::MAX, |allowed| allowed[group]);
        if reached != 0 {
            let mut with_dense = [0; GROUP];
            let (quarters, _) = with_dense.as_chunks_mut::<16>();
            quarters.iter_mut().zip(values).for_each(|(quarter, value)| store(quarter, value));
            count = report(reached, group, &with_dense, (found, positions), count);
        }
    }
    pass(dense.iter_mut(), done / GROUP, &read);
    Scanned { sums: done, found: count }
}

/// The steps of 64 passages, of which those in `word` have the term, with codes from `start` on.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn steps_of(term: &DenseTerm<'_>, word: u64, start: usize) -> [__m256i; 2] {
    let codes: &[u8; PADDING] = term.codes[start..].first_chunk().expect("codes and their padding");
    let table = _mm256_broadcastsi128_si256(load_bytes(term.bounds.steps.first_chunk().expect("16 classes")));
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

/// The codes of sixteen passages, 0 for those that are not in `bits`.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn expand(codes: &[u8; PADDING], start: usize, bits: u16) -> __m128i {
    let [low, high] = bits.to_le_bytes();
    // The upper eight's codes come after the lower eight's.
    let after = u64::from(low.count_ones()) * 0x0101_0101_0101_0101;
    let [low, high] = [SHUFFLES[usize::from(low)], SHUFFLES[usize::from(high)] + after];
    let shuffle = _mm_set_epi64x(high.cast_signed(), low.cast_signed());
    _mm_shuffle_epi8(load_bytes(codes[start..].first_chunk().expect("sixteen codes")), shuffle)
}

/// Steps of 32 passages as what they add to sums.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn widened(steps: __m256i, shift: __m128i) -> [__m256i; 2] {
    let lower = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(steps));
    let upper = _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(steps));
    [_mm256_sll_epi16(lower, shift), _mm256_sll_epi16(upper, shift)]
}

/// A bit for each of 64 sums that is not below the bound.
#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn reaches(sums: [__m256i; 4], bound: __m256i) -> u64 {
    let [a, b, c, d] = sums.map(|sums| _mm256_cmpeq_epi16(_mm256_max_epu16(sums, bound), sums));
    if _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d))) == 0 {
        return 0;
    }
    // Packing works within halves of registers; the permutation puts the quarters in order.
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
    // SAFETY: `sums` is 32 readable bytes; the load asks for no alignment.
    unsafe { _mm256_loadu_si256(sums.as_ptr().cast()) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn load_bytes(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: `bytes` is 16 readable bytes; the load asks for no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
#[inline]
fn store(sums: &mut [u16; 16], value: __m256i) {
    // SAFETY: `sums` is 32 writable bytes; the store asks for no alignment.
    unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), value) }
}
