//! Classes of bytes with NEON, 16 bytes at a time.

use std::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vcgeq_u8, vcltq_u8, vdupq_n_u8, vdupq_n_u64, vgetq_lane_u64, vld1q_u8,
    vorrq_u8, vpaddq_u8, vreinterpretq_u8_u64, vreinterpretq_u64_u8, vsubq_u8,
};

use super::kernels::{AsciiClasses, AsciiKernels, GROUP};

pub(super) static KERNELS: AsciiKernels = AsciiKernels { name: "neon", classify };

#[target_feature(enable = "neon")]
fn classify(groups: &[[u8; GROUP]], classes: &mut [AsciiClasses]) {
    for (group, classes) in groups.iter().zip(classes) {
        let (quarters, _) = group.as_chunks::<16>();
        let quarters: [uint8x16_t; 4] = std::array::from_fn(|at| {
            // SAFETY: the quarter is 16 readable bytes; the load needs no alignment.
            unsafe { vld1q_u8(quarters[at].as_ptr()) }
        });
        *classes = AsciiClasses {
            alphanumeric: mask(quarters.map(|bytes| alphanumeric(bytes))),
            inside_words: mask(quarters.map(|bytes| inside_words(bytes))),
            others: mask(quarters.map(|bytes| others(bytes))),
        };
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn alphanumeric(bytes: uint8x16_t) -> uint8x16_t {
    let is_in_range = |bytes, first, count| vcltq_u8(vsubq_u8(bytes, vdupq_n_u8(first)), vdupq_n_u8(count));
    // Upper-case letters differ from lower-case ones only in this bit.
    let lower = vorrq_u8(bytes, vdupq_n_u8(0x20));
    vorrq_u8(is_in_range(lower, b'a', 26), is_in_range(bytes, b'0', 10))
}

#[target_feature(enable = "neon")]
#[inline]
fn inside_words(bytes: uint8x16_t) -> uint8x16_t {
    let is = |byte| vceqq_u8(bytes, vdupq_n_u8(byte));
    vorrq_u8(vorrq_u8(vorrq_u8(is(b'.'), is(b',')), vorrq_u8(is(b':'), is(b';'))), is(b'\''))
}

#[target_feature(enable = "neon")]
#[inline]
fn others(bytes: uint8x16_t) -> uint8x16_t {
    vorrq_u8(vcgeq_u8(bytes, vdupq_n_u8(0x80)), vceqq_u8(bytes, vdupq_n_u8(b'_')))
}

/// Returns a bit for each of 64 lanes: whether the lane is set.
#[target_feature(enable = "neon")]
#[inline]
fn mask(lanes: [uint8x16_t; 4]) -> u64 {
    // The lane `i` keeps the bit `i % 8`. Adding neighboring lanes three times collects the bits of eight lanes in one.
    let bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let [a, b, c, d] = lanes.map(|lanes| vandq_u8(lanes, bits));
    let quarters = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)))
}
