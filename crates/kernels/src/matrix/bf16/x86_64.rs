//! Products in bfloat16 with `vdpbf16ps` (AVX-512 BF16).

use std::arch::x86_64::{
    __m256bh, __m256i, __m512, __m512bh, __m512i, __mmask16, _mm512_add_ps, _mm512_cvtepu16_epi32,
    _mm512_cvtne2ps_pbh, _mm512_cvtneps_pbh, _mm512_dpbf16_ps, _mm512_loadu_si512, _mm512_mask_storeu_epi32,
    _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_or_si512, _mm512_set1_epi32, _mm512_setzero_ps,
    _mm512_slli_epi32,
};
use std::mem::transmute;

use super::panel::Panel;
use super::{Bf16Kernels, COLUMNS, ROWS, Tile};

pub(super) static KERNELS: Bf16Kernels = Bf16Kernels {
    name: "avx512bf16",
    // SAFETY: `Bf16Kernels::native` returns these functions only if the CPU has the features.
    pack: |panel, packed| unsafe { pack(panel, packed) },
    // SAFETY: as above.
    tile: |a, b, out| unsafe { tile(a, b, out) },
};

/// Number of `f32` values of a register.
const LANES: usize = 16;
const REGISTERS: usize = COLUMNS / LANES;

/// Packs a panel. One of the strides of a matrix is 1.
#[target_feature(enable = "avx512f,avx512bf16")]
fn pack(panel: &Panel<'_>, packed: &mut [u32]) {
    match panel.matrix.strides() {
        [_, 1] => pack_contiguous_rows(panel, packed),
        _ => pack_contiguous_columns(panel, packed),
    }
}

/// Packs a panel in which the values of a row are neighbors: rounds 32 of them, which are 16 pairs, and stores each pair
/// in the vector of its inner position.
#[target_feature(enable = "avx512f,avx512bf16")]
fn pack_contiguous_rows(panel: &Panel<'_>, packed: &mut [u32]) {
    let (width, depth) = (panel.width, panel.inner.len());
    for row in 0..panel.rows {
        let values = &panel.values_from(row, 0)[..depth];
        for (values, packed) in values.chunks(2 * LANES).zip(packed.chunks_mut(LANES * width)) {
            let (low, high) = values.split_at(values.len().min(LANES));
            let rounded = _mm512_cvtne2ps_pbh(load(high), load(low));
            // SAFETY: both types have 64 bytes, which are plain bits.
            let pairs: [u32; LANES] = unsafe { transmute::<__m512bh, [u32; LANES]>(rounded) };
            packed.iter_mut().skip(row).step_by(width).zip(pairs).for_each(|(packed, pair)| *packed = pair);
        }
    }
    for packed in packed.chunks_exact_mut(width) {
        packed[panel.rows..].fill(0);
    }
}

/// Packs a panel in which the values of a column are neighbors: rounds those of two columns, and interleaves them.
#[target_feature(enable = "avx512f,avx512bf16")]
fn pack_contiguous_columns(panel: &Panel<'_>, packed: &mut [u32]) {
    let (rows, depth) = (panel.rows, panel.inner.len());
    for (pair, packed) in packed.chunks_exact_mut(panel.width).enumerate() {
        let first = &panel.values_from(0, 2 * pair)[..rows];
        let second = if 2 * pair + 1 < depth { &panel.values_from(0, 2 * pair + 1)[..rows] } else { &[] };
        for (at, packed) in packed.chunks_mut(LANES).enumerate() {
            let part = |of: &[f32]| {
                let from = of.len().min(at * LANES);
                round(&of[from..of.len().min(from + LANES)])
            };
            let pairs = _mm512_or_si512(part(first), _mm512_slli_epi32::<16>(part(second)));
            // SAFETY: only the lanes of the slice are stored.
            unsafe { _mm512_mask_storeu_epi32(packed.as_mut_ptr().cast(), mask(packed.len()), pairs) };
        }
    }
}

/// Rounds at most 16 values to bfloat16, in the lower half of each lane. The other lanes are zero.
#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn round(values: &[f32]) -> __m512i {
    let rounded = _mm512_cvtneps_pbh(load(values));
    // SAFETY: both types have 32 bytes, which are plain bits.
    _mm512_cvtepu16_epi32(unsafe { transmute::<__m256bh, __m256i>(rounded) })
}

/// Loads at most 16 values. The other lanes are zero.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(values: &[f32]) -> __m512 {
    // SAFETY: only the lanes of the slice are loaded.
    unsafe { _mm512_maskz_loadu_ps(mask(values.len()), values.as_ptr()) }
}

/// Reinterprets 16 pairs as an operand of `vdpbf16ps`.
#[inline]
#[target_feature(enable = "avx512f")]
fn as_operand(bits: __m512i) -> __m512bh {
    // SAFETY: both types have 64 bytes, which are plain bits.
    unsafe { transmute::<__m512i, __m512bh>(bits) }
}

/// The mask of the first lanes.
#[inline]
fn mask(lanes: usize) -> __mmask16 {
    debug_assert!(lanes <= LANES);
    ((1_u32 << lanes) - 1) as __mmask16
}

/// Multiplies a packed panel of rows with a packed panel of columns. Computes 4, 8 or 12 rows, whichever suffices.
#[target_feature(enable = "avx512f,avx512bf16")]
fn tile(a: &[u32], b: &[u32], tile: Tile<'_>) {
    match tile.rows.div_ceil(4) {
        1 => tile_of_rows::<4>(a, b, tile),
        2 => tile_of_rows::<8>(a, b, tile),
        _ => tile_of_rows::<ROWS>(a, b, tile),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn tile_of_rows<const N: usize>(a: &[u32], b: &[u32], tile: Tile<'_>) {
    let mut sums = [[_mm512_setzero_ps(); REGISTERS]; N];
    for (a, b) in a.chunks_exact(ROWS).zip(b.chunks_exact(COLUMNS)) {
        // SAFETY: `b` has `COLUMNS` values, the lanes of `REGISTERS` registers.
        let b: [__m512i; REGISTERS] =
            std::array::from_fn(|at| unsafe { _mm512_loadu_si512(b[at * LANES..].as_ptr().cast()) });
        for (sums, &a) in sums.iter_mut().zip(a) {
            let a = _mm512_set1_epi32(a.cast_signed());
            for (sum, b) in sums.iter_mut().zip(b) {
                *sum = _mm512_dpbf16_ps(*sum, as_operand(a), as_operand(b));
            }
        }
    }
    for (row, sums) in sums.iter().enumerate().take(tile.rows) {
        let out = &mut tile.out[row * tile.stride..][..tile.columns];
        for (out, &sum) in out.chunks_mut(LANES).zip(sums) {
            let sum = if tile.adds { _mm512_add_ps(load(out), sum) } else { sum };
            // SAFETY: only the lanes of the slice are stored.
            unsafe { _mm512_mask_storeu_ps(out.as_mut_ptr(), mask(out.len()), sum) };
        }
    }
}
