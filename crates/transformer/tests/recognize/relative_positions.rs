//! Biases by relative positions are recognized if each score has the bias of the right bucket.

use prost::Message;
use transformer::onnx::format::{GraphProto, ModelProto, NodeProto};
use transformer::onnx::{self};
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

/// The node of the relative positions with an operator; its position among several ones is `number`.
fn node<'a>(graph: &'a mut GraphProto, op: &str, number: usize) -> &'a mut NodeProto {
    let mut nodes = graph.node.iter_mut();
    let found =
        nodes.by_ref().filter(|node| node.op_type == op && node.name.starts_with("/relative_positions/"));
    found.into_iter().nth(number).expect("a node")
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
fn biases_of_one_text_may_be_expanded_to_all() {
    let got = read(&changed(|graph| {
        let at = graph.node.iter().position(|node| node.name.starts_with("/layer.0")).expect("a layer");
        let biases = node(graph, "Unsqueeze", 2).output[0].clone();
        let sizes = node(graph, "Shape", 0).clone();
        // `[2, 1, 1, 1]`: the size of the batch, which `Where` takes from the shape of the mask of the attention.
        let mask = graph.node.iter().find(|node| node.name.starts_with("/mask/Unsqueeze")).expect("a mask");
        let shape = NodeProto { output: vec!["of_mask".to_owned()], input: mask.output.clone(), ..sizes };
        let ones = NodeProto {
            op_type: "Slice".to_owned(),
            input: ["of_mask", "zero", "three", "zero"].map(str::to_owned).into(),
            output: vec!["outer".to_owned()],
            ..NodeProto::default()
        };
        let shape_of_expanded = NodeProto {
            op_type: "Concat".to_owned(),
            input: ["outer", "one"].map(str::to_owned).into(),
            output: vec!["sizes".to_owned()],
            attribute: vec![transformer::onnx::format::AttributeProto {
                name: "axis".to_owned(),
                i: Some(0),
                r#type: Some(2),
                ..Default::default()
            }],
            ..NodeProto::default()
        };
        let expand = NodeProto {
            op_type: "Expand".to_owned(),
            input: vec![biases.clone(), "sizes".to_owned()],
            output: vec!["expanded".to_owned()],
            ..NodeProto::default()
        };
        for (name, value) in [("zero", 0i64), ("three", 3), ("one", 1)] {
            graph.initializer.push(transformer::onnx::format::TensorProto {
                name: name.to_owned(),
                dims: vec![1],
                data_type: Some(7),
                raw_data: Some(value.to_le_bytes().into()),
                ..Default::default()
            });
        }
        for node in &mut graph.node[at..] {
            node.input
                .iter_mut()
                .filter(|input| **input == biases)
                .for_each(|input| *input = "expanded".to_owned());
        }
        graph.node.splice(at..at, [shape, ones, shape_of_expanded, expand]);
    }));
    assert!(got.expect("a model") == mpnet());
}

#[test]
fn biases_of_other_scores_are_refused() {
    // Queries and keys are swapped, so keys after the query get the biases of keys before it.
    let reason = refused(&changed(|graph| node(graph, "Sub", 0).input.swap(0, 1)));
    assert!(
        reason.contains("expected the bucket 17 for token 0 as the query and token 1 as the key, got 1"),
        "{reason}"
    );
    // The same by the order of the axes.
    let reason = refused(&changed(|graph| node(graph, "Transpose", 0).attribute[0].ints = vec![2, 1, 0]));
    assert!(reason.contains("biases with the axes text, head, query and key"), "{reason}");
    // A shift by one position.
    let reason = refused(&changed(|graph| {
        let name = node(graph, "Add", 0).input[1].clone();
        let offset = graph.initializer.iter_mut().find(|tensor| tensor.name == name).expect("a constant");
        offset.raw_data = Some(20i64.to_le_bytes().into());
    }));
    assert!(
        reason.contains("expected the bucket 0 for token 0 as the query and token 0 as the key, got 1"),
        "{reason}"
    );
}

#[test]
fn tables_of_other_sizes_and_tables_of_layers_are_refused() {
    let table = |graph: &mut GraphProto| node(graph, "Gather", 2).input[0].clone();
    let reason = refused(&changed(|graph| {
        let name = table(graph);
        let table = graph.initializer.iter_mut().find(|tensor| tensor.name == name).expect("a table");
        table.dims = vec![33, 2];
        table.raw_data.as_mut().expect("values").extend([0; 8]);
    }));
    assert!(
        reason.contains("a table of an even number of rows, from 4 to 256, and 2 columns, got 33 by 2"),
        "{reason}"
    );
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
    assert!(reason.contains("the same relative positions in all layers"), "{reason}");
}
