//! Times inner products of `f32` queries with rows of 32-bit or 16-bit floats, by instruction set and dimension. The
//! throughput counts floating-point operations, two per multiply-add, so Gitem/s are GFLOP/s. The benchmark `limits`
//! measures how many operations per second the machine can do.
//!
//! Run `cargo bench -p kernels --bench products`; append `-- one_query` to run only that benchmark.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use kernels::half::{HalfFormat, HalfKernels};
use kernels::{Batch, Kernels, Score};

const DIMS: [usize; 4] = [128, 384, 768, 1024];
/// Number of rows. With 1,024 dimensions, the rows take 256 KiB, which fits in the L2 cache.
const ROWS: usize = 64;
/// Number of queries in a batch.
const QUERIES: usize = 64;

fn main() {
    divan::main();
}

/// One query with consecutive rows.
#[divan::bench(args = cases(Kernels::available().into_iter().map(Kernels::name)))]
fn one_query(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = float_kernels(set);
    let (query, rows, mut scores) = (numbers(dim, 1), numbers(ROWS * dim, 2), [0.0; ROWS]);
    let score = || kernels.score_rows(black_box(&query), &rows, &mut scores);
    bencher.counter(ItemsCount::new(ROWS * dim * 2)).bench_local(score);
}

/// A batch of queries with consecutive rows; all scores are written.
#[divan::bench(args = cases(Kernels::available().into_iter().map(Kernels::name)))]
fn block(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = float_kernels(set);
    let (queries, rows) = (numbers(QUERIES * dim, 1), numbers(ROWS * dim, 2));
    let mut scores = vec![0.0; QUERIES * ROWS];
    let score = || kernels.score_block(dim, black_box(&queries), &rows, &mut scores);
    bencher.counter(ItemsCount::new(QUERIES * ROWS * dim * 2)).bench_local(score);
}

/// A batch of queries. For each query, a row is reported only if it scores higher than all rows before it, in this and
/// all earlier iterations.
#[divan::bench(args = cases(Kernels::available().into_iter().map(Kernels::name)))]
fn batch(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let mut batch = Batch::new(float_kernels(set), Score::Dot, dim, &numbers(QUERIES * dim, 1));
    let numbers = numbers(batch.rows_at_once() * dim, 2);
    let rows: Vec<&[f32]> = numbers.chunks(dim).collect();
    let mut report_count = 0;
    bencher.counter(ItemsCount::new(QUERIES * rows.len() * dim * 2)).bench_local(|| {
        batch.score(black_box(&rows), &[], |_, _, score| {
            report_count += 1;
            // The query's new threshold.
            score.next_up()
        });
        report_count
    });
}

/// One query with consecutive rows of 16-bit floats.
#[divan::bench(args = cases(HalfKernels::available().into_iter().map(HalfKernels::name)), consts = [false, true])]
fn halves<const BF16: bool>(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = HalfKernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed");
    let format = if BF16 { HalfFormat::Bf16 } else { HalfFormat::F16 };
    let (query, mut rows, mut scores) = (numbers(dim, 1), vec![0; ROWS * dim], [0.0; ROWS]);
    kernels.narrow(format, &numbers(ROWS * dim, 2), &mut rows);
    let score = || kernels.score_rows(format, black_box(&query), &rows, &mut scores);
    bencher.counter(ItemsCount::new(ROWS * dim * 2)).bench_local(score);
}

/// Returns the kernels of the instruction set with this name.
fn float_kernels(set: &str) -> &'static Kernels {
    Kernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed")
}

/// Combines every instruction set with every dimension.
fn cases(sets: impl Iterator<Item = &'static str>) -> impl Iterator<Item = (&'static str, usize)> {
    sets.flat_map(|set| DIMS.map(|dim| (set, dim)))
}

/// Returns pseudorandom numbers in [−1, 1).
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    let next = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    std::iter::repeat_with(next).take(count).collect()
}
