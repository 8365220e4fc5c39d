//! Relative position biases are recognized if each attention score has the bias of the right bucket.

use prost::Message;
use transformer::onnx;
use transformer::onnx::format::{GraphProto, ModelProto, NodeProto};
use transformer::weights::Weights;

use crate::support::weights::to_mpnet;
use crate::{read, refused, weights};

fn mpnet() -> Weights {
    let mut weights = weights(false);
    to_mpnet(&mut weights, 7);
    weights
}

/// The file of an MPNet, changed.
fn changed(change: impl FnOnce(&mut GraphProto)) -> ModelProto {
    let bytes = onnx::to_bytes(&mpnet()).expect("bytes");
    let mut model = ModelProto::decode(bytes.as_slice()).expect("a model");
    change(model.graph.as_mut().expect("a graph"));
    model
}

/// The node of the biases with an operator; its position among several ones is `number`.
fn node<'a>(graph: &'a mut GraphProto, op: &str, number: usize) -> &'a mut NodeProto {
    let is_one =
        |node: &&mut NodeProto| node.op_type == op && node.name.starts_with("/relative_position_biases/");
    graph.node.iter_mut().filter(is_one).nth(number).expect("a node")
}

#[test]
fn the_addends_of_scores_may_have_any_order() {
    let got = read(&changed(|graph| {
        let biases = node(graph, "Unsqueeze", 2).output[0].clone();
        let adds = graph.node.iter_mut().filter(|node| node.op_type == "Add" && node.input[1] == biases);
        adds.for_each(|node| node.input.swap(0, 1));
    }));
    assert!(got.expect("a model") == mpnet());
}

#[test]
fn biases_of_other_scores_are_refused() {
    // Queries and keys are swapped, so keys after the query get the biases of keys before it.
    let reason = refused(&changed(|graph| node(graph, "Sub", 0).input.swap(0, 1)));
    assert!(reason.contains("expected the bucket 17 for the query 0 and the key 1, got 1"), "{reason}");
    // The same by the order of the axes.
    let reason = refused(&changed(|graph| node(graph, "Transpose", 0).attribute[0].ints = vec![2, 1, 0]));
    assert!(reason.contains("biases with the axes text, head, query and key"), "{reason}");
    // A shift by one position.
    let reason = refused(&changed(|graph| {
        let name = node(graph, "Add", 0).input[1].clone();
        let offset = graph.initializer.iter_mut().find(|tensor| tensor.name == name).expect("a constant");
        offset.raw_data = Some(20i64.to_le_bytes().into());
    }));
    assert!(reason.contains("expected the bucket 0 for the query 0 and the key 0, got 1"), "{reason}");
}

#[test]
fn tables_of_other_sizes_and_layers_with_other_biases_are_refused() {
    let table = |graph: &mut GraphProto| node(graph, "Gather", 2).input[0].clone();
    let reason = refused(&changed(|graph| {
        let name = table(graph);
        let table = graph.initializer.iter_mut().find(|tensor| tensor.name == name).expect("a table");
        table.dims = vec![33, 2];
        table.raw_data.as_mut().expect("values").extend([0; 8]);
    }));
    assert!(reason.contains("a table of 32 rows and 2 columns, got the shape [33, 2]"), "{reason}");
    // The first layer has no biases.
    let reason = refused(&changed(|graph| {
        let biases = node(graph, "Unsqueeze", 2).output[0].clone();
        let first = graph.node.iter().position(|node| node.input.contains(&biases)).expect("a layer");
        let (before, after) = (graph.node[first].input[0].clone(), graph.node[first].output[0].clone());
        graph.node.iter_mut().flat_map(|node| &mut node.input).filter(|input| **input == after).for_each(
            |input| {
                input.clone_from(&before);
            },
        );
    }));
    assert!(reason.contains("the same relative position biases in all layers"), "{reason}");
    // The first layer has biases of its own.
    let reason = refused(&changed(|graph| {
        let biases = node(graph, "Unsqueeze", 2).output[0].clone();
        let name = table(graph);
        let mut other = graph.initializer.iter().find(|tensor| tensor.name == name).expect("a table").clone();
        other.name = "other".to_owned();
        other.raw_data.as_mut().expect("values")[..4].copy_from_slice(&9f32.to_le_bytes());
        graph.initializer.push(other);
        let first = graph.node.iter().position(|node| node.input.contains(&biases)).expect("a layer");
        let mut gather = node(graph, "Gather", 2).clone();
        gather.input[0] = "other".to_owned();
        let mut transpose = node(graph, "Transpose", 0).clone();
        let mut unsqueeze = node(graph, "Unsqueeze", 2).clone();
        for node in [&mut gather, &mut transpose, &mut unsqueeze] {
            node.output[0] = format!("other_{}", node.output[0]);
        }
        transpose.input[0].clone_from(&gather.output[0]);
        unsqueeze.input[0].clone_from(&transpose.output[0]);
        let input = graph.node[first].input.iter_mut().find(|input| **input == biases).expect("the biases");
        input.clone_from(&unsqueeze.output[0]);
        graph.node.splice(first..first, [gather, transpose, unsqueeze]);
    }));
    assert!(reason.contains("the same relative position biases in all layers"), "{reason}");
}
