//! Inner products of many queries and many rows on x86-64. Each lane of a register belongs to one of the rows, so no
//! horizontal sums are needed.
//!
//! Sixteen rows at a time are transposed into *steps*. A step is 64 bytes: four consecutive bytes of each row, at the
//! same position in all rows:
//!
//! ```text
//! step 0   │ row 0: b0 b1 b2 b3 │ row 1: b0 b1 b2 b3 │ … │ row 15: b0 b1 b2 b3 │
//! step 1   │ row 0: b4 b5 b6 b7 │ row 1: b4 b5 b6 b7 │ … │ row 15: b4 b5 b6 b7 │
//!   ×
//! query    │ q0 q1 q2 q3, in every lane
//! ```
//!
//! A step is multiplied with four bytes of a query, and the four products of each row are added to its lane. With many
//! queries, transposing takes little time compared with the products. If there are few queries, or fewer than sixteen
//! rows are left, the loop of `tile.rs` multiplies the rows.

use std::arch::x86_64::{
    _mm_loadu_si128, _mm_storeu_si128, _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi32,
    _mm_unpacklo_epi64,
};

use super::Int8Rows;

pub(super) mod avx2;
pub(super) mod avx512;
pub(super) mod avx512bw;

/// Number of rows in a step.
const LANES: usize = 16;
/// Minimum number of queries for which rows are transposed. It was not determined by a systematic measurement;
/// `benches/codes.rs` measures 1 and 64 queries.
const MIN_QUERIES: usize = 8;

/// Four consecutive bytes of each of sixteen rows, at the same position in all rows.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Step([[u8; 4]; LANES]);

/// Transposes the rows `at..at + LANES` into steps. The last step is padded with zeros.
#[target_feature(enable = "sse2")]
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
#[target_feature(enable = "sse2")]
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
