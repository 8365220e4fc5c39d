//! Training with a backend other than the CPU's uses it for all products of linear layers, and computes the same.

#[path = "../../transformer/tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use control::Control;
use kernels::matrix::Matrix;
use support::weights::{Shape, random};
use training::optimizer::Schedule;
use training::{Backend, Cpu, ReaderPassage, ReaderTrainer, StepOptions};
use transformer::Text;
use transformer::weights::{self, Weights};

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 48, layers: 3, words: 60, positions: 16 };
const STEPS: usize = 3;

/// Computes products in double precision from the definition, and counts them.
#[derive(Debug, Default)]
struct ByDefinition {
    count: AtomicUsize,
}

impl Backend for ByDefinition {
    fn multiply(&self, a: Matrix<'_>, b: Matrix<'_>, out: &mut [f32], adds: bool) {
        self.count.fetch_add(1, Ordering::Relaxed);
        let value = |of: &Matrix<'_>, row, column| {
            let [row_stride, column_stride] = of.strides();
            f64::from(of.values()[row * row_stride + column * column_stride])
        };
        for row in 0..a.rows() {
            for column in 0..b.columns() {
                let product: f64 = (0..a.columns()).map(|i| value(&a, row, i) * value(&b, i, column)).sum();
                let out = &mut out[row * b.columns() + column];
                let before = if adds { f64::from(*out) } else { 0.0 };
                *out = (before + product) as f32;
            }
        }
    }
}

/// Makes some steps, and returns their losses and the weights afterwards.
fn train(backend: &Arc<dyn Backend>) -> (Vec<f32>, Weights) {
    let ids: Vec<Vec<u32>> = (0..4).map(|n| (0..8 + n).map(|at| (7 * n + 3 * at) % 60).collect()).collect();
    let passages = ids.iter().map(|ids| ReaderPassage {
        text: Text { ids, type_0_count: 3 },
        text_tokens: 3..ids.len(),
        spans: vec![(4, 5)],
    });
    let passages: Vec<_> = passages.collect();
    let batch = [passages[..2].to_vec(), passages[2..].to_vec()];
    let schedule = Schedule { rate: 1e-3, warm_up_steps: 1, steps: 10 };
    let options = StepOptions { schedule, threads: 2, ..StepOptions::default() };
    let mut trainer = ReaderTrainer::new(&random(SHAPE, 3, false), options).expect("a reader");
    trainer.set_backend(backend);
    let control = Control::default();
    let losses = (0..STEPS).map(|_| trainer.step(&batch, &control).expect("a step").0.loss).collect();
    (losses, trainer.weights().expect("finite weights"))
}

#[test]
fn all_products_of_linear_layers_are_computed_by_the_backend() {
    let by_definition = Arc::new(ByDefinition::default());
    let backend: Arc<dyn Backend> = Arc::clone(&by_definition) as _;
    let (losses, trained) = train(&backend);
    // Each layer has 4 products forward (projections, attention output, intermediate, output), and twice as many
    // backward. All texts are in one group, and its activations are kept.
    assert_eq!(by_definition.count.load(Ordering::Relaxed), STEPS * SHAPE.layers * 12);

    let cpu: Arc<dyn Backend> = Arc::new(Cpu);
    let (expected_losses, expected) = train(&cpu);
    for (loss, expected) in losses.iter().zip(&expected_losses) {
        assert!((loss - expected).abs() < 1e-5, "expected a loss of {expected}, got {loss}");
    }
    assert_ne!(
        expected_losses[0].to_bits(),
        expected_losses[STEPS - 1].to_bits(),
        "the steps change nothing"
    );
    let (actual, expected) = (&trained.layers[2].output.weights, &expected.layers[2].output.weights);
    let (weights::Matrix::F32(actual), weights::Matrix::F32(expected)) = (actual, expected) else {
        panic!("floats")
    };
    assert_eq!(actual.len(), expected.len());
    for (actual, expected) in actual.iter().zip(expected.iter()) {
        assert!((actual - expected).abs() < 1e-5, "expected a weight of {expected}, got {actual}");
    }
}
