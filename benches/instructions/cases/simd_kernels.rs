//! The SIMD kernels of `crates/kernels`: inner products by data type, sums of the query values that a row's sign bits
//! select, softmax sums over logits, and the scan over BM25 impacts. All data fits in the L2 cache.

use gungraun::{library_benchmark, library_benchmark_group};
use kernels::half::{HalfFormat, HalfKernels};
use kernels::impacts::{
    DenseBounds, DenseTerm, FoundPassages, GROUP, ImpactKernels, MIN_CODES_PER_CLASS, PADDING, ScanOptions,
};
use kernels::int4::{BLOCK_BYTES, BLOCK_DIM, Int4Kernels, Int4Query};
use kernels::int8::{Int8Kernels, Int8Queries, Int8Rows};
use kernels::logits::{LogitKernels, SoftmaxSum};
use kernels::signs::{SignKernels, SignQuery};
use kernels::{Batch, ByteRows, Kernels, Score};

use crate::data::{bytes, never_dropped, numbers};

const ROWS: usize = 64;
const DIM: usize = 384;
/// Number of bytes of a row of 4-bit codes.
const INT4_ROW_BYTES: usize = DIM / BLOCK_DIM * BLOCK_BYTES;

/// 32-bit rows, a query, and room for the scores of the rows.
pub struct Floats {
    query: Vec<f32>,
    rows: Vec<f32>,
    scores: [f32; ROWS],
}

fn floats(dim: usize) -> &'static mut Floats {
    // Detects the CPU's instruction set now, so that detection is not counted.
    let _ = Kernels::detect();
    never_dropped(Floats { query: numbers(dim, 1), rows: numbers(ROWS * dim, 2), scores: [0.0; ROWS] })
}

#[library_benchmark]
#[bench::dim_384(floats(384))]
#[bench::dim_768(floats(768))]
fn one_query(case: &mut Floats) {
    Kernels::detect().score_rows(&case.query, &case.rows, &mut case.scores);
}

/// A batch of queries, and as many rows as one call accepts.
pub struct FloatBatch {
    batch: Batch,
    rows: Vec<f32>,
}

fn batch_of_32(dim: usize) -> &'static mut FloatBatch {
    let batch = Batch::new(Kernels::detect(), Score::Dot, dim, &numbers(32 * dim, 1));
    let rows = numbers(batch.rows_at_once() * dim, 2);
    never_dropped(FloatBatch { batch, rows })
}

// Scores 32 queries against as many rows as one call accepts. For each query, only the rows that score higher than all
// rows before them are reported. Returns the sum of the reported scores, so that the compiler keeps the work.
#[library_benchmark]
#[bench::dim_384(batch_of_32(384))]
#[bench::dim_768(batch_of_32(768))]
fn batch(case: &mut FloatBatch) -> f32 {
    let rows: Vec<&[f32]> = case.rows.chunks(case.rows.len() / case.batch.rows_at_once()).collect();
    let mut sum = 0.0;
    case.batch.score(&rows, &[], |_, _, score| {
        sum += score;
        // The query's new threshold.
        score.next_up()
    });
    sum
}

/// 16-bit (half-precision) rows, a query, and room for the scores of the rows.
pub struct HalfPrecision {
    query: Vec<f32>,
    rows: Vec<u16>,
    scores: [f32; ROWS],
}

fn half_rows(format: HalfFormat) -> (HalfFormat, &'static mut HalfPrecision) {
    let mut rows = vec![0; ROWS * DIM];
    HalfKernels::detect().narrow(format, &numbers(ROWS * DIM, 2), &mut rows);
    (format, never_dropped(HalfPrecision { query: numbers(DIM, 1), rows, scores: [0.0; ROWS] }))
}

#[library_benchmark]
#[bench::f16(half_rows(HalfFormat::F16))]
#[bench::bf16(half_rows(HalfFormat::Bf16))]
fn halves((format, case): (HalfFormat, &mut HalfPrecision)) {
    HalfKernels::detect().score_rows(format, &case.query, &case.rows, &mut case.scores);
}

/// 8-bit rows, queries, and room for the products of each query and row.
pub struct Bytes {
    queries: Int8Queries,
    rows: Vec<u8>,
    products: Vec<i32>,
}

fn byte_rows(queries: usize) -> &'static mut Bytes {
    let _ = Int8Kernels::detect();
    let values = bytes(queries * DIM, 1).into_iter().map(u8::cast_signed).collect();
    let (queries, products) = (Int8Queries::new(DIM, values), vec![0; queries * ROWS]);
    never_dropped(Bytes { queries, rows: bytes(ROWS * DIM, 2), products })
}

#[library_benchmark]
#[bench::one_query(byte_rows(1))]
#[bench::batch_of_32(byte_rows(32))]
fn int8(case: &mut Bytes) {
    Int8Kernels::detect().products(&case.queries, Int8Rows::new(&case.rows, DIM, DIM), &mut case.products);
}

/// Rows of 4-bit codes, a query, the rows to compare with it, and room for the products.
pub struct Int4Codes {
    query: Int4Query,
    rows: Vec<u8>,
    ords: Vec<u32>,
    products: [i32; ROWS],
}

fn int4_rows() -> &'static mut Int4Codes {
    let _ = Int4Kernels::detect();
    let values: Vec<i8> = bytes(DIM, 1).into_iter().map(u8::cast_signed).collect();
    let (query, rows) = (Int4Query::new(&values), bytes(ROWS * INT4_ROW_BYTES, 2));
    never_dropped(Int4Codes { query, rows, ords: (0..ROWS as u32).rev().collect(), products: [0; ROWS] })
}

#[library_benchmark]
#[bench::dim_384(int4_rows())]
fn int4(case: &mut Int4Codes) {
    let rows = ByteRows::new(&case.rows, INT4_ROW_BYTES);
    Int4Kernels::detect().products_of(&case.query, rows, &case.ords, &mut case.products);
}

/// Rows of sign bits, a query, the rows to compare with it, and room for the sums.
pub struct Signs {
    query: SignQuery,
    rows: Vec<u8>,
    ords: Vec<u32>,
    sums: [i32; ROWS],
}

fn sign_rows() -> &'static mut Signs {
    let _ = SignKernels::detect();
    let values: Vec<i8> = bytes(DIM, 1).into_iter().map(u8::cast_signed).collect();
    let (query, rows) = (SignQuery::new(&values), bytes(ROWS * DIM / 8, 2));
    never_dropped(Signs { query, rows, ords: (0..ROWS as u32).rev().collect(), sums: [0; ROWS] })
}

#[library_benchmark]
#[bench::dim_384(sign_rows())]
fn signs(case: &mut Signs) {
    let rows = ByteRows::new(&case.rows, DIM / 8);
    SignKernels::detect().sums_of(&case.query, rows, &case.ords, &mut case.sums);
}

/// Returns logits, their biases, and a sum of zero.
fn logit_block() -> &'static mut (Vec<f32>, Vec<f32>, SoftmaxSum) {
    let _ = LogitKernels::detect();
    never_dropped((numbers(8192, 1), numbers(8192, 2), SoftmaxSum::new()))
}

#[library_benchmark]
#[bench::of_8192(logit_block())]
fn logits((logits, bias, sum): &mut (Vec<f32>, Vec<f32>, SoftmaxSum)) -> f32 {
    LogitKernels::detect().accumulate(logits, bias, sum)
}

/// The input of the scan. All terms share a bitmap of passages (`words`), impact codes and bounds. `sums` has a bound
/// per passage, to which the scan adds the bounds of the terms. `found` is the output.
pub struct Impacts {
    words: Vec<[u8; 8]>,
    codes: Vec<u8>,
    bounds: DenseBounds,
    sums: Vec<u16>,
    found: FoundPassages<GROUP>,
}

const THRESHOLD: u16 = 40_000;
const SHIFT: u32 = 5;
/// What a term adds to the bound of a passage: 3 units of `1 << SHIFT`.
const TERM_BOUND: u16 = 3 << SHIFT;

/// Returns the input for four terms, which all occur in the same third of 8,192 passages. No passage reaches the
/// threshold, but each group of 64 passages includes one that would reach it with all four terms, so no group is
/// skipped.
fn impacts() -> &'static mut Impacts {
    let _ = ImpactKernels::detect();
    never_dropped(Impacts {
        // Every third bit is set, starting with bit 0: 22 bits per word.
        words: vec![0x9249_2492_4924_9249u64.to_le_bytes(); 8192 / GROUP],
        // More codes than the 8192 / 64 · 22 = 2,816 postings of a term; the others are not read.
        codes: (0..4096 + PADDING).map(|at| 1 + (at * 7 % 250) as u8).collect(),
        bounds: DenseBounds { units: [3; 256 / MIN_CODES_PER_CLASS] },
        // Passage 1 of each group, counted from 0, has none of the four terms, so it stays below the threshold.
        sums: (0..8192).map(|at| if at % GROUP == 1 { THRESHOLD - 4 * TERM_BOUND } else { 0 }).collect(),
        found: FoundPassages { sums: [0; GROUP], positions: [0; GROUP] },
    })
}

#[library_benchmark]
#[bench::four_terms(impacts())]
fn scan_of_impacts(case: &mut Impacts) -> usize {
    let Impacts { words, codes, bounds, sums, found } = case;
    let mut terms: Vec<DenseTerm<'_>> = (0..4).map(|_| DenseTerm { words, codes, bounds }).collect();
    let options = ScanOptions { threshold: THRESHOLD, shift: SHIFT, allowed: None };
    ImpactKernels::detect().scan(sums, &mut terms, options, found, GROUP).found
}

library_benchmark_group!(
    name = simd,
    benchmarks = [one_query, batch, halves, int8, int4, signs, logits, scan_of_impacts]
);
