//! Runs a layer of a model with the sizes of MiniLM on the tokens of a question.

use control::Control;
use gungraun::{library_benchmark, library_benchmark_group};
use transformer::weights::{
    Embeddings, Head, Layer, Linear, Matrix, Norm, Output, Table, TableValues, Weights,
};
use transformer::{Model, Text};

use crate::data::never_dropped;

const DIM: usize = 384;
const INTERMEDIATE: usize = 1536;
const TOKENS: usize = 15;

/// Returns a model whose weights repeat a few values.
fn model() -> &'static Model {
    let bytes = |count: usize| (0..count).map(|at| (at * 37 % 129) as i8 - 64).collect();
    let linear = |inputs: usize, outputs: usize| Linear {
        inputs,
        outputs,
        weights: Matrix::I8 { bytes: bytes(inputs * outputs), scales: vec![0.001; outputs] },
        bias: vec![0.1; outputs],
    };
    let norm = || Norm { weight: vec![1.0; DIM], bias: vec![0.0; DIM], epsilon: 1e-12 };
    let table = || {
        let bytes = (0..TOKENS * DIM).map(|at| (at * 37 % 251) as u8).collect();
        Table { rows: TOKENS, dim: DIM, values: TableValues::U8 { bytes, scale: 0.01, zero: 120 } }
    };
    let weights = Weights {
        embeddings: Embeddings {
            words: table(),
            positions: table(),
            first_position: 0,
            types: None,
            has_type_input: false,
            norm: norm(),
        },
        relative_position_biases: None,
        layers: vec![Layer {
            query: linear(DIM, DIM),
            key: linear(DIM, DIM),
            value: linear(DIM, DIM),
            heads: 12,
            scale: 0.176_776_7,
            attention_output: linear(DIM, DIM),
            attention_norm: norm(),
            intermediate: linear(DIM, INTERMEDIATE),
            output: linear(INTERMEDIATE, DIM),
            output_norm: norm(),
        }],
        outputs: vec![Output { name: "states".to_owned(), head: Head::HiddenStates }],
    };
    let model = never_dropped(Model::new(weights).expect("a model"));
    // The kernels are chosen, and the memory for activations is allocated, in the first run.
    run(model);
    model
}

#[library_benchmark]
#[bench::question(model())]
fn run_layer(model: &Model) -> f32 {
    run(model)
}

fn run(model: &Model) -> f32 {
    let ids: [u32; TOKENS] = std::array::from_fn(|at| at as u32);
    let values =
        model.run(&[Text { ids: &ids, type_0_count: TOKENS }], &[0], false, &Control::new()).expect("runs");
    values[0].data[0]
}

library_benchmark_group!(name = models, benchmarks = run_layer);
