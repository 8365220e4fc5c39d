//! Products in bfloat16 in portable code.

use super::panel::Panel;
use super::{Bf16Kernels, COLUMNS, ROWS, Tile};
use crate::half::{narrow, widen};

pub(super) static KERNELS: Bf16Kernels = Bf16Kernels { name: "scalar", pack, tile };

/// Packs a panel: `width` pairs for the first two inner positions, then for the next two.
fn pack(panel: &Panel<'_>, packed: &mut [u32]) {
    let round = |row, inner| {
        let exists = row < panel.rows && inner < panel.inner.len();
        u32::from(narrow::<true>(if exists { panel.values_from(row, inner)[0] } else { 0.0 }))
    };
    for (pair, packed) in packed.chunks_exact_mut(panel.width).enumerate() {
        for (row, packed) in packed.iter_mut().enumerate() {
            *packed = round(row, 2 * pair) | round(row, 2 * pair + 1) << 16;
        }
    }
}

/// Multiplies a packed panel of rows with a packed panel of columns.
fn tile(a: &[u32], b: &[u32], tile: Tile<'_>) {
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for (a, b) in a.chunks_exact(ROWS).zip(b.chunks_exact(COLUMNS)) {
        for (sums, &a) in sums.iter_mut().zip(a) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                let both = [(a as u16, b as u16), ((a >> 16) as u16, (b >> 16) as u16)];
                *sum += both.map(|(a, b)| widen::<true>(a) * widen::<true>(b)).iter().sum::<f32>();
            }
        }
    }
    for (row, sums) in sums[..tile.rows].iter().enumerate() {
        for (out, sum) in tile.out[row * tile.stride..][..tile.columns].iter_mut().zip(sums) {
            *out = if tile.adds { *out + sum } else { *sum };
        }
    }
}
