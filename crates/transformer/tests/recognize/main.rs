//! Weights that are written as graphs in different forms are read back, and graphs that differ from the architecture in
//! one part are refused with the reason.

mod attention;
mod forms;
mod graph;
mod malformed;
mod relative_position_biases;
#[path = "../support/mod.rs"]
mod support;
mod writer;

use std::path::Path;

use forms::{
    ActivationForm, COMMON, ColumnForm, Forms, HeadsForm, LinearForm, MaskForm, PositionForm, ScaleForm,
    TableForm,
};
use graph::write;
use prost::Message;
use support::weights::{Shape, random};
use transformer::onnx::format::{Dimension, DimensionProto, GraphProto, ModelProto, TensorShapeProto};
use transformer::onnx::{self, Error};
use transformer::weights::Weights;

const SHAPE: Shape = Shape { dim: 32, heads: 2, intermediate: 48, layers: 2, words: 40, positions: 24 };

/// Weights of floats, or of bytes.
fn weights(is_quantized: bool) -> Weights {
    random(SHAPE, 1, is_quantized)
}

/// Reads a model back.
fn read(model: &ModelProto) -> Result<Weights, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, model.encode_to_vec()).expect("writes");
    onnx::read(&path)
}

/// Checks that weights are read back from a graph in the given forms.
fn assert_recognized(weights: &Weights, forms: Forms) {
    let got = read(&write(weights, forms)).unwrap_or_else(|error| panic!("{forms:?}: {error}"));
    assert!(got == *weights, "{forms:?}");
}

/// Reads a graph that must be refused, and returns the reason.
fn refused(model: &ModelProto) -> String {
    match read(model) {
        Err(Error::Unrecognized { reason, .. }) => reason.to_string(),
        Err(error) => panic!("expected a refusal, got {error}"),
        Ok(_) => panic!("expected a refusal"),
    }
}

/// Checks the reason for which a graph in the given forms is refused.
fn assert_refused(weights: &Weights, forms: Forms, reason: &str) {
    let got = refused(&write(weights, forms));
    assert!(got.contains(reason), "{forms:?}: {got}");
}

/// The graph of a model in the most common forms, to be changed.
fn changed(change: impl FnOnce(&mut GraphProto)) -> ModelProto {
    let mut model = write(&weights(false), COMMON);
    change(model.graph.as_mut().expect("a graph"));
    model
}

#[test]
fn weights_of_floats_and_bytes_are_read_back() {
    assert_recognized(&weights(false), COMMON);
    assert_recognized(&weights(true), COMMON);
}

#[test]
fn linear_functions_are_read_from_gemm() {
    assert_recognized(&weights(false), Forms { linear: LinearForm::Gemm, ..COMMON });
}

#[test]
fn bytes_with_zero_points_are_read_if_their_differences_are_signed_bytes() {
    // The signed bytes of the weights are between −64 and 63.
    for linear in [LinearForm::Unsigned(128), LinearForm::Unsigned(100), LinearForm::ShiftedByOne] {
        assert_recognized(&weights(true), Forms { linear, ..COMMON });
    }
    // −64 + 10 is written as the unsigned byte 202, which is 192 above the zero point.
    let forms = Forms { linear: LinearForm::Unsigned(10), ..COMMON };
    assert_refused(&weights(true), forms, "weights that fit into signed bytes");
}

#[test]
fn tables_of_signed_bytes_are_read() {
    assert_recognized(&weights(true), Forms { table: TableForm::Signed, ..COMMON });
}

#[test]
fn positions_are_read_from_all_forms_and_may_begin_after_the_first_row() {
    for first_position in [0, 2] {
        let mut weights = weights(false);
        weights.embeddings.first_position = first_position;
        for positions in [PositionForm::Lookup, PositionForm::Slice, PositionForm::CountedTokens] {
            assert_recognized(&weights, Forms { positions, ..COMMON });
        }
    }
    let forms = Forms { positions: PositionForm::Skipping, ..COMMON };
    assert_refused(&weights(false), forms, "positions that count the tokens of each text, got 2 for token 1");
}

#[test]
fn models_without_types_and_with_one_type_are_read() {
    let mut weights = weights(false);
    weights.embeddings.has_type_input = false;
    // A table of types of one row is one that all tokens share.
    let types = weights.embeddings.types.as_mut().expect("types");
    types.rows = 1;
    if let transformer::weights::TableValues::F32(values) = &mut types.values {
        values.truncate(types.dim);
    }
    assert_recognized(&weights, COMMON);
    weights.embeddings.types = None;
    assert_recognized(&weights, COMMON);
}

#[test]
fn masks_of_all_forms_are_recognized() {
    for mask in [
        MaskForm::Added(-1e4),
        MaskForm::Added(f32::NEG_INFINITY),
        MaskForm::PaddingReplaced,
        MaskForm::OthersReplaced,
    ] {
        assert_recognized(&weights(false), Forms { mask, ..COMMON });
    }
}

#[test]
fn masks_that_hide_other_tokens_or_show_padding_are_refused() {
    let cases = [
        (MaskForm::Added(-100.0), "a mask that hides padding, got"),
        (MaskForm::Added(f32::NAN), "a mask that hides padding, got"),
        (MaskForm::Window(4), "a mask that hides padding only, got token 5 hidden"),
        (MaskForm::ById, "a mask that depends on the input `attention_mask` only"),
        (MaskForm::None, "scores of the attention with a mask"),
    ];
    for (mask, reason) in cases {
        assert_refused(&weights(false), Forms { mask, ..COMMON }, reason);
    }
}

#[test]
fn scales_are_read_from_scores_and_from_queries_and_keys() {
    // 16 dimensions per head: 0.25 and its root 0.5 are exact.
    for scale in [ScaleForm::Scores, ScaleForm::Divided, ScaleForm::QueriesAndKeys] {
        assert_recognized(&weights(false), Forms { scale, ..COMMON });
    }
    assert_refused(&weights(false), Forms { scale: ScaleForm::Values, ..COMMON }, "values without a factor");
}

#[test]
fn heads_are_recognized_by_where_their_values_come_from() {
    assert_recognized(&weights(false), Forms { heads: HeadsForm::Merged, ..COMMON });
    let forms = Forms { heads: HeadsForm::Wrong, ..COMMON };
    assert_refused(&weights(false), forms, "2 heads of 16 dimensions each");
}

#[test]
fn only_gelu_with_erf_is_recognized() {
    for activation in [ActivationForm::Factors, ActivationForm::DividedArgument, ActivationForm::Operator] {
        assert_recognized(&weights(false), Forms { activation, ..COMMON });
    }
    for activation in [ActivationForm::Approximation, ActivationForm::Relu] {
        assert_refused(&weights(false), Forms { activation, ..COMMON }, "GELU, computed with erf");
    }
}

#[test]
fn columns_of_logits_are_read_from_all_forms() {
    for column in [ColumnForm::Gather, ColumnForm::Split, ColumnForm::Slice] {
        assert_recognized(&weights(false), Forms { column, ..COMMON });
    }
}

#[test]
fn sizes_that_the_kernels_do_not_support_are_refused() {
    let odd = random(Shape { dim: 24, heads: 1, ..SHAPE }, 1, false);
    assert_refused(&odd, COMMON, "a hidden size that is a multiple of 16, got 24");
    let small_heads = random(Shape { heads: 4, ..SHAPE }, 1, false);
    assert_refused(&small_heads, COMMON, "a size of attention heads that is a multiple of 16, got 8");
    let no_layers = random(Shape { layers: 0, ..SHAPE }, 1, false);
    assert_refused(&no_layers, COMMON, "at least one layer");
}

#[test]
fn one_head_is_recognized() {
    assert_recognized(&random(Shape { heads: 1, ..SHAPE }, 1, false), COMMON);
}

#[test]
fn a_residual_connection_from_another_hidden_state_is_refused() {
    let norms = |graph: &GraphProto| -> Vec<String> {
        let norms = graph.node.iter().filter(|node| node.op_type == "LayerNormalization");
        norms.map(|node| node.output[0].clone()).collect()
    };
    let model = changed(|graph| {
        let norms = norms(graph);
        // The embeddings and two norms of each of two layers. In the last layer, the embeddings are added.
        assert_eq!(norms.len(), 5);
        for node in
            graph.node.iter_mut().filter(|node| node.op_type == "Add" && node.input.contains(&norms[3]))
        {
            node.input = node.input.iter().map(|name| name.replace(&norms[3], &norms[0])).collect();
        }
    });
    let reason = refused(&model);
    assert!(reason.contains("a linear function of the hidden state that its result is added to"), "{reason}");
}

#[test]
fn a_query_of_another_hidden_state_is_refused() {
    let model = changed(|graph| {
        let norms: Vec<usize> =
            (0..graph.node.len()).filter(|&i| graph.node[i].op_type == "LayerNormalization").collect();
        let embeddings = graph.node[norms[0]].output[0].clone();
        // The first product after the first layer computes the queries of the second.
        let query = graph.node[norms[2]..].iter_mut().find(|node| node.op_type == "MatMul");
        query.expect("a product").input[0] = embeddings;
    });
    let reason = refused(&model);
    assert!(reason.contains("a linear function of the layer's input"), "{reason}");
}

#[test]
fn inputs_of_a_fixed_size_or_with_another_name_are_refused() {
    let fixed = changed(|graph| {
        let dim = [Some(Dimension::Value(1)), Some(Dimension::Parameter("sequence".to_owned()))];
        let dim = dim.map(|value| DimensionProto { value }).into();
        let kind = graph.input[0].r#type.as_mut().expect("a type");
        kind.tensor_type.as_mut().expect("a tensor").shape = Some(TensorShapeProto { dim });
    });
    let reason = refused(&fixed);
    assert!(
        reason.contains("input `input_ids`: expected a batch and a sequence of any size, got 1"),
        "{reason}"
    );
    let named = changed(|graph| {
        let mut info = graph.input[0].clone();
        "pixel_values".clone_into(&mut info.name);
        graph.input.push(info);
    });
    assert!(refused(&named).starts_with("input `pixel_values`"));
}

#[test]
fn operators_that_the_probe_cannot_run_are_named() {
    let model = changed(|graph| {
        let node = graph.node.iter_mut().find(|node| node.op_type == "Erf").expect("a node");
        "Mish".clone_into(&mut node.op_type);
    });
    let reason = refused(&model);
    assert!(
        reason.contains("(Mish): expected an operator, types and shapes of a supported model"),
        "{reason}"
    );
    let model = changed(|graph| {
        let node = graph.node.iter_mut().find(|node| node.op_type == "Softmax").expect("a node");
        "com.microsoft".clone_into(&mut node.domain);
    });
    assert!(refused(&model).contains("(com.microsoft.Softmax)"));
}

#[test]
fn values_of_tensors_are_read_from_another_file() {
    use transformer::onnx::format::{DataLocation, StringStringEntryProto};
    let weights = weights(false);
    let mut model = write(&weights, COMMON);
    let folder = tempfile::tempdir().expect("a folder");
    let mut data = vec![0; 3];
    for tensor in &mut model.graph.as_mut().expect("a graph").initializer {
        let raw = tensor.raw_data.take().expect("values");
        let entries = [
            ("location", "model.data".to_owned()),
            ("offset", data.len().to_string()),
            ("length", raw.len().to_string()),
        ];
        tensor.external_data =
            entries.map(|(key, value)| StringStringEntryProto { key: key.to_owned(), value }).into();
        tensor.data_location = Some(DataLocation::External as i32);
        data.extend(raw);
    }
    let path = folder.path().join("model.onnx");
    let open = |data: &[u8], path: &Path| {
        std::fs::write(folder.path().join("model.data"), data).expect("writes");
        std::fs::write(path, model.encode_to_vec()).expect("writes");
        onnx::read(path)
    };
    assert!(open(&data, &path).expect("a model") == weights);
    assert!(matches!(open(&data[..data.len() - 1], &path), Err(Error::Malformed { .. })));
    std::fs::remove_file(folder.path().join("model.data")).expect("removes");
    assert!(matches!(onnx::read(&path), Err(Error::Io { .. })));
    for location in ["../model.data", "/etc/passwd", ""] {
        let mut model = model.clone();
        let tensor = &mut model.graph.as_mut().expect("a graph").initializer[0];
        location.clone_into(&mut tensor.external_data[0].value);
        assert!(matches!(read(&model), Err(Error::Malformed { .. })), "{location}");
    }
}
