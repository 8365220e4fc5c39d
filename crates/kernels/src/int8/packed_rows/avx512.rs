//! Packed rows with AVX-512 VNNI: one instruction multiplies a step with four bytes of a query and adds the products.

use std::arch::x86_64::{
    __m512i, _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_storeu_si512, _mm512_sub_epi32,
};

use super::{LANES, MIN_QUERIES, Step, pack};
use crate::int8::x86_64::avx512vnni;
use crate::int8::{Int8Kernels, Int8Queries, Int8Rows};

pub(in crate::int8) static KERNELS: Int8Kernels = Int8Kernels { products, ..avx512vnni::KERNELS };

/// Multiplies all queries with all rows; see [`Int8Kernels::products`].
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn products(queries: &Int8Queries, rows: Int8Rows<'_>, ords: &[u32], out: &mut [i32]) {
    if queries.len() < MIN_QUERIES || rows.len() < LANES {
        return avx512vnni::products(queries, rows, ords, out);
    }
    let steps = rows.dim().div_ceil(4);
    let mut packed = vec![Step([[0; 4]; LANES]); 2 * steps];
    let mut at = 0;
    while rows.len() - at >= LANES {
        let (first, second) = packed.split_at_mut(steps);
        pack(rows, at, first);
        if rows.len() - at >= 2 * LANES {
            pack(rows, at + LANES, second);
            // A tile needs 12 × 2 sums, 2 steps and 1 query: 27 of 32 registers.
            row_group([first, second], queries, rows.len(), at, out);
            at += 2 * LANES;
        } else {
            row_group([first], queries, rows.len(), at, out);
            at += LANES;
        }
    }
    for row in at..rows.len() {
        avx512vnni::row_group(queries, 0, [rows.row(row)], rows.len(), row, out);
    }
}

/// Writes the products of all queries and the rows `at..at + R * LANES` of `n` rows to `out`, which has the layout of
/// [`Int8Kernels::products`].
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn row_group<const R: usize>(
    packed: [&mut [Step]; R],
    queries: &Int8Queries,
    n: usize,
    at: usize,
    out: &mut [i32],
) {
    let packed = packed.map(|steps| &*steps);
    let mut q = 0;
    while q < queries.len() {
        q += match queries.len() - q {
            12.. => tile::<12, R>(packed, queries, q, n, at, out),
            4.. => tile::<4, R>(packed, queries, q, n, at, out),
            _ => tile::<1, R>(packed, queries, q, n, at, out),
        };
    }
}

/// Writes the products of the queries `first..first + Q` and the rows `at..at + R * LANES` of `n` rows to `out`.
/// Returns `Q`.
#[allow(
    clippy::needless_range_loop,
    reason = "sums that an iterator borrows are kept in memory, not in registers"
)]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn tile<const Q: usize, const R: usize>(
    packed: [&[Step]; R],
    queries: &Int8Queries,
    first: usize,
    n: usize,
    at: usize,
    out: &mut [i32],
) -> usize {
    let whole_steps = queries.dim() / 4;
    let mut query_steps: [&[[i8; 4]]; Q] = [&[]; Q];
    for q in 0..Q {
        query_steps[q] = &queries.query(first + q).as_chunks().0[..whole_steps];
    }
    let mut row_steps: [&[Step]; R] = [&[]; R];
    for r in 0..R {
        row_steps[r] = &packed[r][..whole_steps];
    }
    let mut sums = [[_mm512_setzero_si512(); R]; Q];
    for step in 0..whole_steps {
        let mut rows = [_mm512_setzero_si512(); R];
        for r in 0..R {
            rows[r] = load(&row_steps[r][step]);
        }
        for q in 0..Q {
            let query = splat(query_steps[q][step]);
            for r in 0..R {
                sums[q][r] = _mm512_dpbusd_epi32(sums[q][r], rows[r], query);
            }
        }
    }
    if !queries.dim().is_multiple_of(4) {
        for q in 0..Q {
            let mut bytes = [0; 4];
            let rest = &queries.query(first + q)[whole_steps * 4..];
            bytes[..rest.len()].copy_from_slice(rest);
            for r in 0..R {
                sums[q][r] = _mm512_dpbusd_epi32(sums[q][r], load(&packed[r][whole_steps]), splat(bytes));
            }
        }
    }
    for q in 0..Q {
        let excess = _mm512_set1_epi32(queries.excess(first + q));
        let (into, _) = out[(first + q) * n + at..].as_chunks_mut::<LANES>();
        for r in 0..R {
            let products = _mm512_sub_epi32(sums[q][r], excess);
            // SAFETY: `into[r]` is sixteen writable integers; the store needs no alignment.
            unsafe { _mm512_storeu_si512(into[r].as_mut_ptr().cast(), products) };
        }
    }
    Q
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn splat(bytes: [i8; 4]) -> __m512i {
    _mm512_set1_epi32(i32::from_le_bytes(bytes.map(i8::cast_unsigned)))
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn load(step: &Step) -> __m512i {
    // SAFETY: a step is 64 readable bytes, and aligned to 64.
    unsafe { _mm512_load_si512(std::ptr::from_ref(step).cast()) }
}
