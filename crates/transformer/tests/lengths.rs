//! Graphs that compute something else for texts of some lengths are refused, even if they are those of BERT for others.

use std::path::Path;

use prost::Message;
use transformer::onnx::format::{AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto};
use transformer::onnx::{self, Error};

/// Number of positions of the model in the file.
const POSITIONS: i64 = 24;

fn node(op: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: op.to_owned(),
        input: inputs.iter().map(|&input| input.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

/// A node that converts a value to floats.
fn floats(input: &str, output: &str) -> NodeProto {
    let to =
        AttributeProto { name: "to".to_owned(), i: Some(1), r#type: Some(2), ..AttributeProto::default() };
    NodeProto { attribute: vec![to], ..node("Cast", &[input], output) }
}

fn integer(name: &str, value: i64) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        data_type: Some(7),
        int64_data: vec![value],
        ..TensorProto::default()
    }
}

fn float(name: &str, value: f32) -> TensorProto {
    TensorProto {
        name: name.to_owned(),
        data_type: Some(1),
        float_data: vec![value],
        ..TensorProto::default()
    }
}

/// The number of the node that computes a value.
fn producer(graph: &GraphProto, value: &str) -> usize {
    graph.node.iter().position(|node| node.output.iter().any(|output| output == value)).expect("a node")
}

/// The number of the node that looks up positions.
fn positions(graph: &GraphProto) -> usize {
    let is_lookup =
        |node: &NodeProto| node.op_type == "Gather" && node.input[0].contains("position_embeddings");
    graph.node.iter().position(is_lookup).expect("a node")
}

/// The numbers of the nodes that multiply the scores of the attention by a scale and that add the mask to them, in the
/// first layer.
fn scale_and_mask(graph: &GraphProto) -> (usize, usize) {
    let softmax = graph.node.iter().find(|node| node.op_type == "Softmax").expect("a softmax");
    let add = producer(graph, &softmax.input[0]);
    let is_scale = |&node: &usize| matches!(graph.node[node].op_type.as_str(), "Mul" | "Div");
    let scale = graph.node[add].input.iter().map(|input| producer(graph, input)).find(is_scale);
    (scale.expect("a scale"), add)
}

/// Changes a graph, in which the value `length` is the length of the texts, and returns the reason for which the result
/// is refused.
fn refused(change: impl FnOnce(&mut GraphProto)) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/bert-script.onnx");
    let mut model = ModelProto::decode(std::fs::read(path).expect("the file").as_slice()).expect("a model");
    let graph = model.graph.as_mut().expect("a graph");
    change(graph);
    graph.initializer.push(integer("one", 1));
    let length = [node("Shape", &["input_ids"], "shape"), node("Gather", &["shape", "one"], "length")];
    graph.node.splice(0..0, length);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("model.onnx");
    std::fs::write(&path, model.encode_to_vec()).expect("writes");
    match onnx::read(&path) {
        Err(Error::Unrecognized { reason, .. }) => reason.to_string(),
        Err(error) => panic!("expected a refusal, got {error}"),
        Ok(_) => panic!("expected a refusal"),
    }
}

#[test]
fn a_scale_that_depends_on_the_length_is_refused() {
    let reason = refused(|graph| {
        let (scale, _) = scale_and_mask(graph);
        graph.node[scale].op_type = "Mul".to_owned();
        graph.node[scale].input[1] = "scale".to_owned();
        graph.initializer.push(float("64", 64.0));
        graph
            .node
            .splice(0..0, [floats("length", "float_length"), node("Div", &["float_length", "64"], "scale")]);
    });
    assert!(reason.contains("do not depend on the lengths of texts"), "{reason}");
}

#[test]
fn positions_that_are_counted_from_the_end_are_refused() {
    let reason = refused(|graph| {
        let lookup = positions(graph);
        let old = std::mem::replace(&mut graph.node[lookup].input[1], "from_end".to_owned());
        graph.initializer.push(integer("rows", POSITIONS));
        graph.node.insert(lookup, node("Add", &[&old, "offset"], "from_end"));
        graph.node.insert(0, node("Sub", &["rows", "length"], "offset"));
    });
    assert!(reason.contains("do not depend on the lengths of texts"), "{reason}");
}

#[test]
fn positions_that_end_early_are_refused() {
    let reason = refused(|graph| {
        let lookup = positions(graph);
        let old = std::mem::replace(&mut graph.node[lookup].input[1], "clipped".to_owned());
        graph.initializer.push(integer("last", POSITIONS - 2));
        graph.node.insert(lookup, node("Min", &[&old, "last"], "clipped"));
    });
    assert!(reason.contains("positions"), "{reason}");
}

#[test]
fn a_mask_that_hides_only_the_most_distant_tokens_is_refused() {
    let reason = refused(|graph| {
        let (scale, add) = scale_and_mask(graph);
        let is_scale = graph.node[add].input[0] == graph.node[scale].output[0];
        let slot = usize::from(is_scale);
        let old = std::mem::replace(&mut graph.node[add].input[slot], "windowed".to_owned());
        graph.node.insert(add, node("Add", &[&old, "window"], "windowed"));
        graph.initializer.extend([
            integer("zero", 0),
            float("width", POSITIONS as f32 - 2.0),
            float("hidden", -1e9),
        ]);
        graph.initializer.push(TensorProto { dims: vec![1], ..integer("axis", 1) });
        let window = [
            node("Range", &["zero", "length", "one"], "range"),
            floats("range", "row"),
            node("Unsqueeze", &["row", "axis"], "column"),
            node("Sub", &["row", "column"], "difference"),
            node("Abs", &["difference"], "distance"),
            node("Greater", &["distance", "width"], "is_far"),
            floats("is_far", "far"),
            node("Mul", &["far", "hidden"], "window"),
        ];
        graph.node.splice(0..0, window);
    });
    assert!(reason.contains("a mask that hides padding only"), "{reason}");
}
