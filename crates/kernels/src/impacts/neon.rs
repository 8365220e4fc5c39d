//! Scans with NEON. The 64 sums of a group are in eight registers. The [parent module](super) has a diagram of the
//! operations of a scan, which NEON performs as follows:
//!
//! - Expand: as with AVX2, a table has a shuffle for each of the 256 values of a byte of the bitmap, which moves up to
//!   eight codes to their lanes. The number of codes before each byte is computed for all eight bytes of a word at
//!   once: an instruction counts the bits of each byte, and a multiplication by 0x0101…01 adds up the counts.
//! - Look up: `tbl` looks up bytes in a table of 64 bytes (four registers), so there are 64 classes of 4 neighboring
//!   codes.

use std::arch::aarch64::{
    int16x8_t, uint8x16_t, uint8x16x4_t, uint16x8_t, vaddq_u8, vandq_u8, vcgeq_u16, vcnt_u8, vcombine_u8,
    vcombine_u64, vcreate_u8, vcreate_u64, vdupq_n_s16, vdupq_n_u8, vdupq_n_u16, vdupq_n_u64, vget_lane_u64,
    vget_low_u8, vgetq_lane_u16, vgetq_lane_u64, vld1q_u8, vld1q_u8_x4, vld1q_u16, vmaxq_u16, vmaxvq_u16,
    vmovl_high_u8, vmovl_u8, vpaddq_u8, vqaddq_u8, vqaddq_u16, vqtbl1q_u8, vqtbl4q_u8, vreinterpret_u64_u8,
    vreinterpretq_u8_u16, vreinterpretq_u8_u64, vreinterpretq_u64_u8, vshlq_u16, vshrq_n_u8, vst1q_u16,
    vtstq_u8, vuzp1q_u8,
};

use super::kernels::{ImpactKernels, MAX_DENSE_TERMS};
use super::operands::{DenseTerm, GROUP, PADDING, ScanOptions, ScanProgress};
use super::scan::{
    Found, GROUPS_PER_CHECK, MIN_SECOND_CHECKS, SHUFFLES, advance, append_found, max_units,
    min_sum_to_reach_threshold, set_bits,
};
// NEON is in the baseline of the target, so the portable loops are compiled for it.
use super::tables::scalar::{bounds, class_bounds, codes, kth_sum};

pub(super) static KERNELS: ImpactKernels = ImpactKernels {
    name: "neon",
    codes_per_class: CODES_PER_CLASS,
    scan,
    add,
    kth_sum,
    bounds,
    class_bounds: class_bounds::<CODES_PER_CLASS>,
    codes,
};

/// A table of four 16-byte registers has 64 classes.
const CODES_PER_CLASS: usize = 4;

type Group = [uint16x8_t; 8];

type Shift = int16x8_t;
type Units = [uint8x16_t; 4];

define_scan!(#[target_feature(enable = "neon")]);
define_scan_pass!(#[target_feature(enable = "neon")]);

#[target_feature(enable = "neon")]
#[inline]
fn load_group(sums: &[u16; GROUP]) -> Group {
    let (eighths, _) = sums.as_chunks::<8>();
    std::array::from_fn(|at| {
        // SAFETY: the eighth is 16 readable bytes; the load needs no more alignment than that of `u16`.
        unsafe { vld1q_u16(eighths[at].as_ptr()) }
    })
}

#[target_feature(enable = "neon")]
#[inline]
fn store_group(sums: &mut [u16; GROUP], values: Group) {
    let (eighths, _) = sums.as_chunks_mut::<8>();
    for (eighth, value) in eighths.iter_mut().zip(values) {
        // SAFETY: `eighth` is 16 writable bytes; the store needs no more alignment than that of `u16`.
        unsafe { vst1q_u16(eighth.as_mut_ptr(), value) }
    }
}

#[target_feature(enable = "neon")]
#[inline]
fn splat(value: u16) -> uint16x8_t {
    vdupq_n_u16(value)
}

#[target_feature(enable = "neon")]
#[inline]
fn shift_of(shift: u32) -> Shift {
    vdupq_n_s16(shift as i16)
}

#[target_feature(enable = "neon")]
#[inline]
fn zero_units() -> Units {
    [vdupq_n_u8(0); 4]
}

/// Adds the units of a term to the 64 passages of a group.
#[target_feature(enable = "neon")]
#[inline]
fn add_units(mut units: Units, term: &DenseTerm<'_>, word: u64, start: usize) -> Units {
    let codes: &[u8; PADDING] = term.codes[start..].first_chunk().expect("codes and their padding");
    let table = load_table(&term.bounds.units);
    // `counts` has the number of bits set in each byte, and `starts` the sum of those before it. No sum exceeds 64, so
    // no byte overflows.
    let counts = vget_lane_u64::<0>(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(word))));
    let starts = counts.wrapping_mul(0x0101_0101_0101_0101) << 8;
    for (quarter, units) in units.iter_mut().enumerate() {
        let byte = |of: u64, at: usize| (of >> (8 * at)) as u8;
        let (low, high) = (2 * quarter, 2 * quarter + 1);
        // The codes of the upper eight passages follow those of the lower eight, whose number is added to each index.
        // An index of 0x80 or more still sets a lane to 0.
        let skipped = u64::from(byte(counts, low)) * 0x0101_0101_0101_0101;
        let [low_shuffle, high_shuffle] = [low, high].map(|at| SHUFFLES[usize::from(byte(word, at))]);
        let shuffle = vcombine_u8(vcreate_u8(low_shuffle), vcreate_u8(high_shuffle + skipped));
        let next = codes[usize::from(byte(starts, low))..].first_chunk().expect("sixteen codes");
        let expanded = vqtbl1q_u8(load_bytes(next), shuffle);
        let looked_up = vqtbl4q_u8(table, vshrq_n_u8::<2>(expanded));
        // `vtstq_u8` sets all bits of the lanes that are not 0: those of passages that have the term.
        *units = vaddq_u8(*units, vandq_u8(looked_up, vtstq_u8(expanded, expanded)));
    }
    units
}

#[target_feature(enable = "neon")]
#[inline]
fn add_equal_units(mut units: Units, added: u8, word: u64) -> Units {
    // Each byte of the word is copied to eight lanes, where each lane then tests its own bit.
    let bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let (word, added) = (vcreate_u8(word), vdupq_n_u8(added));
    let lanes = vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(0), vcreate_u64(0x0101_0101_0101_0101)));
    let word = vcombine_u8(word, word);
    for (quarter, units) in (0..).zip(&mut units) {
        let bytes = vqtbl1q_u8(word, vaddq_u8(lanes, vdupq_n_u8(2 * quarter)));
        *units = vqaddq_u8(*units, vandq_u8(vtstq_u8(bytes, bits), added));
    }
    units
}

#[target_feature(enable = "neon")]
#[inline]
fn add_shifted(mut values: Group, units: Units, shift: Shift) -> Group {
    let (pairs, _) = values.as_chunks_mut::<2>();
    for ([low, high], units) in pairs.iter_mut().zip(units) {
        *low = vqaddq_u16(*low, vshlq_u16(vmovl_u8(vget_low_u8(units)), shift));
        *high = vqaddq_u16(*high, vshlq_u16(vmovl_high_u8(units), shift));
    }
    values
}

/// Returns true if one of 64 sums is at or above `min`.
#[target_feature(enable = "neon")]
#[inline]
fn reaches(sums: Group, min: uint16x8_t) -> bool {
    let [a, b, c, d, e, f, g, h] = sums;
    let max = |a, b, c, d| vmaxq_u16(vmaxq_u16(a, b), vmaxq_u16(c, d));
    vmaxvq_u16(vmaxq_u16(max(a, b, c, d), max(e, f, g, h))) >= vgetq_lane_u16::<0>(min)
}

/// Returns a mask: bit `i` is set if sum `i` of 64 is at or above `min`.
#[target_feature(enable = "neon")]
#[inline]
fn mask_at_least(sums: Group, min: uint16x8_t) -> u64 {
    if !reaches(sums, min) {
        return 0;
    }
    let [a, b, c, d, e, f, g, h] = sums;
    // A byte for each sum, with the bit 1 << (i % 8) if the sum is at or above `min`. Adding neighboring bytes three
    // times collects the bits of eight sums in one byte.
    let bits = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
    let sixteen = |low, high| {
        let [low, high] = [low, high].map(|sums| vreinterpretq_u8_u16(vcgeq_u16(sums, min)));
        vandq_u8(vuzp1q_u8(low, high), bits)
    };
    let lower = vpaddq_u8(sixteen(a, b), sixteen(c, d));
    let upper = vpaddq_u8(sixteen(e, f), sixteen(g, h));
    let quarters = vpaddq_u8(lower, upper);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(quarters, quarters)))
}

/// Returns the table of the units of all classes.
#[target_feature(enable = "neon")]
#[inline]
fn load_table(units: &[u8; 64]) -> uint8x16x4_t {
    // SAFETY: `units` is 64 readable bytes; the load needs no alignment.
    unsafe { vld1q_u8_x4(units.as_ptr()) }
}

#[target_feature(enable = "neon")]
#[inline]
fn load_bytes(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: `bytes` is 16 readable bytes; the load needs no alignment.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}
