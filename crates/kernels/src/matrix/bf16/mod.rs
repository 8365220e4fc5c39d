//! Products of matrices whose values are rounded to bfloat16, with sums in `f32`.
//!
//! A CPU instruction for bfloat16 multiplies pairs of numbers: `vdpbf16ps` of AVX-512 adds x₀·y₀ + x₁·y₁ to each of 16
//! sums. It does twice as many multiplications as an instruction for `f32`. Both operands are first *packed*: their values
//! are rounded, and those that one instruction needs are stored next to each other.
//!
//! ```text
//! a: panels of 12 rows                        b: panels of 32 columns
//!
//!   a₀,₀a₀,₁ a₁,₀a₁,₁ … a₁₁,₀a₁₁,₁   pair 0     b₀,₀b₁,₀ b₀,₁b₁,₁ … b₀,₃₁b₁,₃₁
//!   a₀,₂a₀,₃ a₁,₂a₁,₃ … a₁₁,₂a₁₁,₃   pair 1     b₂,₀b₃,₀ b₂,₁b₃,₁ … b₂,₃₁b₃,₃₁
//!   …                                           …
//! ```
//!
//! A tile of the product is one panel times another: its 12 × 32 sums stay in 24 registers. The inner dimension is cut
//! into blocks of 512 values, so that a panel of each operand fits in the first two levels of the cache (Goto and van de
//! Geijn, *Anatomy of High-Performance Matrix Multiplication*, 2008).

mod panel;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use std::cell::RefCell;
use std::ops::Range;

use self::panel::Panel;
use super::{Matrix, check};
use crate::Level;

/// Number of rows of a tile, and of a panel of the first operand.
const ROWS: usize = 12;
/// Number of columns of a tile, and of a panel of the second operand.
const COLUMNS: usize = 32;
/// Number of values of the inner dimension that are packed together.
const BLOCK_DEPTH: usize = 512;
/// Number of rows of the first operand that are packed together, in 192 KiB: a part of the L2 cache.
const BLOCK_ROWS: usize = 16 * ROWS;
/// Number of columns of the second operand that are packed together, in 2 MiB. One panel at a time is used, so they need
/// not fit in the L2 cache. Fewer columns were not faster.
const BLOCK_COLUMNS: usize = 64 * COLUMNS;

/// The functions of one instruction set that multiply matrices in bfloat16.
#[derive(Debug)]
pub struct Bf16Kernels {
    name: &'static str,
    /// Packs a panel, in vectors of `ROWS` or `COLUMNS` pairs.
    pack: fn(&Panel<'_>, &mut [u32]),
    /// Multiplies a packed panel of rows with a packed panel of columns.
    tile: fn(&[u32], &[u32], Tile<'_>),
}

/// A part of the product: at most `ROWS` rows and `COLUMNS` columns.
#[derive(Debug)]
struct Tile<'a> {
    /// The output, from the tile's first value on.
    out: &'a mut [f32],
    /// Number of values from one row to the next.
    stride: usize,
    rows: usize,
    columns: usize,
    /// Whether the values of the product are added to those in `out`.
    adds: bool,
}

/// The buffers for packed blocks, up to 2.2 MiB per thread, which later products reuse.
#[derive(Debug, Default)]
struct Packed {
    rows: Vec<u32>,
    columns: Vec<u32>,
}

thread_local! {
    static PACKED: RefCell<Packed> = RefCell::default();
}

impl Bf16Kernels {
    /// Returns the functions for the running CPU. Returns `None` if the CPU has no instructions for bfloat16 that this
    /// module uses, or if `PASSAGEKIT_CPU` forces a [`Level`] without them, because products of `f32` are faster than
    /// those of the scalar functions.
    ///
    /// # Panics
    ///
    /// If `PASSAGEKIT_CPU` is not the name of a level that the running CPU supports.
    #[must_use]
    pub fn detect() -> Option<&'static Self> {
        match Level::chosen() {
            Ok(Level::Avx512) => Self::native(),
            Ok(_) => None,
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns the functions of all instruction sets that the running CPU supports, for tests. The last is `scalar`, which
    /// every CPU supports. `PASSAGEKIT_CPU` has no effect on this list.
    #[must_use]
    pub fn available() -> Vec<&'static Self> {
        Self::native().into_iter().chain([&scalar::KERNELS]).collect()
    }

    #[cfg(target_arch = "x86_64")]
    fn native() -> Option<&'static Self> {
        // The feature `avx512bf16` implies `avx512bw` in Rust.
        let has_instructions = std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512bf16");
        has_instructions.then_some(&x86_64::KERNELS)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn native() -> Option<&'static Self> {
        None
    }

    /// Returns the name of the instruction set.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Multiplies two matrices, as [`multiply`](super::multiply) does, with operands rounded to bfloat16.
    ///
    /// Each value of the product is a sum in `f32` of the exact products of rounded values. Instruction sets may replace
    /// subnormal numbers, whose magnitude is below 2⁻¹²⁶, by zero. With one instruction set, the result has the same bits
    /// in every call.
    ///
    /// # Panics
    ///
    /// If the inner sizes differ, or if `out` is too short.
    pub fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], stride: usize, adds: bool) {
        assert!(a.columns == b.rows, "product: expected {} rows, got {}", a.columns, b.rows);
        check(out.len(), a.rows, b.columns, stride);
        let (depth, by_columns) = (a.columns, b.transposed());
        if depth == 0 && b.columns > 0 && !adds {
            (0..a.rows).for_each(|row| out[row * stride..][..b.columns].fill(0.0));
        }
        PACKED.with_borrow_mut(|packed| {
            for inner in blocks(depth, BLOCK_DEPTH) {
                let adds = adds || inner.start > 0;
                for columns in blocks(b.columns, BLOCK_COLUMNS) {
                    self.pack_block(by_columns, &columns, &inner, COLUMNS, &mut packed.columns);
                    for rows in blocks(a.rows, BLOCK_ROWS) {
                        self.pack_block(a, &rows, &inner, ROWS, &mut packed.rows);
                        let out = &mut out[rows.start * stride + columns.start..];
                        let [rows, columns] = [rows.len(), columns.len()];
                        self.multiply_block(packed, inner.len(), Tile { out, stride, rows, columns, adds });
                    }
                }
            }
        });
    }

    /// Packs the values of some rows, in panels of `width` rows.
    fn pack_block(
        &self,
        matrix: Matrix<'_>,
        rows: &Range<usize>,
        inner: &Range<usize>,
        width: usize,
        packed: &mut Vec<u32>,
    ) {
        let size = inner.len().div_ceil(2) * width;
        let needed = rows.len().div_ceil(width) * size;
        if packed.len() < needed {
            packed.resize(needed, 0);
        }
        let first = rows.start;
        for (rows, packed) in blocks(rows.len(), width).zip(packed.chunks_exact_mut(size)) {
            let panel =
                Panel { matrix, first: first + rows.start, rows: rows.len(), inner: inner.clone(), width };
            (self.pack)(&panel, packed);
        }
    }

    /// Multiplies packed blocks; `block` is a tile of any size.
    fn multiply_block(&self, packed: &Packed, depth: usize, block: Tile<'_>) {
        let pair_count = depth.div_ceil(2);
        for (columns, b) in
            blocks(block.columns, COLUMNS).zip(packed.columns.chunks_exact(pair_count * COLUMNS))
        {
            for (rows, a) in blocks(block.rows, ROWS).zip(packed.rows.chunks_exact(pair_count * ROWS)) {
                let out = &mut block.out[rows.start * block.stride + columns.start..];
                let (rows, columns) = (rows.len(), columns.len());
                (self.tile)(a, b, Tile { out, stride: block.stride, rows, columns, adds: block.adds });
            }
        }
    }
}

/// Cuts 0..`end` into ranges of a length. The last one may be shorter.
fn blocks(end: usize, length: usize) -> impl Iterator<Item = Range<usize>> {
    (0..end).step_by(length).map(move |start| start..end.min(start + length))
}
