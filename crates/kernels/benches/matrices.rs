//! Times products of matrices in `f32` and in bfloat16, with the shapes of the linear layers of a model of 384 dimensions
//! in training. The throughput counts floating-point operations, two per multiply-add, so Gitem/s are GFLOP/s.
//!
//! Run `cargo bench -p kernels --bench matrices`; append `-- forward` to run only that benchmark.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use kernels::matrix::{Bf16Kernels, Matrix, multiply};
use numerics::SplitMix64;

/// Rows, inputs and outputs.
const SHAPES: [[usize; 3]; 4] = [[640, 384, 384], [640, 384, 1536], [640, 1536, 384], [40, 384, 384]];

fn main() {
    divan::main();
}

fn cases() -> impl Iterator<Item = (&'static str, [usize; 3])> {
    let sets = Bf16Kernels::detect().map(Bf16Kernels::name).into_iter().chain(["f32"]);
    SHAPES.into_iter().flat_map(move |shape| sets.clone().map(move |set| (set, shape)))
}

/// Outputs of a layer.
#[divan::bench(args = cases())]
fn forward(bencher: Bencher<'_, '_>, &(set, [rows, inputs, outputs]): &(&str, [usize; 3])) {
    let (a, b) = (numbers(rows * inputs, 1), numbers(inputs * outputs, 2));
    bench(bencher, set, Matrix::new(&a, rows, inputs), Matrix::new(&b, inputs, outputs));
}

/// Gradients of the weights.
#[divan::bench(args = cases())]
fn weights(bencher: Bencher<'_, '_>, &(set, [rows, inputs, outputs]): &(&str, [usize; 3])) {
    let (a, b) = (numbers(rows * inputs, 1), numbers(rows * outputs, 2));
    bench(bencher, set, Matrix::new(&a, rows, inputs).transposed(), Matrix::new(&b, rows, outputs));
}

/// Gradients of the inputs.
#[divan::bench(args = cases())]
fn inputs(bencher: Bencher<'_, '_>, &(set, [rows, inputs, outputs]): &(&str, [usize; 3])) {
    let (a, b) = (numbers(rows * outputs, 1), numbers(inputs * outputs, 2));
    bench(bencher, set, Matrix::new(&a, rows, outputs), Matrix::new(&b, inputs, outputs).transposed());
}

fn bench(bencher: Bencher<'_, '_>, set: &str, a: Matrix<'_>, b: Matrix<'_>) {
    let mut out = vec![0.0; a.rows() * b.columns()];
    let bencher = bencher.counter(ItemsCount::new(2 * a.rows() * a.columns() * b.columns()));
    match Bf16Kernels::available().into_iter().find(|kernels| kernels.name() == set) {
        Some(kernels) => {
            bencher.bench_local(|| kernels.multiply(black_box(a), b, &mut out, b.columns(), true));
        }
        None => bencher.bench_local(|| multiply(black_box(a), b, &mut out, b.columns(), true)),
    }
}

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = SplitMix64::new(seed);
    (0..count).map(|_| random.roughly_normal()).collect()
}
