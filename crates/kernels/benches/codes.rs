//! Inner products of bytes, 4-bit codes and sign bits, by instruction set and dimension. An item is one multiplication.
//!
//! `cargo bench -p kernels --bench codes`; `-- half_bytes` runs one benchmark.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use kernels::ByteRows;
use kernels::int4::{BLOCK_BYTES, BLOCK_DIM, Int4Kernels, Int4Query};
use kernels::int8::{Int8Kernels, Int8Queries, Int8Rows};
use kernels::signs::{SignKernels, SignQuery, WORD_DIM};

const DIMS: [usize; 4] = [128, 384, 768, 1024];
const ROWS: usize = 256;
/// Number of queries that a block of rows is multiplied with at once.
const QUERIES: usize = 64;

fn main() {
    divan::main();
}

/// One query, or many at once, and rows of bytes.
#[divan::bench(args = cases(Int8Kernels::available().into_iter().map(Int8Kernels::name)), consts = [1, QUERIES])]
fn bytes<const N: usize>(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = Int8Kernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed");
    let (bytes, queries) = (bytes_of(ROWS * dim), Int8Queries::new(dim, signed(N * dim)));
    let (rows, mut products) = (Int8Rows::new(&bytes, dim, dim), vec![0; N * ROWS]);
    let multiply = || kernels.products(black_box(&queries), rows, &mut products);
    bencher.counter(ItemsCount::new(N * ROWS * dim)).bench_local(multiply);
}

/// One query and chosen rows of 4-bit codes, as in a graph search.
#[divan::bench(args = cases(Int4Kernels::available().into_iter().map(Int4Kernels::name)))]
fn half_bytes(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = Int4Kernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed");
    let row_bytes = dim.div_ceil(BLOCK_DIM) * BLOCK_BYTES;
    let (bytes, query) = (bytes_of(ROWS * row_bytes), Int4Query::new(&signed(dim)));
    let (rows, ords, mut products) = (ByteRows::new(&bytes, row_bytes), ords(), [0; ROWS]);
    let multiply = || kernels.products_of(black_box(&query), rows, &ords, &mut products);
    bencher.counter(ItemsCount::new(ROWS * dim)).bench_local(multiply);
}

/// One query and chosen rows of sign bits.
#[divan::bench(args = cases(SignKernels::available().into_iter().map(SignKernels::name)))]
fn signs(bencher: Bencher<'_, '_>, &(set, dim): &(&str, usize)) {
    let kernels = SignKernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed");
    let row_bytes = dim.next_multiple_of(WORD_DIM) / 8;
    let (bytes, query) = (bytes_of(ROWS * row_bytes), SignQuery::new(&signed(dim)));
    let (rows, ords, mut sums) = (ByteRows::new(&bytes, row_bytes), ords(), [0; ROWS]);
    let add = || kernels.sums_of(black_box(&query), rows, &ords, &mut sums);
    bencher.counter(ItemsCount::new(ROWS * dim)).bench_local(add);
}

fn cases(sets: impl Iterator<Item = &'static str>) -> impl Iterator<Item = (&'static str, usize)> {
    sets.flat_map(|set| DIMS.map(|dim| (set, dim)))
}

/// All rows, in a shuffled order.
fn ords() -> Vec<u32> {
    (0..ROWS as u32).map(|at| at * 101 % ROWS as u32).collect()
}

fn signed(count: usize) -> Vec<i8> {
    bytes_of(count).into_iter().map(u8::cast_signed).collect()
}

fn bytes_of(count: usize) -> Vec<u8> {
    let mut state = 1u64;
    let next = || {
        state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
        (state >> 56) as u8
    };
    std::iter::repeat_with(next).take(count).collect()
}
