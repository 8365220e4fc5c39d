//! Packed rows with AVX2, which multiplies bytes in two instructions: `maddubs` adds two neighboring products in 16
//! bits, and `madd` adds two of these sums in 32 bits. Between the two, sums of 16 bits are added once more, which
//! saves every second `madd`:
//!
//! ```text
//! step 0       │ b0·q0 + b1·q1   b2·q2 + b3·q3 │ …        maddubs
//! step 8       │ b32·q32 + b33·q33       …     │ …        maddubs
//!                └ the sum, a word ┘
//! ```
//!
//! So a word is the sum of a *group* of four products. It fits in 16 bits if neither the positive nor the negative
//! values of the query in the group add up to more than 128 in magnitude ([`MAX_GROUP_SUM`]), because bytes are at most
//! 255. With few queries or rows, products are added in the same way, but rows are not packed
//! (`x86_64::avx2::small_groups`). If a query has larger groups, bytes are widened to words first (`x86_64::avx2`),
//! which takes more than twice the time.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi16, _mm256_add_epi32, _mm256_load_si256, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256, _mm256_storeu_si256, _mm256_sub_epi32,
};

use super::{LANES, MIN_QUERIES, Step, pack};
use crate::int8::value_groups::{BLOCK_LEN, MAX_GROUP_SUM};
use crate::int8::x86_64::avx2;
use crate::int8::{Int8Kernels, Int8Queries, Int8Rows};

pub(in crate::int8) static KERNELS: Int8Kernels = Int8Kernels { products, products_of, ..avx2::KERNELS };

/// Number of steps of a block of values.
const BLOCK_STEPS: usize = BLOCK_LEN / 4;
/// Number of steps of half a block. The sums of the first half are added to those of the second half in 16 bits.
const HALF: usize = BLOCK_STEPS / 2;

/// A word is at most the largest byte times the sum of a group.
const _: () = assert!(255 * MAX_GROUP_SUM <= i16::MAX as i32);

/// Multiplies all queries with all rows; see [`Int8Kernels::products`].
#[target_feature(enable = "avx2")]
fn products(queries: &Int8Queries, rows: Int8Rows<'_>, ords: &[u32], out: &mut [i32]) {
    if !queries.have_small_groups() {
        avx2::products(queries, rows, ords, out);
    } else if queries.len() < MIN_QUERIES || rows.len() < LANES {
        avx2::small_groups::products(queries, rows, ords, out);
    } else {
        packed_products(queries, rows, out);
    }
}

/// Multiplies all queries, which have small groups, with all rows; see [`Int8Kernels::products`].
#[target_feature(enable = "avx2")]
pub(super) fn packed_products(queries: &Int8Queries, rows: Int8Rows<'_>, out: &mut [i32]) {
    let mut packed = vec![Step([[0; 4]; LANES]); rows.dim().div_ceil(4)];
    let mut at = 0;
    while rows.len() - at >= LANES {
        pack(rows, at, &mut packed);
        // A tile needs 2 × 2 sums, 2 × 2 rows, 2 × 2 words, the values of a query and the ones: 14 of 16 registers.
        for q in (0..queries.len() / 2 * 2).step_by(2) {
            tile::<2>(&packed, queries, q, rows.len(), at, out);
        }
        if queries.len() % 2 == 1 {
            tile::<1>(&packed, queries, queries.len() - 1, rows.len(), at, out);
        }
        at += LANES;
    }
    for row in at..rows.len() {
        avx2::small_groups::row_group(queries, 0, [rows.row(row)], rows.len(), row, out);
    }
}

/// Multiplies all queries with the rows `ords`; see [`Int8Kernels::products_of`].
#[target_feature(enable = "avx2")]
fn products_of(queries: &Int8Queries, rows: Int8Rows<'_>, ords: &[u32], out: &mut [i32]) {
    // The searches and the construction of graphs multiply one query with only a few rows, so that checking its groups
    // would take too long.
    if queries.len() > 1 && queries.have_small_groups() {
        return avx2::small_groups::products_of(queries, rows, ords, out);
    }
    avx2::products_of(queries, rows, ords, out);
}

/// Writes the products of the queries `first..first + Q` and the rows `at..at + LANES` of `n` rows to `out`, which has
/// the layout of [`Int8Kernels::products`].
#[allow(
    clippy::needless_range_loop,
    reason = "sums that an iterator borrows are kept in memory, not in registers"
)]
#[target_feature(enable = "avx2")]
#[inline]
fn tile<const Q: usize>(
    packed: &[Step],
    queries: &Int8Queries,
    first: usize,
    n: usize,
    at: usize,
    out: &mut [i32],
) {
    let (blocks, rest) = packed.split_at(queries.dim() / BLOCK_LEN * BLOCK_STEPS);
    let (blocks, _) = blocks.as_chunks::<BLOCK_STEPS>();
    let mut query_blocks: [&[[[i8; 4]; BLOCK_STEPS]]; Q] = [&[]; Q];
    for q in 0..Q {
        query_blocks[q] = &queries.query(first + q).as_chunks().0.as_chunks().0[..blocks.len()];
    }
    let ones = _mm256_set1_epi16(1);
    let mut sums = [[_mm256_setzero_si256(); 2]; Q];
    for block in 0..blocks.len() {
        for step in 0..HALF {
            let (rows, more_rows) = (load(&blocks[block][step]), load(&blocks[block][step + HALF]));
            for q in 0..Q {
                let values = splat(query_blocks[q][block][step]);
                let more_values = splat(query_blocks[q][block][step + HALF]);
                for r in 0..2 {
                    let words = _mm256_maddubs_epi16(rows[r], values);
                    let words = _mm256_add_epi16(words, _mm256_maddubs_epi16(more_rows[r], more_values));
                    sums[q][r] = _mm256_add_epi32(sums[q][r], _mm256_madd_epi16(words, ones));
                }
            }
        }
    }
    for q in 0..Q {
        let rest_of_query = &queries.query(first + q)[blocks.len() * BLOCK_LEN..];
        let values = |step: usize| {
            let mut four = [0; 4];
            let values = rest_of_query[step * 4..].iter();
            four.iter_mut().zip(values).for_each(|(into, &value)| *into = value);
            four
        };
        for step in 0..rest.len().min(HALF) {
            let (rows, first_values) = (load(&rest[step]), splat(values(step)));
            let mut words = [0, 1].map(|r: usize| _mm256_maddubs_epi16(rows[r], first_values));
            if step + HALF < rest.len() {
                let (rows, more_values) = (load(&rest[step + HALF]), splat(values(step + HALF)));
                for r in 0..2 {
                    words[r] = _mm256_add_epi16(words[r], _mm256_maddubs_epi16(rows[r], more_values));
                }
            }
            for r in 0..2 {
                sums[q][r] = _mm256_add_epi32(sums[q][r], _mm256_madd_epi16(words[r], ones));
            }
        }
        let excess = _mm256_set1_epi32(queries.excess(first + q));
        let (into, _) = out[(first + q) * n + at..].as_chunks_mut::<{ LANES / 2 }>();
        for r in 0..2 {
            let products = _mm256_sub_epi32(sums[q][r], excess);
            // SAFETY: `into[r]` is eight writable integers; the store needs no alignment.
            unsafe { _mm256_storeu_si256(into[r].as_mut_ptr().cast(), products) };
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn splat(bytes: [i8; 4]) -> __m256i {
    _mm256_set1_epi32(i32::from_le_bytes(bytes.map(i8::cast_unsigned)))
}

/// Loads the first and the last eight rows of a step.
#[target_feature(enable = "avx2")]
#[inline]
fn load(step: &Step) -> [__m256i; 2] {
    let (halves, _) = step.0.as_chunks::<{ LANES / 2 }>();
    // SAFETY: each half of a step is 32 readable bytes, and aligned to 32.
    [0, 1].map(|half: usize| unsafe { _mm256_load_si256(std::ptr::from_ref(&halves[half]).cast()) })
}
