//! Trainers call their backend for all products of the linear layers inside the layers of their networks.

#[path = "../../transformer/tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use control::Control;
use support::weights::{Shape, random};
use training::loss::{Candidates, Similarity};
use training::optimizer::Schedule;
use training::{
    Backend, Bf16Cpu, Cpu, EncoderBatch, EncoderOptions, EncoderTrainer, Loss, Matrix, Pooling,
    ReaderPassage, ReaderTrainer, Side, StepOptions,
};
use transformer::Text;
use transformer::weights::{self, Weights};

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 48, layers: 3, words: 60, positions: 16 };
const STEPS: usize = 3;
/// Number of products of a group of texts per step. Each layer has four forward (queries, keys and values; outputs of
/// the attention; the two of the feed-forward network), and twice as many backward.
const PRODUCTS: usize = SHAPE.layers * 12;

/// Counts products, which the CPU computes.
#[derive(Debug, Default)]
struct Counting(AtomicUsize);

impl Backend for Counting {
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], accumulates: bool) {
        self.0.fetch_add(1, Ordering::Relaxed);
        assert_eq!(out.len(), a.rows() * b.columns());
        assert!(a.strides().contains(&1) && b.strides().contains(&1));
        Cpu.multiply(a, b, out, accumulates);
    }
}

/// Computes products in double precision from the definition.
#[derive(Debug)]
struct ByDefinition;

impl Backend for ByDefinition {
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], accumulates: bool) {
        let value = |of: &Matrix<'_>, row, column| {
            let [row_stride, column_stride] = of.strides();
            f64::from(of.values()[row * row_stride + column * column_stride])
        };
        for row in 0..a.rows() {
            for column in 0..b.columns() {
                let product: f64 = (0..a.columns()).map(|i| value(&a, row, i) * value(&b, i, column)).sum();
                let out = &mut out[row * b.columns() + column];
                *out = (if accumulates { f64::from(*out) } else { 0.0 } + product) as f32;
            }
        }
    }
}

fn step_options() -> StepOptions {
    let schedule = Schedule { rate: 1e-3, warm_up_steps: 1, steps: 10 };
    StepOptions { schedule, threads: 2, ..StepOptions::default() }
}

fn ids() -> Vec<Vec<u32>> {
    (0..4).map(|n| (0..8 + n).map(|at| (7 * n + 3 * at) % 60).collect()).collect()
}

fn reader(backend: Option<Arc<dyn Backend>>) -> ReaderTrainer {
    let mut trainer = ReaderTrainer::new(&random(SHAPE, 3, false), step_options()).expect("a reader");
    if let Some(backend) = backend {
        trainer.set_backend(backend);
    }
    trainer
}

fn passage(ids: &[u32]) -> ReaderPassage<'_> {
    let text = Text { ids, type_0_count: 3 };
    ReaderPassage { text, text_tokens: 3..ids.len(), spans: vec![(4, 5)] }
}

/// Two questions with two passages each.
fn passages(ids: &[Vec<u32>]) -> [Vec<ReaderPassage<'_>>; 2] {
    [vec![passage(&ids[0]), passage(&ids[1])], vec![passage(&ids[2]), passage(&ids[3])]]
}

/// Makes some steps, and returns the bits of the losses and the weights afterwards.
fn train_reader(backend: Option<Arc<dyn Backend>>) -> (Vec<u32>, Weights) {
    let (mut trainer, ids, control) = (reader(backend), ids(), Control::default());
    let batch = passages(&ids);
    let losses = (0..STEPS).map(|_| trainer.step(&batch, &control).expect("a step").0.loss.to_bits());
    (losses.collect(), trainer.weights().expect("finite weights"))
}

/// Does the same with a dual encoder whose two sides have their own parameters. Returns the weights of both.
fn train_encoder(backend: Option<Arc<dyn Backend>>) -> (Vec<u32>, [Weights; 2]) {
    let options = EncoderOptions {
        pooling: Pooling::Mean,
        normalizes: true,
        similarity: Similarity::Dot,
        scale: 10.0,
        loss: Loss::NegativeLogLikelihood,
        step: step_options(),
    };
    let [question, passage] =
        [4, 5].map(|seed| Weights { outputs: Vec::new(), ..random(SHAPE, seed, false) });
    let mut trainer = EncoderTrainer::new(&question, Some(&passage), options).expect("an encoder");
    if let Some(backend) = backend {
        trainer.set_backend(backend);
    }
    let ids = ids();
    let texts: Vec<_> = ids.iter().map(|ids| Text { ids, type_0_count: ids.len() }).collect();
    let batch = EncoderBatch {
        questions: texts[..2].to_vec(),
        passages: texts[2..].to_vec(),
        candidates: Candidates::all(2, &[0, 1]),
    };
    let control = Control::default();
    let losses = (0..STEPS).map(|_| trainer.step(&batch, &control).expect("a step").0.loss.to_bits());
    let losses = losses.collect();
    (losses, [Side::Question, Side::Passage].map(|side| trainer.weights(side).expect("finite weights")))
}

#[test]
fn a_backend_is_called_for_each_product_and_its_results_are_used() {
    let backend = Arc::new(Counting::default());
    assert_eq!(train_reader(Some(backend.clone())), train_reader(None));
    // All texts are in one group, and its activations are kept.
    assert_eq!(backend.0.load(Ordering::Relaxed), STEPS * PRODUCTS);

    let backend = Arc::new(Counting::default());
    assert_eq!(train_encoder(Some(backend.clone())), train_encoder(None));
    // Each side has one group.
    assert_eq!(backend.0.load(Ordering::Relaxed), STEPS * PRODUCTS * 2);
}

/// The loss of the batch, and the gradients of the matrices of each layer.
fn gradients(mut trainer: ReaderTrainer) -> (f32, Vec<Vec<f32>>) {
    let ids = ids();
    let (loss, gradients) = trainer.gradients(&passages(&ids), &Control::default()).expect("gradients");
    let linear = |layer: &weights::Layer| {
        let all = [&layer.query, &layer.key, &layer.value, &layer.attention_output];
        let all = all.into_iter().chain([&layer.intermediate, &layer.output]);
        let values = |linear: &weights::Linear| match &linear.weights {
            weights::Matrix::F32(values) => values.to_vec(),
            _ => panic!("floats"),
        };
        all.flat_map(values).collect()
    };
    (loss, gradients.layers.iter().map(linear).collect())
}

#[test]
fn gradients_are_those_of_products_computed_from_the_definition() {
    let (loss, actual) = gradients(reader(Some(Arc::new(ByDefinition))));
    let (expected_loss, expected) = gradients(reader(None));
    assert!((loss - expected_loss).abs() < 1e-5, "expected a loss of {expected_loss}, got {loss}");
    let mut greatest = 0f32;
    for (actual, expected) in actual.iter().flatten().zip(expected.iter().flatten()) {
        greatest = greatest.max(expected.abs());
        assert!((actual - expected).abs() < 1e-5, "expected a gradient of {expected}, got {actual}");
    }
    assert!(greatest > 1e-2, "the gradients are too small for this test: {greatest}");
}

#[test]
fn bfloat16_computes_gradients_that_are_close_to_those_in_32_bits() {
    let options = StepOptions { bf16: true, ..step_options() };
    let new = || ReaderTrainer::new(&random(SHAPE, 3, false), options);
    if Bf16Cpu::detect().is_none() {
        eprintln!(
            "SKIPPING training in bfloat16: this CPU has no instructions for it, or PASSAGEKIT_CPU is set."
        );
        let error = new().expect_err("an unsupported option").to_string();
        assert!(error.starts_with("bf16: expected a CPU with AVX-512 BF16, got "), "{error}");
        return;
    }
    let (loss, actual) = gradients(new().expect("a reader"));
    let (expected_loss, expected) = gradients(reader(None));
    assert!(
        (loss - expected_loss).abs() < 0.01 * expected_loss,
        "expected a loss of {expected_loss}, got {loss}"
    );
    let norm = |values: &mut dyn Iterator<Item = f32>| values.map(|value| value * value).sum::<f32>().sqrt();
    for (actual, expected) in actual.iter().zip(&expected) {
        assert_ne!(actual, expected);
        let difference = norm(&mut actual.iter().zip(expected).map(|(a, b)| a - b));
        let expected = norm(&mut expected.iter().copied());
        // Rounding to 8 significant bits has a relative error of at most 2⁻⁸, in each of the products on the way.
        assert!(difference < 0.02 * expected, "difference {difference}, norm {expected}");
    }
    let (again, same) = gradients(new().expect("a reader"));
    assert!(again.to_bits() == loss.to_bits() && same == actual, "the same bits in every run");
}
