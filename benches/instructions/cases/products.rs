//! Kernels, on rows that fit the second-level cache.

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

use crate::data::{bytes, kept, numbers};

const ROWS: usize = 64;
const DIM: usize = 384;

pub struct Floats {
    query: Vec<f32>,
    rows: Vec<f32>,
    scores: [f32; ROWS],
}

fn floats(dim: usize) -> &'static mut Floats {
    // Detects the CPU's instruction set, which happens once.
    let _ = Kernels::detect();
    kept(Floats { query: numbers(dim, 1), rows: numbers(ROWS * dim, 2), scores: [0.0; ROWS] })
}

#[library_benchmark]
#[bench::dim_384(floats(384))]
#[bench::dim_768(floats(768))]
fn one_query(case: &mut Floats) {
    Kernels::detect().score_rows(&case.query, &case.rows, &mut case.scores);
}

pub struct Panel {
    batch: Batch,
    rows: Vec<f32>,
}

fn panel(dim: usize) -> &'static mut Panel {
    let batch = Batch::new(Kernels::detect(), Score::Dot, dim, &numbers(32 * dim, 1));
    let rows = numbers(batch.rows_at_once() * dim, 2);
    kept(Panel { batch, rows })
}

// The best row for each of 32 queries, of as many rows as one call scores.
#[library_benchmark]
#[bench::dim_384(panel(384))]
#[bench::dim_768(panel(768))]
fn batch(case: &mut Panel) -> f32 {
    let rows: Vec<&[f32]> = case.rows.chunks(case.rows.len() / case.batch.rows_at_once()).collect();
    let mut sum = 0.0;
    case.batch.score(&rows, &[], |_, _, score| {
        sum += score;
        score.next_up()
    });
    sum
}

pub struct Halves {
    query: Vec<f32>,
    rows: Vec<u16>,
    scores: [f32; ROWS],
}

fn half_rows(format: HalfFormat) -> (HalfFormat, &'static mut Halves) {
    let mut rows = vec![0; ROWS * DIM];
    HalfKernels::detect().narrow(format, &numbers(ROWS * DIM, 2), &mut rows);
    (format, kept(Halves { query: numbers(DIM, 1), rows, scores: [0.0; ROWS] }))
}

#[library_benchmark]
#[bench::f16(half_rows(HalfFormat::F16))]
#[bench::bf16(half_rows(HalfFormat::Bf16))]
fn halves((format, case): (HalfFormat, &mut Halves)) {
    HalfKernels::detect().score_rows(format, &case.query, &case.rows, &mut case.scores);
}

pub struct Bytes {
    queries: Int8Queries,
    rows: Vec<u8>,
    products: Vec<i32>,
}

fn byte_rows(queries: usize) -> &'static mut Bytes {
    let _ = Int8Kernels::detect();
    let values = bytes(queries * DIM, 1).into_iter().map(u8::cast_signed).collect();
    let (queries, products) = (Int8Queries::new(DIM, values), vec![0; queries * ROWS]);
    kept(Bytes { queries, rows: bytes(ROWS * DIM, 2), products })
}

#[library_benchmark]
#[bench::one_query(byte_rows(1))]
#[bench::panel_of_32(byte_rows(32))]
fn int8(case: &mut Bytes) {
    Int8Kernels::detect().products(&case.queries, Int8Rows::new(&case.rows, DIM, DIM), &mut case.products);
}

pub struct HalfBytes {
    query: Int4Query,
    rows: Vec<u8>,
    ords: Vec<u32>,
    products: [i32; ROWS],
}

fn int4_rows() -> &'static mut HalfBytes {
    let _ = Int4Kernels::detect();
    let values: Vec<i8> = bytes(DIM, 1).into_iter().map(u8::cast_signed).collect();
    let (query, rows) = (Int4Query::new(&values), bytes(ROWS * (DIM / BLOCK_DIM * BLOCK_BYTES), 2));
    kept(HalfBytes { query, rows, ords: (0..ROWS as u32).rev().collect(), products: [0; ROWS] })
}

#[library_benchmark]
#[bench::dim_384(int4_rows())]
fn int4(case: &mut HalfBytes) {
    let rows = ByteRows::new(&case.rows, DIM / BLOCK_DIM * BLOCK_BYTES);
    Int4Kernels::detect().products_of(&case.query, rows, &case.ords, &mut case.products);
}

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
    kept(Signs { query, rows, ords: (0..ROWS as u32).rev().collect(), sums: [0; ROWS] })
}

#[library_benchmark]
#[bench::dim_384(sign_rows())]
fn signs(case: &mut Signs) {
    let rows = ByteRows::new(&case.rows, DIM / 8);
    SignKernels::detect().sums_of(&case.query, rows, &case.ords, &mut case.sums);
}

fn logit_block() -> &'static mut (Vec<f32>, Vec<f32>, SoftmaxSum) {
    let _ = LogitKernels::detect();
    kept((numbers(8192, 1), numbers(8192, 2), SoftmaxSum::new()))
}

#[library_benchmark]
#[bench::of_8192(logit_block())]
fn logits((logits, bias, sum): &mut (Vec<f32>, Vec<f32>, SoftmaxSum)) -> f32 {
    LogitKernels::detect().accumulate(logits, bias, sum)
}

pub struct Impacts {
    words: Vec<[u8; 8]>,
    codes: Vec<u8>,
    bounds: DenseBounds,
    sums: Vec<u16>,
    found: FoundPassages<GROUP>,
}

/// Every third of 8,192 passages has each term. No passage reaches the bound, but in each group of 64 one has a sum that
/// could, so that no group is skipped.
fn impacts() -> &'static mut Impacts {
    let _ = ImpactKernels::detect();
    kept(Impacts {
        words: vec![0x9249_2492_4924_9249u64.to_le_bytes(); 8192 / GROUP],
        codes: (0..4096 + PADDING).map(|at| 1 + (at * 7 % 250) as u8).collect(),
        bounds: DenseBounds { steps: [3; 256 / MIN_CODES_PER_CLASS] },
        sums: (0..8192).map(|at| if at % GROUP == 1 { 40_000 - 4 * 96 } else { 0 }).collect(),
        found: FoundPassages { sums: [0; GROUP], positions: [0; GROUP] },
    })
}

#[library_benchmark]
#[bench::four_terms(impacts())]
fn scan_of_impacts(case: &mut Impacts) -> usize {
    let Impacts { words, codes, bounds, sums, found } = case;
    let mut terms: Vec<DenseTerm<'_>> = (0..4).map(|_| DenseTerm { words, codes, bounds }).collect();
    let options = ScanOptions { bound: 40_000, shift: 5, allowed: None };
    ImpactKernels::detect().scan(sums, &mut terms, options, found, GROUP).found
}

library_benchmark_group!(
    name = inner_products,
    benchmarks = [one_query, batch, halves, int8, int4, signs, logits, scan_of_impacts]
);
