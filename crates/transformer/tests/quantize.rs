//! Weights that are rounded to bytes stay close to the original ones, and so do the vectors of texts.

mod support;

use std::path::Path;

use control::Control;
use support::weights::{Shape, random, with_floats};
use transformer::weights::{Head, Linear, Matrix, Output, Table, TableValues, Weights};
use transformer::{Bits, Model, Text, onnx, quantize};

const SHAPE: Shape = Shape { dim: 64, heads: 4, intermediate: 128, layers: 2, words: 200, positions: 40 };
/// Rounding of the quotient by 32-bit floats, relative to the scale.
const SLACK: f32 = 1e-4;

fn floats(linear: &Linear) -> &[f32] {
    let Matrix::F32(values) = &linear.weights else { panic!("floats") };
    values
}

fn linears(weights: &Weights) -> Vec<&Linear> {
    let layers = weights.layers.iter().flat_map(|layer| {
        [&layer.query, &layer.key, &layer.value, &layer.attention_output, &layer.intermediate, &layer.output]
    });
    let heads = weights.outputs.iter().filter_map(|output| match &output.head {
        Head::HiddenStates | Head::FirstToken => None,
        Head::TokenLogits { linear, .. } | Head::FirstTokenLogits { linear, .. } | Head::Pooler(linear) => {
            Some(linear)
        }
    });
    layers.chain(heads).collect()
}

fn tables(weights: &Weights) -> Vec<&Table> {
    let embeddings = &weights.embeddings;
    [&embeddings.words, &embeddings.positions].into_iter().chain(&embeddings.types).collect()
}

#[test]
fn each_weight_differs_by_at_most_half_a_scale() {
    let original = random(SHAPE, 1, false);
    for bits in [Bits::Seven, Bits::Eight] {
        let quantized = quantize(&original, bits);
        let restored = with_floats(&quantized);
        let (before, after, bytes) = (linears(&original), linears(&restored), linears(&quantized));
        for ((before, after), quantized) in before.iter().zip(after).zip(bytes) {
            assert_eq!(before.bias, quantized.bias);
            let Matrix::I8 { bytes, scales } = &quantized.weights else { panic!("bytes") };
            assert!(bytes.iter().all(|byte| byte.unsigned_abs() <= bits.max_byte().unsigned_abs()));
            let columns = scales.iter().cycle();
            for ((before, after), scale) in floats(before).iter().zip(floats(after)).zip(columns) {
                assert!((before - after).abs() <= scale * (0.5 + SLACK), "{before} {after} {scale}");
            }
        }
        for ((before, after), quantized) in
            tables(&original).iter().zip(tables(&restored)).zip(tables(&quantized))
        {
            let (TableValues::F32(before), TableValues::F32(after)) = (&before.values, &after.values) else {
                panic!("floats")
            };
            let TableValues::U8 { scale, .. } = &quantized.values else { panic!("bytes") };
            for (before, after) in before.iter().zip(after) {
                assert!((before - after).abs() <= scale * (0.5 + SLACK), "{before} {after} {scale}");
            }
        }
    }
}

#[test]
fn weights_of_bytes_stay_as_they_are() {
    let weights = random(SHAPE, 1, true);
    assert!(quantize(&weights, Bits::Seven) == weights);
}

/// The mean of the hidden states of each text.
fn mean_vectors(mut weights: Weights) -> Vec<Vec<f32>> {
    weights.outputs = vec![Output { name: "states".to_owned(), head: Head::HiddenStates }];
    let ids: Vec<Vec<u32>> =
        (1u32..20).map(|length| (0..length).map(|token| 5 + (token * 7 + length) % 35).collect()).collect();
    let texts: Vec<Text<'_>> = ids.iter().map(|ids| Text { ids, type_0_count: ids.len() }).collect();
    let model = Model::new(weights).expect("a model");
    let values = model.run(&texts, &[0], false, &Control::new()).expect("runs").remove(0);
    let mut rows = values.data.chunks(values.dim);
    let mean = |ids: &Vec<u32>| {
        let mut sum = vec![0.0; values.dim];
        for row in rows.by_ref().take(ids.len()) {
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
        }
        sum
    };
    ids.iter().map(mean).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// Measured: at least 0.9998 with 8 bits, and 0.9993 with 7.
#[test]
fn the_vectors_of_texts_keep_their_directions() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/bert-script.onnx");
    let exported = onnx::read(&file).expect("a model");
    for (name, weights) in [("random", random(SHAPE, 1, false)), ("bert-script", exported)] {
        let original = mean_vectors(weights.clone());
        for bits in [Bits::Seven, Bits::Eight] {
            let quantized = mean_vectors(quantize(&weights, bits));
            for (a, b) in original.iter().zip(&quantized) {
                let cosine = cosine(a, b);
                assert!(cosine > 0.995, "{name} {bits:?}: {cosine}");
            }
        }
    }
}
