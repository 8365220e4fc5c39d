//! Models of random weights compute what a forward pass in `f64`, written from the definitions, computes.

mod support;

use control::Control;
use proptest::prelude::*;
use support::reference;
use support::weights::{Shape, random, to_mpnet, with_floats};
use transformer::weights::{Head, Linear, Matrix, TableValues, Weights};
use transformer::{Error, Model, Text, Values};

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 64, layers: 2, words: 50, positions: 40 };

/// Token ids and types of texts of different lengths.
fn texts() -> Vec<(Vec<u32>, usize)> {
    let text = |length: usize, types: usize| ((0..length).map(|at| (at * 7 % 50) as u32).collect(), types);
    vec![text(5, 5), text(1, 0), text(38, 20), text(17, 3), text(16, 16)]
}

fn run(model: &Model, texts: &[(Vec<u32>, usize)]) -> Vec<Values> {
    let texts: Vec<Text<'_>> = texts.iter().map(|(ids, types)| Text { ids, type_0_count: *types }).collect();
    let outputs: Vec<usize> = (0..model.outputs().len()).collect();
    model.run(&texts, &outputs, false, &Control::new()).expect("runs")
}

/// Fails unless the model's outputs are the reference's, up to `tolerance`.
fn agrees(weights: &Weights, reference_weights: &Weights, tolerance: f64) {
    agrees_on(&texts(), weights, reference_weights, tolerance);
}

/// The same, for other texts.
fn agrees_on(texts: &[(Vec<u32>, usize)], weights: &Weights, reference_weights: &Weights, tolerance: f64) {
    let found = run(&Model::new(weights.clone()).expect("a model"), texts);
    let expected = reference::run(reference_weights, texts);
    assert_eq!(found.len(), expected.len());
    for ((found, expected), output) in found.iter().zip(&expected).zip(&weights.outputs) {
        assert_eq!(found.data.len(), expected.len(), "{}", output.name);
        for (at, (&found, expected)) in found.data.iter().zip(expected).enumerate() {
            let error = (f64::from(found) - expected).abs();
            assert!(error < tolerance, "{} {at}: {found}, expected {expected}", output.name);
        }
    }
}

#[test]
fn models_of_floats_agree_with_the_definitions() {
    let weights = random(SHAPE, 1, false);
    agrees(&weights, &weights, 1e-4);
}

#[test]
fn models_of_bytes_agree_with_the_definitions_up_to_the_quantization_of_activations() {
    let weights = random(SHAPE, 2, true);
    // The values are normalized, so most are between −2 and 2.
    agrees(&weights, &with_floats(&weights), 0.15);
}

#[test]
fn models_without_token_types_and_with_a_first_position_agree_with_the_definitions() {
    let mut weights = random(SHAPE, 3, false);
    weights.embeddings.first_position = 2;
    weights.embeddings.has_type_input = false;
    agrees(&weights, &weights, 1e-4);
    weights.embeddings.types = None;
    agrees(&weights, &weights, 1e-4);
}

#[test]
fn models_with_relative_position_biases_agree_with_the_definitions() {
    let mut weights = random(SHAPE, 6, false);
    to_mpnet(&mut weights, 7);
    agrees(&weights, &weights, 1e-4);
    // Long texts are computed in groups of queries, and the last buckets are used.
    let mut weights = random(Shape { positions: 300, ..SHAPE }, 8, false);
    to_mpnet(&mut weights, 9);
    let text = (0..290).map(|at| (at * 7 % 50) as u32).collect();
    agrees_on(&[(text, 290)], &weights, &weights, 1e-4);
}

#[test]
fn layers_whose_projections_are_stored_differently_agree_with_the_definitions() {
    let mut weights = random(SHAPE, 4, true);
    weights.layers[0].key = with_floats(&weights).layers[0].key.clone();
    agrees(&weights, &with_floats(&weights), 0.15);
}

#[test]
fn one_value_that_is_not_a_number_makes_the_vectors_of_all_texts_so() {
    for quantized in [false, true] {
        let mut weights = random(SHAPE, 5, quantized);
        weights.layers[0].intermediate.bias[3] = f32::NAN;
        let found = run(&Model::new(weights).expect("a model"), &texts());
        assert!(found[0].data.iter().all(|value| value.is_nan()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_values_of_a_text_do_not_depend_on_other_texts_or_threads(
        lengths in prop::collection::vec(1usize..38, 1..20), seed in any::<u64>(), quantized in any::<bool>(),
    ) {
        let model = Model::new(random(SHAPE, seed, quantized)).expect("a model");
        let texts: Vec<(Vec<u32>, usize)> = lengths
            .iter()
            .enumerate()
            .map(|(n, &length)| ((0..length).map(|at| ((at * 3 + n) % 50) as u32).collect(), length / 2))
            .collect();
        let together = run(&model, &texts);
        let borrowed: Vec<Text<'_>> =
            texts.iter().map(|(ids, types)| Text { ids, type_0_count: *types }).collect();
        let outputs: Vec<usize> = (0..together.len()).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        let parallel = pool.install(|| model.run(&borrowed, &outputs, true, &Control::new())).expect("runs");
        prop_assert_eq!(&parallel, &together);
        let mut start = 0;
        for text in &texts {
            let alone = run(&model, std::slice::from_ref(text));
            let rows = text.0.len() * SHAPE.dim;
            prop_assert_eq!(&alone[0].data, &together[0].data[start..start + rows]);
            start += rows;
        }
    }
}

/// A hash (FNV-1a, 64 bits) of the bits of all outputs.
fn hash(model: &Model) -> u64 {
    let values = run(model, &texts());
    let bits = values.iter().flat_map(|values| &values.data).flat_map(|value| value.to_bits().to_le_bytes());
    bits.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn every_platform_computes_the_same_bits() {
    for (quantized, expected) in [(false, 0xb3f9_ec76_5403_96a2), (true, 0xd8d0a3b62e73904d)] {
        let got = hash(&Model::new(random(SHAPE, 9, quantized)).expect("a model"));
        assert_eq!(got, expected, "{quantized}: {got:#x}");
    }
}

#[test]
fn texts_that_the_model_cannot_read_are_refused() {
    let model = Model::new(random(SHAPE, 6, true)).expect("a model");
    let refused = |ids: &[u32]| {
        let texts = [Text { ids: &[1], type_0_count: 1 }, Text { ids, type_0_count: ids.len() }];
        model.run(&texts, &[0], false, &Control::new()).expect_err("refused").to_string()
    };
    assert_eq!(refused(&[]), "text 1: expected 1 to 40 tokens, got 0");
    assert_eq!(refused(&[0; 41]), "text 1: expected 1 to 40 tokens, got 41");
    assert_eq!(refused(&[3, 50]), "text 1: expected token ids below 50, got 50");
}

#[test]
fn weights_whose_sizes_do_not_fit_together_are_refused() {
    /// An error message, and a change of the weights that causes it.
    type Case = (&'static str, fn(&mut Weights));
    let changes: [Case; 11] = [
        ("layers: expected at least 1, got 0", |weights| weights.layers.clear()),
        ("words: expected 51 times 32 values, got 1600", |weights| weights.embeddings.words.rows += 1),
        ("positions: expected vectors of 32 values, got 16", |weights| weights.embeddings.positions.dim = 16),
        ("the first position: expected less than 40, got 40", |weights| {
            weights.embeddings.first_position = 40
        }),
        ("heads: expected a divisor of 32, got 3", |weights| weights.layers[1].heads = 3),
        ("the dimension of a head: expected a multiple of 16, got 8", |weights| weights.layers[1].heads = 4),
        ("the keys: expected 32 biases and as many scales, got 31 and 32", |weights| {
            weights.layers[0].key.bias.pop();
        }),
        ("the column of an output: expected less than 2, got 2", |weights| {
            let Head::TokenLogits { column, .. } = &mut weights.outputs[1].head else { panic!("logits") };
            *column = 2;
        }),
        ("words: expected 50 times 32 values, got 0", |weights| {
            weights.embeddings.words.values = TableValues::F32(Vec::new());
        }),
        ("the relative position biases: expected 32 times 2, got 63", |weights| {
            to_mpnet(weights, 1);
            weights.relative_position_biases.as_mut().expect("biases").values.pop();
        }),
        ("heads: expected 2, the number of heads of the relative position biases, got 1", |weights| {
            to_mpnet(weights, 1);
            weights.layers[1].heads = 1;
        }),
    ];
    for (message, change) in changes {
        let mut weights = random(SHAPE, 7, true);
        change(&mut weights);
        let error = Model::new(weights).expect_err("refused");
        assert!(matches!(error, Error::Weights { .. }));
        assert_eq!(error.to_string(), message);
    }
    let mut weights = random(SHAPE, 8, false);
    weights.layers[0].output =
        Linear { inputs: 64, outputs: 16, weights: Matrix::F32(vec![0.0; 1024]), bias: vec![0.0; 16] };
    let message = "the output of the feed-forward network: expected 32 outputs, got 16";
    assert_eq!(Model::new(weights).expect_err("refused").to_string(), message);
}
