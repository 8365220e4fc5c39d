//! Files whose sizes, types or order of nodes are wrong are refused. None of them makes the reader panic, overflow the
//! stack, or compute for long.

use transformer::onnx::Error;
use transformer::onnx::format::{DataType, GraphProto, ModelProto, NodeProto, TensorProto};

use crate::forms::COMMON;
use crate::graph::write;
use crate::{changed, read, refused, weights};

/// Checks that a file is reported as damaged after a change of its first tensor.
fn assert_damaged(change: impl FnOnce(&mut TensorProto)) {
    let model = changed(|graph| change(&mut graph.initializer[0]));
    let result = read(&model);
    assert!(matches!(result, Err(Error::Malformed { .. })), "{:?}", result.err());
}

/// Reads a file that was damaged in an arbitrary way.
fn read_without_panic(model: &ModelProto) {
    drop(read(model));
}

fn node(op: &str, inputs: &[&str], output: &str) -> NodeProto {
    NodeProto {
        op_type: op.to_owned(),
        input: inputs.iter().map(|&name| name.to_owned()).collect(),
        output: vec![output.to_owned()],
        ..NodeProto::default()
    }
}

#[test]
fn tensors_whose_sizes_differ_from_their_values_are_damaged() {
    assert_damaged(|tensor| tensor.raw_data.as_mut().expect("values").truncate(1));
    assert_damaged(|tensor| tensor.raw_data = None);
    assert_damaged(|tensor| tensor.dims[0] = -1);
    assert_damaged(|tensor| tensor.dims = vec![i64::MAX, i64::MAX]);
    assert_damaged(|tensor| tensor.dims = vec![i64::MAX]);
    assert_damaged(|tensor| tensor.dims.push(2));
    assert_damaged(|tensor| tensor.data_type = Some(DataType::Int64 as i32));
}

#[test]
fn a_graph_that_is_missing_is_damaged() {
    let mut model = write(&weights(false), COMMON);
    model.graph = None;
    assert!(matches!(read(&model), Err(Error::Malformed { .. })));
}

#[test]
fn versions_of_operators_that_are_missing_or_old_are_refused() {
    let mut model = write(&weights(false), COMMON);
    model.opset_import[0].version = Some(8);
    assert_eq!(refused(&model), "operator set: expected version 9 or later, got version 8");
    model.opset_import.clear();
    assert_eq!(refused(&model), "operator set: expected version 9 or later, got none");
}

#[test]
fn graphs_with_cycles_and_undefined_or_repeated_values_are_refused() {
    let cycle = changed(|graph| {
        let last = graph.node.last().expect("a node").output[0].clone();
        let first = graph.node.iter_mut().find(|node| node.op_type == "LayerNormalization").expect("a norm");
        first.input[0] = last;
    });
    assert!(refused(&cycle).contains("inputs that earlier nodes compute"));
    let undefined = changed(|graph| "none".clone_into(&mut graph.output[0].name));
    assert!(refused(&undefined).contains("output `none`"));
    let repeated = changed(|graph| {
        let node = graph.node[0].clone();
        graph.node.push(node);
    });
    assert!(refused(&repeated).contains("expected one definition"));
    let no_outputs = changed(|graph| graph.output.clear());
    assert_eq!(refused(&no_outputs), "graph: expected between 1 and 128 outputs, got 0");
}

#[test]
fn long_chains_of_nodes_do_not_overflow_the_stack() {
    for op in ["Identity", "Add", "Mul", "Squeeze", "Transpose", "Cast"] {
        let model = changed(|graph| {
            let mut name = graph.output[0].name.clone();
            for number in 0..50_000 {
                let output = format!("chain_{number}");
                let inputs: &[&str] = if matches!(op, "Add" | "Mul") { &[&name, &name] } else { &[&name] };
                graph.node.push(node(op, inputs, &output));
                name = output;
            }
            graph.output[0].name = name;
        });
        // Without axes of size 1, `Squeeze` copies its input.
        if matches!(op, "Identity" | "Squeeze") {
            assert!(read(&model).is_ok());
        } else {
            refused(&model);
        }
    }
}

#[test]
fn work_that_a_graph_repeats_without_bound_is_not_done() {
    let sizes = |name: &str, values: &[i64]| TensorProto {
        name: name.to_owned(),
        dims: vec![values.len() as i64],
        data_type: Some(DataType::Int64 as i32),
        int64_data: values.to_vec(),
        ..TensorProto::default()
    };
    // More than memory, in one tensor. The graph does not need it.
    let huge = changed(|graph| {
        graph.initializer.push(sizes("huge", &[1 << 40, 1 << 40]));
        graph.node.insert(0, node("ConstantOfShape", &["huge"], "tensor"));
    });
    assert!(read(&huge).is_ok());
    // 10⁵ tensors of 2 million values each, and as many sums of them.
    let many = changed(|graph| {
        graph.initializer.push(sizes("large", &[1 << 21]));
        let tensors =
            (0..100_000).map(|number| node("ConstantOfShape", &["large"], &format!("tensor_{number}")));
        let sums = (0..100_000).map(|number| node("ReduceSum", &["tensor_0"], &format!("sum_{number}")));
        graph.node = tensors.chain(sums).chain(std::mem::take(&mut graph.node)).collect();
    });
    assert!(refused(&many).contains("an operator, types and shapes of a supported model"));
}

/// All changes of one input, one output or one constant.
#[test]
fn no_single_change_of_a_graph_makes_the_reader_panic() {
    let model = write(&weights(true), COMMON);
    let graph = |model: &ModelProto| model.graph.clone().expect("a graph");
    let original = graph(&model);
    let with = |graph: GraphProto| ModelProto { graph: Some(graph), ..model.clone() };
    let stride = 7;
    for number in (0..original.node.len()).step_by(stride) {
        for change in 0..5 {
            let mut graph = original.clone();
            let changed = &mut graph.node[number];
            match change {
                0 => changed.input.clear(),
                1 => changed.output.clear(),
                2 => changed.attribute.clear(),
                3 => changed.input.reverse(),
                _ => changed.input.iter_mut().for_each(String::clear),
            }
            read_without_panic(&with(graph));
        }
    }
    for number in (0..original.initializer.len()).step_by(stride) {
        for dims in [vec![], vec![0], vec![1, 1], vec![0, i64::MAX, 3]] {
            let mut graph = original.clone();
            let tensor = &mut graph.initializer[number];
            let width = match tensor.data_type() {
                DataType::Int64 => 8,
                DataType::Float => 4,
                _ => 1,
            };
            let count = usize::from(!dims.contains(&0));
            tensor.raw_data = Some(vec![255; width * count]);
            tensor.dims = dims;
            read_without_panic(&with(graph));
        }
    }
}
