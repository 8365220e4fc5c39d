//! Inner products of many queries and many rows with AVX-512 VNNI. Each lane of a register belongs to one of sixteen
//! rows, so no horizontal sums are needed.
//!
//! Sixteen rows at a time are transposed into *steps*. A step is a register of 64 bytes with four consecutive bytes of
//! each row, at the same position in all rows:
//!
//! ```text
//! step 0   │ row 0: b0 b1 b2 b3 │ row 1: b0 b1 b2 b3 │ … │ row 15: b0 b1 b2 b3 │
//! step 1   │ row 0: b4 b5 b6 b7 │ row 1: b4 b5 b6 b7 │ … │ row 15: b4 b5 b6 b7 │
//!   ×
//! query    │ q0 q1 q2 q3, in every lane
//! ```
//!
//! One instruction multiplies a step with four bytes of a query and adds the four products of each row to its lane.
//! With many queries, transposing takes little time compared with the products. If there are few queries, or fewer than
//! sixteen rows are left, `tile.rs` multiplies the rows.

use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32,
    _mm_unpacklo_epi64, _mm512_dpbusd_epi32, _mm512_load_si512, _mm512_set1_epi32, _mm512_setzero_si512,
    _mm512_storeu_si512, _mm512_sub_epi32,
};

use super::x86_64::avx512vnni;
use super::{Int8Kernels, Int8Queries, Int8Rows};

pub(super) static KERNELS: Int8Kernels = Int8Kernels { products, ..avx512vnni::KERNELS };

/// Number of rows in a register.
const LANES: usize = 16;
/// Minimum number of queries for which rows are transposed. It was not determined by a systematic measurement;
/// `benches/codes.rs` measures 1 and 64 queries.
const MIN_QUERIES: usize = 8;

/// Four consecutive bytes of each of sixteen rows, at the same position in all rows.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Step([[u8; 4]; LANES]);

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

/// Transposes the rows `at..at + LANES` into steps. The last step is padded with zeros.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn pack(rows: Int8Rows<'_>, at: usize, steps: &mut [Step]) {
    let dim = rows.dim();
    for quad in (0..LANES).step_by(4) {
        let [a, b, c, d] = [0, 1, 2, 3].map(|row| rows.row(at + quad + row));
        let [chunks_a, chunks_b, chunks_c, chunks_d] = [a, b, c, d].map(|row| row.as_chunks::<16>().0);
        let (fours, _) = steps.as_chunks_mut::<4>();
        let chunks = chunks_a.iter().zip(chunks_b).zip(chunks_c).zip(chunks_d);
        for ((((a, b), c), d), into) in chunks.zip(fours) {
            transpose([a, b, c, d], into, quad);
        }
        for (lane, row) in [a, b, c, d].into_iter().enumerate() {
            for (step, bytes) in steps[dim / 16 * 4..].iter_mut().zip(row[dim / 16 * 16..].chunks(4)) {
                let into = &mut step.0[quad + lane];
                *into = [0; 4];
                into[..bytes.len()].copy_from_slice(bytes);
            }
        }
    }
}

/// Writes sixteen bytes of each of four rows to four steps, at the lanes `lane..lane + 4`.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn transpose(rows: [&[u8; 16]; 4], into: &mut [Step; 4], lane: usize) {
    // SAFETY: each `row` is 16 readable bytes; the load needs no alignment.
    let [a, b, c, d] = rows.map(|row| unsafe { _mm_loadu_si128(row.as_ptr().cast()) });
    let (ab, cd) = (_mm_unpacklo_epi32(a, b), _mm_unpacklo_epi32(c, d));
    let (ab_high, cd_high) = (_mm_unpackhi_epi32(a, b), _mm_unpackhi_epi32(c, d));
    let steps = [
        _mm_unpacklo_epi64(ab, cd),
        _mm_unpackhi_epi64(ab, cd),
        _mm_unpacklo_epi64(ab_high, cd_high),
        _mm_unpackhi_epi64(ab_high, cd_high),
    ];
    for (into, step) in into.iter_mut().zip(steps) {
        let into = &mut into.0[lane..][..4];
        // SAFETY: `into` is 16 writable bytes; the store needs no alignment.
        unsafe { _mm_storeu_si128(into.as_mut_ptr().cast(), step) };
    }
}
