//! Times the forward pass of models with the sizes of MiniLM and random weights, by the numbers of texts and tokens.
//! The throughput counts tokens.
//!
//! Run `cargo bench -p transformer --bench forward`.

#[allow(dead_code, reason = "the benchmark needs only random weights")]
#[path = "../tests/support/weights.rs"]
mod weights;

use control::Control;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use transformer::{Model, Text};
use weights::{Shape, random};

const SHAPE: Shape =
    Shape { dim: 384, heads: 12, intermediate: 1536, layers: 6, words: 1000, positions: 512 };
/// Numbers of texts and of tokens per text: a question, passages, and windows of a reader.
const SIZES: [(usize, usize); 4] = [(1, 15), (1, 128), (16, 128), (8, 224)];

fn main() {
    divan::main();
}

/// Weights of bytes.
#[divan::bench(args = SIZES)]
fn bytes(bencher: Bencher<'_, '_>, (texts, tokens): (usize, usize)) {
    run(bencher, true, texts, tokens);
}

/// Weights of floats.
#[divan::bench(args = SIZES)]
fn floats(bencher: Bencher<'_, '_>, (texts, tokens): (usize, usize)) {
    run(bencher, false, texts, tokens);
}

fn run(bencher: Bencher<'_, '_>, quantized: bool, texts: usize, tokens: usize) {
    let model = Model::new(random(SHAPE, 1, quantized)).expect("a model");
    let ids: Vec<u32> = (0..tokens as u32).map(|at| at * 7 % 1000).collect();
    let batch = vec![Text { ids: &ids, type_0_count: tokens }; texts];
    bencher
        .counter(ItemsCount::new(texts * tokens))
        .bench_local(|| model.run(black_box(&batch), &[0], false, &Control::new()).expect("runs"));
}
