//! Times the operations of a network, by instruction set. The throughput of products counts pairs of numbers that are
//! multiplied: Gitem/s are billions of such pairs per second.
//!
//! Run `cargo bench -p kernels --bench network`; append `-- bytes` to run only that benchmark.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use kernels::network::{ByteWeights, FloatRows, FloatWeights, NetworkKernels, QuantizedRows};

/// Inputs and outputs of the layers of MiniLM.
const SHAPES: [(usize, usize); 3] = [(384, 1152), (384, 1536), (1536, 384)];

fn main() {
    divan::main();
}

/// Products of quantized rows: those of a question, and those of a passage.
#[divan::bench(args = cases(), consts = [15, 128])]
fn bytes<const ROWS: usize>(bencher: Bencher<'_, '_>, &(set, (inputs, outputs)): &(&str, (usize, usize))) {
    let kernels = kernels(set);
    let bytes: Vec<i8> = (0..inputs * outputs).map(|at| (at * 37 % 129) as i8 - 64).collect();
    let weights = ByteWeights::new(inputs, outputs, &bytes, &vec![0.1; outputs], &vec![0.0; outputs]);
    let mut rows = QuantizedRows::new(inputs);
    kernels.quantize(&floats(ROWS * inputs), inputs, &mut rows);
    let mut out = vec![0.0; ROWS * outputs];
    let multiply = || kernels.multiply_bytes(black_box(&rows), &weights, &mut out);
    bencher.counter(ItemsCount::new(ROWS * inputs * outputs)).bench_local(multiply);
}

/// Products of rows of floats.
#[divan::bench(args = cases(), consts = [15, 128])]
fn floats_of_layers<const ROWS: usize>(
    bencher: Bencher<'_, '_>,
    &(set, (inputs, outputs)): &(&str, (usize, usize)),
) {
    let kernels = kernels(set);
    let weights = FloatWeights::new(inputs, outputs, &floats(inputs * outputs), &vec![0.0; outputs]);
    let (values, mut out) = (floats(ROWS * inputs), vec![0.0; ROWS * outputs]);
    let rows = FloatRows { values: &values, rows: ROWS, inputs, stride: inputs };
    let multiply = || kernels.multiply_floats(black_box(rows), weights.blocks(), None, &mut out, outputs);
    bencher.counter(ItemsCount::new(ROWS * inputs * outputs)).bench_local(multiply);
}

/// GELU of 1,536 values.
#[divan::bench(args = sets())]
fn gelu(bencher: Bencher<'_, '_>, set: &str) {
    let (kernels, values) = (kernels(set), floats(1536));
    let mut row = values.clone();
    bencher.counter(ItemsCount::new(1536usize)).bench_local(|| {
        row.copy_from_slice(&values);
        kernels.gelu(black_box(&mut row));
    });
}

/// Softmax of 128 values.
#[divan::bench(args = sets())]
fn softmax(bencher: Bencher<'_, '_>, set: &str) {
    let (kernels, values) = (kernels(set), floats(128));
    let mut row = values.clone();
    bencher.counter(ItemsCount::new(128usize)).bench_local(|| {
        row.copy_from_slice(&values);
        kernels.softmax(black_box(&mut row), 0.2);
    });
}

/// Layer normalization of 384 values.
#[divan::bench(args = sets())]
fn normalize(bencher: Bencher<'_, '_>, set: &str) {
    let (kernels, values) = (kernels(set), floats(384));
    let mut row = values.clone();
    bencher.counter(ItemsCount::new(384usize)).bench_local(|| {
        kernels.normalize(black_box(&mut row), Some(&values), &values, &values, 1e-12);
    });
}

/// Quantization of 1,536 values.
#[divan::bench(args = sets())]
fn quantize(bencher: Bencher<'_, '_>, set: &str) {
    let (kernels, values) = (kernels(set), floats(1536));
    let mut rows = QuantizedRows::new(1536);
    bencher
        .counter(ItemsCount::new(1536usize))
        .bench_local(|| kernels.quantize(black_box(&values), 1536, &mut rows));
}

fn sets() -> impl Iterator<Item = &'static str> {
    NetworkKernels::available().into_iter().map(NetworkKernels::name)
}

fn cases() -> impl Iterator<Item = (&'static str, (usize, usize))> {
    sets().flat_map(|set| SHAPES.map(|shape| (set, shape)))
}

fn kernels(set: &str) -> &'static NetworkKernels {
    NetworkKernels::available().into_iter().find(|kernels| kernels.name() == set).expect("listed")
}

fn floats(count: usize) -> Vec<f32> {
    (0..count).map(|at| (at * 7919 % 1009) as f32 / 500.0 - 1.0).collect()
}
