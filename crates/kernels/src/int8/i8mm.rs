//! Inner products of many queries and many rows with the matrix instructions for bytes (`i8mm`) of 64-bit ARM.
//!
//! One instruction, `usmmla`, multiplies two rows with two queries, eight bytes of each at a time, and adds the four
//! inner products to the four lanes of an accumulator. That is 32 multiplications of bytes, twice as many as `sdot`
//! does.
//!
//! ```text
//! rows         │ row 0: b0 … b7     │ row 1: b0 … b7     │          unsigned bytes
//!    ×
//! queries      │ query 0: q0 … q7   │ query 1: q0 … q7   │          signed bytes
//!
//! accumulator  │ row 0 · query 0 │ row 0 · query 1 │ row 1 · query 0 │ row 1 · query 1 │
//! ```
//!
//! Sixteen bytes of each of two vectors make two such operands: `zip1` combines the first eight bytes of both vectors,
//! `zip2` the last eight. If fewer than eight queries or eight rows are left, `tile.rs` multiplies them with `sdot`.

use std::arch::aarch64::{
    int8x16_t, int32x4_t, uint8x16_t, vdupq_n_s32, vld1q_s8, vld1q_u8, vreinterpretq_s8_s64,
    vreinterpretq_s64_s8, vreinterpretq_u8_u64, vreinterpretq_u64_u8, vst1q_s32, vzip1q_s64, vzip1q_u64,
    vzip2q_s64, vzip2q_u64,
};
use std::arch::asm;

use super::aarch64::dotprod;
use super::{InstructionSet, Int8Kernels, Int8Queries, Int8Rows};

pub(super) static KERNELS: Int8Kernels = Int8Kernels {
    name: InstructionSet::NeonI8mm.name(),
    instruction_set: InstructionSet::NeonI8mm,
    products,
    ..dotprod::KERNELS
};

/// The number of queries, and of rows, of a tile. A tile needs 16 accumulators, 8 registers of queries and 2 of rows:
/// 26 of 32 registers.
const TILE: usize = 8;
const PAIRS: usize = TILE / 2;
/// The number of bytes of a register.
const WIDTH: usize = 16;

/// Multiplies all queries with all rows; see [`Int8Kernels::products`].
#[target_feature(enable = "neon,dotprod,i8mm")]
fn products(queries: &Int8Queries, rows: Int8Rows<'_>, ords: &[u32], out: &mut [i32]) {
    let (count, n) = (queries.len(), rows.len());
    if count < TILE || n < TILE {
        return dotprod::products(queries, rows, ords, out);
    }
    let (whole_queries, whole_rows) = (count / TILE * TILE, n / TILE * TILE);
    for at in (0..whole_rows).step_by(TILE) {
        let group: [&[u8]; TILE] = std::array::from_fn(|row| rows.row(at + row));
        for first in (0..whole_queries).step_by(TILE) {
            tile(queries, first, group, n, at, out);
        }
        if whole_queries < count {
            let [a, b, c, d, e, f, g, h] = group;
            dotprod::row_group(queries, whole_queries, [a, b, c, d], n, at, out);
            dotprod::row_group(queries, whole_queries, [e, f, g, h], n, at + 4, out);
        }
    }
    for at in whole_rows..n {
        dotprod::row_group(queries, 0, [rows.row(at)], n, at, out);
    }
}

/// Writes the products of the queries `first..first + 8` and the rows `at..at + 8` of `n` rows to `out`.
#[target_feature(enable = "neon,dotprod,i8mm")]
#[inline]
fn tile(queries: &Int8Queries, first: usize, rows: [&[u8]; TILE], n: usize, at: usize, out: &mut [i32]) {
    let chunks = queries.dim() / WIDTH;
    let query_values: [&[i8]; TILE] = std::array::from_fn(|query| queries.query(first + query));
    let query_chunks = query_values.map(|query| &query.as_chunks::<WIDTH>().0[..chunks]);
    let row_chunks = rows.map(|row| &row.as_chunks::<WIDTH>().0[..chunks]);
    let mut sums = [[vdupq_n_s32(0); PAIRS]; PAIRS];
    for chunk in 0..chunks {
        add_chunk(query_chunks.map(|query| &query[chunk]), row_chunks.map(|row| &row[chunk]), &mut sums);
    }
    let start = chunks * WIDTH;
    if start < queries.dim() {
        let (mut query_tails, mut row_tails) = ([[0; WIDTH]; TILE], [[0; WIDTH]; TILE]);
        for vector in 0..TILE {
            let (query, row) = (&query_values[vector][start..], &rows[vector][start..]);
            query_tails[vector][..query.len()].copy_from_slice(query);
            row_tails[vector][..row.len()].copy_from_slice(row);
        }
        add_chunk(query_tails.each_ref(), row_tails.each_ref(), &mut sums);
    }
    for (row_pair, sums) in sums.iter().enumerate() {
        for (query_pair, &sums) in sums.iter().enumerate() {
            let mut lanes = [0; 4];
            // SAFETY: `lanes` is four writable integers; the store needs no more alignment than they have.
            unsafe { vst1q_s32(lanes.as_mut_ptr(), sums) };
            for (lane, product) in lanes.into_iter().enumerate() {
                let (row, query) = (at + 2 * row_pair + lane / 2, first + 2 * query_pair + lane % 2);
                // The rows were multiplied as bytes b, which stand for the codes b − 128. `excess` is 128 Σ q.
                out[query * n + row] = product - queries.excess(query);
            }
        }
    }
}

/// Adds the products of a chunk of each query and row.
#[target_feature(enable = "neon,dotprod,i8mm")]
#[inline]
fn add_chunk(
    queries: [&[i8; WIDTH]; TILE],
    rows: [&[u8; WIDTH]; TILE],
    sums: &mut [[int32x4_t; PAIRS]; PAIRS],
) {
    let mut query_halves = [[load_query(queries[0]); 2]; PAIRS];
    for (pair, halves) in query_halves.iter_mut().enumerate() {
        let [a, b] = [load_query(queries[2 * pair]), load_query(queries[2 * pair + 1])];
        let (a, b) = (vreinterpretq_s64_s8(a), vreinterpretq_s64_s8(b));
        *halves = [vreinterpretq_s8_s64(vzip1q_s64(a, b)), vreinterpretq_s8_s64(vzip2q_s64(a, b))];
    }
    for (pair, sums) in sums.iter_mut().enumerate() {
        let [a, b] = [load_row(rows[2 * pair]), load_row(rows[2 * pair + 1])];
        let (a, b) = (vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b));
        let (low, high) = (vreinterpretq_u8_u64(vzip1q_u64(a, b)), vreinterpretq_u8_u64(vzip2q_u64(a, b)));
        for (sum, halves) in sums.iter_mut().zip(query_halves) {
            *sum = multiply_add(high, halves[1], multiply_add(low, halves[0], *sum));
        }
    }
}

/// Adds the products of two rows and two queries, of eight bytes each, to the lanes.
#[target_feature(enable = "neon,dotprod,i8mm")]
#[inline]
fn multiply_add(rows: uint8x16_t, queries: int8x16_t, sums: int32x4_t) -> int32x4_t {
    let mut sums = sums;
    // SAFETY: the instruction uses only registers, and the function's features include it. Its intrinsic,
    // `vusmmlaq_s32`, is not stable.
    unsafe {
        asm!("usmmla {sums:v}.4s, {rows:v}.16b, {queries:v}.16b", sums = inout(vreg) sums, rows = in(vreg) rows,
            queries = in(vreg) queries, options(pure, nomem, nostack, preserves_flags));
    }
    sums
}

#[target_feature(enable = "neon,dotprod,i8mm")]
#[inline]
fn load_query(chunk: &[i8; WIDTH]) -> int8x16_t {
    // SAFETY: `chunk` is sixteen readable bytes; the load needs no more alignment than they have.
    unsafe { vld1q_s8(chunk.as_ptr()) }
}

#[target_feature(enable = "neon,dotprod,i8mm")]
#[inline]
fn load_row(chunk: &[u8; WIDTH]) -> uint8x16_t {
    // SAFETY: `chunk` is sixteen readable bytes; the load needs no more alignment than they have.
    unsafe { vld1q_u8(chunk.as_ptr()) }
}
