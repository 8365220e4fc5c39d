//! Times inner products of queries of signed bytes with rows of bytes, 4-bit codes or sign bits, by instruction set and
//! dimension. The throughput counts pairs of numbers that are multiplied: Gitem/s are billions of such pairs per
//! second.
//!
//! Run `cargo bench -p kernels --bench codes`; append `-- int4_codes` to run only that benchmark.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use kernels::ByteRows;
use kernels::int4::{BLOCK_BYTES, BLOCK_DIM, Int4Kernels, Int4Query};
use kernels::int8::{Int8Kernels, Int8Queries, Int8Rows};
use kernels::signs::{SignKernels, SignQuery, WORD_DIM};

const DIMS: [usize; 4] = [128, 384, 768, 1024];
/// Number of rows. With 1,024 dimensions, rows of bytes take 256 KiB, which fits in the L2 cache.
const ROWS: usize = 256;
/// Number of queries in a batch.
const QUERIES: usize = 64;

fn main() {
    divan::main();
}

/// One query or a batch of queries, with rows of bytes.
#[divan::bench(args = cases(Int8Kernels::available().into_iter().map(Int8Kernels::name)), consts = [1, QUERIES])]
fn bytes<const N: usize>(bencher: Bencher<'_, '_>, case: &(&str, usize)) {
    multiply_bytes::<N>(bencher, case, signed_bytes(N * case.1));
}

/// One query or a batch of queries that have small groups (`kernels::int8::MAX_GROUP_SUM`), with rows of bytes.
#[divan::bench(args = cases(Int8Kernels::available().into_iter().map(Int8Kernels::name)), consts = [1, QUERIES])]
fn bytes_with_small_groups<const N: usize>(bencher: Bencher<'_, '_>, case: &(&str, usize)) {
    // Four values of at most 32 are a small group.
    multiply_bytes::<N>(bencher, case, signed_bytes(N * case.1).into_iter().map(|value| value / 4).collect());
}

fn multiply_bytes<const N: usize>(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize), values: Vec<i8>) {
    let kernels = Int8Kernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed");
    let (bytes, queries) = (random_bytes(ROWS * dim), Int8Queries::new(dim, values));
    let (rows, mut products) = (Int8Rows::new(&bytes, dim, dim), vec![0; N * ROWS]);
    let multiply = || kernels.products(black_box(&queries), rows, &mut products);
    bencher.counter(ItemsCount::new(N * ROWS * dim)).bench_local(multiply);
}

/// One query with rows of 4-bit codes in random order, as in a graph search.
#[divan::bench(args = cases(Int4Kernels::available().into_iter().map(Int4Kernels::name)))]
fn int4_codes(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = Int4Kernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed");
    let row_bytes = dim.div_ceil(BLOCK_DIM) * BLOCK_BYTES;
    let (bytes, query) = (random_bytes(ROWS * row_bytes), Int4Query::new(&signed_bytes(dim)));
    let (rows, ords, mut products) = (ByteRows::new(&bytes, row_bytes), ords(), [0; ROWS]);
    let multiply = || kernels.products_of(black_box(&query), rows, &ords, &mut products);
    bencher.counter(ItemsCount::new(ROWS * dim)).bench_local(multiply);
}

/// One query with rows of sign bits in random order.
#[divan::bench(args = cases(SignKernels::available().into_iter().map(SignKernels::name)))]
fn signs(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = SignKernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed");
    let row_bytes = dim.next_multiple_of(WORD_DIM) / 8;
    let (bytes, query) = (random_bytes(ROWS * row_bytes), SignQuery::new(&signed_bytes(dim)));
    let (rows, ords, mut sums) = (ByteRows::new(&bytes, row_bytes), ords(), [0; ROWS]);
    let add = || kernels.sums_of(black_box(&query), rows, &ords, &mut sums);
    bencher.counter(ItemsCount::new(ROWS * dim)).bench_local(add);
}

/// Combines every instruction set with every dimension.
fn cases(sets: impl Iterator<Item = &'static str>) -> impl Iterator<Item = (&'static str, usize)> {
    sets.flat_map(|set| DIMS.map(|dim| (set, dim)))
}

/// Returns the ords of all rows, in a shuffled order.
fn ords() -> Vec<u32> {
    // 101 is odd and `ROWS` is a power of two, so every row occurs once.
    (0..ROWS as u32).map(|at| at * 101 % ROWS as u32).collect()
}

/// Returns the bytes of [`random_bytes`] as signed numbers.
fn signed_bytes(count: usize) -> Vec<i8> {
    random_bytes(count).into_iter().map(u8::cast_signed).collect()
}

/// Returns pseudorandom bytes, always the same ones.
fn random_bytes(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let next = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}
