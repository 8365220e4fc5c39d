//! Classes of bytes with AVX2, 32 bytes at a time.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set1_epi8,
};

use super::kernels::{AsciiClasses, AsciiKernels, GROUP};

pub(super) static KERNELS: AsciiKernels = AsciiKernels { name: "avx2", classify };

#[target_feature(enable = "avx2")]
fn classify(groups: &[[u8; GROUP]], classes: &mut [AsciiClasses]) {
    for (group, classes) in groups.iter().zip(classes) {
        let (halves, _) = group.as_chunks::<32>();
        let [low, high] = [&halves[0], &halves[1]].map(|half| classify_half(half));
        *classes = AsciiClasses {
            alphanumeric: low.alphanumeric | high.alphanumeric << 32,
            inside_words: low.inside_words | high.inside_words << 32,
            others: low.others | high.others << 32,
        };
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn classify_half(half: &[u8; 32]) -> AsciiClasses {
    // SAFETY: `half` is 32 readable bytes; the load needs no alignment.
    let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast()) };
    let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
    let or = |a, b| _mm256_or_si256(a, b);
    // Upper-case letters differ from lower-case ones only in this bit.
    let lower = or(bytes, _mm256_set1_epi8(0x20));
    let alphanumeric = or(is_in_range(lower, b'a', 26), is_in_range(bytes, b'0', 10));
    let inside_words = or(or(or(is(b'.'), is(b',')), or(is(b':'), is(b';'))), is(b'\''));
    // A byte that is not ASCII has its highest bit set.
    let others = or(bytes, is(b'_'));
    let [alphanumeric, inside_words, others] =
        [alphanumeric, inside_words, others].map(|class| u64::from(_mm256_movemask_epi8(class) as u32));
    AsciiClasses { alphanumeric, inside_words, others }
}

/// Sets the lanes of the bytes from `first` to `first + count - 1`.
#[target_feature(enable = "avx2")]
#[inline]
fn is_in_range(bytes: __m256i, first: u8, count: u8) -> __m256i {
    // There are only signed comparisons, so the range is moved to the smallest signed numbers.
    let moved = _mm256_add_epi8(bytes, _mm256_set1_epi8(0x80u8.wrapping_sub(first) as i8));
    _mm256_cmpgt_epi8(_mm256_set1_epi8((0x80 + count) as i8), moved)
}
