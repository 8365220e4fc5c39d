//! Steps of an encoder with the sizes of MiniLM (6 layers, 384 dimensions), with random parameters: tokens per second.
//!
//! `cargo bench -p training --bench step`

#[path = "../../transformer/tests/support/mod.rs"]
#[allow(unused)]
mod support;

use control::Control;
use divan::counter::ItemsCount;
use support::weights::{Shape, random};
use training::loss::{Candidates, Similarity};
use training::optimizer::Schedule;
use training::{Bf16Cpu, EncoderBatch, EncoderOptions, EncoderTrainer, Loss, Pooling, StepOptions};
use transformer::Text;

const SHAPE: Shape =
    Shape { dim: 384, heads: 12, intermediate: 1536, layers: 6, words: 30522, positions: 512 };

fn main() {
    divan::main();
}

/// In 32 bits.
#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn float32(bencher: divan::Bencher<'_, '_>, threads: usize) {
    encoder(bencher, threads, false);
}

/// In bfloat16, on CPUs with instructions for it.
#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1, ignore = Bf16Cpu::detect().is_none())]
fn bf16(bencher: divan::Bencher<'_, '_>, threads: usize) {
    encoder(bencher, threads, true);
}

/// 16 questions of 12 tokens, and 32 passages of 100 to 160 tokens.
fn encoder(bencher: divan::Bencher<'_, '_>, threads: usize, bf16: bool) {
    let mut weights = random(SHAPE, 1, false);
    weights.outputs.truncate(1);
    let step = StepOptions {
        schedule: Schedule { rate: 1e-5, warm_up_steps: 0, steps: 1000 },
        threads,
        bf16,
        ..StepOptions::default()
    };
    let options = EncoderOptions {
        pooling: Pooling::Mean,
        normalizes: true,
        similarity: Similarity::Dot,
        scale: 20.0,
        loss: Loss::NegativeLogLikelihood,
        step,
    };
    let mut trainer = EncoderTrainer::new(&weights, None, options).expect("a trainer");
    let text = |length: usize, n: usize| -> Vec<u32> {
        (0..length).map(|at| ((at * 977 + n * 131) % 30522) as u32).collect()
    };
    let questions: Vec<Vec<u32>> = (0..16).map(|n| text(12, n)).collect();
    let passages: Vec<Vec<u32>> = (0..32).map(|n| text(100 + n * 60 / 31, n)).collect();
    let borrow = |texts: &'_ [Vec<u32>]| -> Vec<Text<'static>> {
        texts.iter().map(|ids| Text { ids: ids.clone().leak(), type_0_count: ids.len() }).collect()
    };
    let positives: Vec<u32> = (0..16).collect();
    let batch = EncoderBatch {
        questions: borrow(&questions),
        passages: borrow(&passages),
        candidates: Candidates::all(32, &positives),
    };
    let tokens = questions.iter().chain(&passages).map(Vec::len).sum::<usize>();
    bencher
        .counter(ItemsCount::new(tokens))
        .bench_local(|| trainer.step(&batch, &Control::new()).expect("a step"));
}
