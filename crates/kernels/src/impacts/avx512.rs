//! Scans with AVX-512 and its extensions VBMI2 and VPOPCNTDQ. The 64 sums of a group are in two registers. The
//! [module](super) draws the operations of a scan, which AVX-512 performs as follows:
//!
//! - Expand: one instruction expands codes by a word of the bitmap.
//! - Look up: a permutation looks up bytes in a table of 64 bytes, so there are 64 classes of 4 neighboring codes.
//! - Report: one instruction compresses the sums of a register by a mask, and another compresses their positions.
//!
//! The scan goes over 64 groups twice. First, it checks all of them: the maximum bound of each dense term is added to
//! the sums of the passages that have the term, which needs the bitmap but no codes. Then it scans the groups that may
//! have a passage at or above the threshold. Nothing in the first loop branches on the data, so no branch is
//! mispredicted. After a check that nearly all groups pass, the rest of the sums is not checked.
//!
//! VPOPCNTDQ counts the bits of eight words at once: for the places where the codes of the groups start, and for the
//! codes of single passages.

use std::arch::x86_64::{
    __m128i, __m256i, __m512, __m512i, _mm_cvtsi32_si128, _mm_cvtsi128_si64, _mm256_storeu_si256,
    _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32, _mm512_add_epi64, _mm512_adds_epu16,
    _mm512_alignr_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_castsi512_si128,
    _mm512_castsi512_si256, _mm512_cmpge_epu16_mask, _mm512_cvtepi32_epi16, _mm512_cvtepi64_epi8,
    _mm512_cvtepu8_epi16, _mm512_cvttps_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_mask_adds_epu16, _mm512_maskz_compress_epi16, _mm512_maskz_expand_epi8,
    _mm512_maskz_permutexvar_epi8, _mm512_max_epi64, _mm512_max_epu16, _mm512_min_epu16, _mm512_mul_ps,
    _mm512_permutexvar_epi64, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_reduce_max_epu32,
    _mm512_rol_epi64, _mm512_set1_epi16, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_set1_ps,
    _mm512_setr_epi64, _mm512_setzero_si512, _mm512_sll_epi16, _mm512_sllv_epi64, _mm512_srl_epi16,
    _mm512_srli_epi16, _mm512_srli_epi32, _mm512_storeu_si512, _mm512_sub_epi64, _mm512_subs_epu16,
    _mm512_test_epi32_mask,
};

use super::kernels::{ImpactKernels, MAX_DENSE_TERMS};
use super::operands::{
    Bounds, DenseBounds, DenseTerm, GROUP, PADDING, RANK_INTERVAL, RankedBitmap, ScanOptions, ScanProgress,
};
use super::scan::{GROUPS_PER_CHECK, advance, max_units, set_bits};
// A search calls this function once, so the version for AVX2 is fast enough: the call takes about 0.1 µs.
use super::tables::avx2::kth_sum;

pub(super) static KERNELS: ImpactKernels = ImpactKernels {
    name: "avx512vbmi2",
    codes_per_class: 4,
    scan,
    add,
    kth_sum,
    bounds,
    class_bounds,
    codes,
};

define_scan!(
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi1,popcnt")]
);

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

/// See [`ImpactKernels::class_bounds`]. The four codes of a class are in a lane of 64 bits. Two rotations bring the
/// minimum and the maximum to all of its 16-bit lanes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
fn class_bounds(bounds: &Bounds, shift: u32, classes: &mut DenseBounds) -> u16 {
    let (round_up, shift) = (splat((1 << shift) - 1), _mm_cvtsi32_si128(shift as i32));
    let mut max_error = _mm512_setzero_si512();
    let (bounds, _) = bounds.0.as_chunks::<{ GROUP / 2 }>();
    for (bounds, units) in bounds.iter().zip(classes.units.as_chunks_mut::<8>().0) {
        let bounds = load(bounds);
        let max = _mm512_max_epu16(bounds, _mm512_rol_epi64::<32>(bounds));
        let max = _mm512_max_epu16(max, _mm512_rol_epi64::<16>(max));
        let min = _mm512_min_epu16(bounds, _mm512_rol_epi64::<32>(bounds));
        let min = _mm512_min_epu16(min, _mm512_rol_epi64::<16>(min));
        let rounded_up = _mm512_srl_epi16(_mm512_adds_epu16(max, round_up), shift);
        *units = _mm_cvtsi128_si64(_mm512_cvtepi64_epi8(rounded_up)).to_le_bytes();
        let error = _mm512_subs_epu16(_mm512_sll_epi16(rounded_up, shift), min);
        max_error = _mm512_max_epu16(max_error, error);
    }
    let lane_maxima = _mm512_max_epu16(max_error, _mm512_srli_epi32::<16>(max_error));
    _mm512_reduce_max_epu32(_mm512_and_si512(lane_maxima, _mm512_set1_epi32(0xffff))) as u16
}

/// See [`ImpactKernels::codes`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi1,popcnt")]
fn codes(bitmap: RankedBitmap<'_>, passages: &[u32], codes: &mut [u8]) {
    const WORDS: usize = RANK_INTERVAL / 64;
    let starts_of_words = _mm512_setr_epi64(0, 64, 128, 192, 256, 320, 384, 448);
    let (zero, ones) = (_mm512_setzero_si512(), _mm512_set1_epi64(-1));
    for (code, &passage) in codes.iter_mut().zip(passages) {
        let (at, interval) = (passage as usize / 64, passage as usize / RANK_INTERVAL);
        // Counts the bits before the passage: each word of the interval is masked to them.
        let words = load_up_to_8(&bitmap.words[interval * WORDS..]);
        let in_interval = _mm512_set1_epi64((passage as usize % RANK_INTERVAL) as i64);
        let before = _mm512_max_epi64(_mm512_sub_epi64(in_interval, starts_of_words), zero);
        let counts = _mm512_popcnt_epi64(_mm512_andnot_si512(_mm512_sllv_epi64(ones, before), words));
        let rank =
            u32::from_le_bytes(bitmap.ranks[interval]) as usize + _mm512_reduce_add_epi64(counts) as usize;
        // Looking up a code in any case is faster than a branch, because about half of the bits are set. If no bit is
        // set at or after the passage, there is no code at this rank.
        let is_set = u64::from_le_bytes(bitmap.words[at]) >> (passage % 64) & 1;
        let found = bitmap.codes.get(rank);
        assert!(is_set == 0 || found.is_some(), "codes: expected a code for passage {passage}");
        *code = found.copied().unwrap_or(0) * is_set as u8;
    }
}

/// See [`ImpactKernels::add`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi1,popcnt")]
fn add(sums: &mut [u16], dense: &[DenseTerm<'_>], shift: u32) {
    let (shift, mut codes_read) = (_mm_cvtsi32_si128(shift as i32), [0; MAX_DENSE_TERMS]);
    for (group, sums) in sums.as_chunks_mut::<GROUP>().0.iter_mut().enumerate() {
        let mut units = _mm512_setzero_si512();
        for (term, read) in dense.iter().zip(&mut codes_read) {
            let word = u64::from_le_bytes(term.words[group]);
            units = _mm512_add_epi8(units, units_of(term, word, *read));
            *read += word.count_ones() as usize;
        }
        let (low, high) = halves(sums);
        let [a, b] = shifted(units, shift);
        let [a, b] = [_mm512_add_epi16(load(low), a), _mm512_add_epi16(load(high), b)];
        store(low, a);
        store(high, b);
    }
}

/// Scans with `D` dense terms, each of which takes 512 bytes of the stack; see [`ImpactKernels::scan`].
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi1,popcnt")]
fn scan_pass<const D: usize>(
    sums: &mut [u16],
    dense: &mut [&mut DenseTerm<'_>; D],
    options: ScanOptions<'_>,
    found: &mut [u16],
    positions: &mut [u16],
) -> ScanProgress {
    let max_bounds = dense.each_ref().map(|term| splat(u16::from(max_units(term)) << options.shift));
    let (threshold, shift) = (splat(options.threshold), _mm_cvtsi32_si128(options.shift as i32));
    let lanes = load(&std::array::from_fn(|lane| lane as u16));
    let (mut codes_read, mut starts) = ([0; D], [[0u64; GROUPS_PER_CHECK]; D]);
    let (mut count, mut checks_groups) = (0, true);
    let mut first_group = 0;
    for chunk in sums.as_chunks_mut::<GROUP>().0.chunks_mut(GROUPS_PER_CHECK) {
        let words = dense.each_ref().map(|term| &term.words[first_group..][..chunk.len()]);
        let mut groups = u64::MAX >> (GROUPS_PER_CHECK - chunk.len());
        if checks_groups {
            groups = groups_that_may_reach(threshold, chunk, &words, &max_bounds);
        }
        // If nearly all groups have to be scanned, checking the next ones would cost more than it saves. The share of
        // 5/6 is an estimate from the times of both loops.
        checks_groups = groups.count_ones() as usize * 6 <= chunk.len() * 5;
        let mut codes_end = codes_read;
        for ((words, starts), end) in words.iter().zip(&mut starts).zip(&mut codes_end) {
            *end = starts_of_codes(words, *end, starts);
        }
        for in_chunk in set_bits(groups) {
            let group = first_group + in_chunk;
            if count + GROUP > found.len() {
                chunk[..in_chunk].as_flattened_mut().fill(0);
                let codes_read = starts.map(|starts| starts[in_chunk] as usize);
                advance(dense.iter_mut().map(|term| &mut **term), group, &codes_read);
                return ScanProgress { sums: group * GROUP, found: count };
            }
            let (low, high) = halves(&mut chunk[in_chunk]);
            let [mut a, mut b] = [load(low), load(high)];
            if D > 0 {
                let mut units = _mm512_setzero_si512();
                for ((term, words), starts) in dense.iter().zip(&words).zip(&starts) {
                    let word = u64::from_le_bytes(words[in_chunk]);
                    units = _mm512_add_epi8(units, units_of(term, word, starts[in_chunk] as usize));
                }
                let [lower, upper] = shifted(units, shift);
                a = _mm512_add_epi16(a, lower);
                b = _mm512_add_epi16(b, upper);
            }
            let mask = u64::from(_mm512_cmpge_epu16_mask(a, threshold))
                | u64::from(_mm512_cmpge_epu16_mask(b, threshold)) << 32;
            let mask = mask & options.allowed.map_or(u64::MAX, |allowed| allowed[group]);
            let first = _mm512_add_epi16(lanes, splat((group * GROUP) as u16));
            let second = _mm512_add_epi16(first, splat(GROUP as u16 / 2));
            for (sums, at, mask) in [(a, first, mask as u32), (b, second, (mask >> 32) as u32)] {
                store(half_group(&mut found[count..]), _mm512_maskz_compress_epi16(mask, sums));
                store(half_group(&mut positions[count..]), _mm512_maskz_compress_epi16(mask, at));
                count += mask.count_ones() as usize;
            }
        }
        chunk.as_flattened_mut().fill(0);
        codes_read = codes_end;
        first_group += chunk.len();
    }
    advance(dense.iter_mut().map(|term| &mut **term), first_group, &codes_read);
    ScanProgress { sums: first_group * GROUP, found: count }
}

/// Returns one bit per group, which is set if a passage of the group may reach the threshold with the dense terms. It
/// adds the maximum bound of each term to the sums of the passages that have the term, so it reads no codes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn groups_that_may_reach<const D: usize>(
    threshold: __m512i,
    sums: &mut [[u16; GROUP]],
    words: &[&[[u8; 8]]; D],
    max_bounds: &[__m512i; D],
) -> u64 {
    // For each group, a mask of passages; 0 if no passage may reach the threshold.
    let mut reaching = [0u32; GROUPS_PER_CHECK];
    for (group, sums) in sums.iter_mut().enumerate() {
        let (low, high) = halves(sums);
        let [mut a, mut b] = [load(low), load(high)];
        for (words, &max) in words.iter().zip(max_bounds) {
            let word = u64::from_le_bytes(words[group]);
            a = _mm512_mask_adds_epu16(a, word as u32, a, max);
            b = _mm512_mask_adds_epu16(b, (word >> 32) as u32, b, max);
        }
        reaching[group] = _mm512_cmpge_epu16_mask(_mm512_max_epu16(a, b), threshold);
    }
    reaching.as_chunks::<16>().0.iter().rev().fold(0, |groups, masks| {
        let masks = load_masks(masks);
        groups << 16 | u64::from(_mm512_test_epi32_mask(masks, masks))
    })
}

/// Writes where the codes of each group start: at `start` plus the number of bits that are set in the words before the
/// group's word. Returns where the codes of the last group end.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn starts_of_codes(words: &[[u8; 8]], start: usize, starts: &mut [u64; GROUPS_PER_CHECK]) -> usize {
    let zero = _mm512_setzero_si512();
    let mut start = _mm512_set1_epi64(start as i64);
    for (words, starts) in words.chunks(8).zip(starts.as_chunks_mut::<8>().0) {
        let counts = _mm512_popcnt_epi64(load_up_to_8(words));
        // The sum of each count and those before it.
        let sums = _mm512_add_epi64(counts, _mm512_alignr_epi64::<7>(counts, zero));
        let sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<6>(sums, zero));
        let sums = _mm512_add_epi64(sums, _mm512_alignr_epi64::<4>(sums, zero));
        store_starts(starts, _mm512_add_epi64(start, _mm512_sub_epi64(sums, counts)));
        start = _mm512_add_epi64(start, _mm512_permutexvar_epi64(_mm512_set1_epi64(7), sums));
    }
    _mm_cvtsi128_si64(_mm512_castsi512_si128(start)) as usize
}

/// Returns the units that a term adds to the 64 passages of a group. The bits of `word` are set for passages that have
/// the term; the codes of these passages begin at `start`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,popcnt")]
#[inline]
fn units_of(term: &DenseTerm<'_>, word: u64, start: usize) -> __m512i {
    let codes: &[u8; PADDING] = term.codes[start..].first_chunk().expect("codes and their padding");
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

/// Loads the first eight words, or all words and zeros if there are fewer.
#[target_feature(enable = "avx512f")]
#[inline]
fn load_up_to_8(words: &[[u8; 8]]) -> __m512i {
    if let Some(words) = words.first_chunk::<8>() {
        return load_bytes(words.as_flattened().try_into().expect("8 times 8 bytes"));
    }
    let mut padded = [[0; 8]; 8];
    padded[..words.len()].copy_from_slice(words);
    load_bytes(padded.as_flattened().try_into().expect("8 times 8 bytes"))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store(sums: &mut [u16; GROUP / 2], value: __m512i) {
    // SAFETY: `sums` is 64 writable bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store_starts(starts: &mut [u64; 8], value: __m512i) {
    // SAFETY: `starts` is 64 writable bytes; the store needs no alignment.
    unsafe { _mm512_storeu_si512(starts.as_mut_ptr().cast(), value) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_masks(masks: &[u32; 16]) -> __m512i {
    // SAFETY: `masks` is 64 readable bytes; the load needs no alignment.
    unsafe { _mm512_loadu_si512(masks.as_ptr().cast()) }
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
