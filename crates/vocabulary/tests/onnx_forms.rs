//! Tests that a head is read correctly from each of the forms that it takes in ONNX graphs, and that the errors for
//! other graphs name the node that does not match. The graphs are those of [`Graph::new`] with some nodes or weights
//! replaced.

mod support;

use std::fs;

use kernels::half::{HalfFormat, HalfKernels};
use support::Parts;
use support::graph::{Attribute, Graph, Node, Weights, node, open_head};
use vocabulary::{Error, Head};

/// Asserts that opening a graph fails with [`Error::Format`], and returns the message.
fn refused(graph: &Graph) -> String {
    let error = open_head(graph).expect_err("no head");
    assert!(matches!(error, Error::Format { .. }), "{error}");
    error.to_string()
}

/// Asserts that the head of a graph equals the head of [`Graph::new`]. `what` names the graph in messages.
fn assert_same(graph: &Graph, parts: &Parts, what: &str) {
    assert!(open_head(graph).expect(what) == open_head(&Graph::new(parts)).expect("a head"), "{what}");
}

/// The transpose of a row-major matrix.
fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| values.iter().skip(column).step_by(columns).copied()).collect()
}

#[test]
fn weights_may_be_transposed_renamed_and_of_any_number_format() {
    let parts = Parts::new(4, 3, 5, 2);
    let plain = Graph::new(&parts);
    let [dense, bias, .., decoder, _] = &parts.values;
    let product = |nodes: &[Node]| {
        let mut nodes = nodes.to_vec();
        nodes.push(node("Add", &["b", "product"], "logits"));
        plain.clone().replace("logits", nodes)
    };
    let decoder_transposed = Weights::new("E", &[3, 5], &transposed(decoder, 3));
    let matmul = node("MatMul", &["normal", "E"], "product");
    assert_same(&product(&[matmul]).with_weights(vec![decoder_transposed]), &parts, "MatMul");
    let permutation = Attribute::Numbers(vec![1, 0]);
    let tied = [
        node("Identity", &["E"], "same"),
        node("Transpose", &["same"], "transposed").with_attribute("perm", permutation.clone()),
        node("Reshape", &["normal", "anything"], "shaped"),
        node("MatMul", &["shaped", "transposed"], "product"),
    ];
    assert_same(&product(&tied), &parts, "a tied decoder");
    let twice = [
        node("Transpose", &["E"], "transposed"),
        node("Transpose", &["transposed"], "back").with_attribute("perm", permutation),
        node("com.microsoft::FusedMatMul", &["normal", "back"], "product")
            .with_attribute("transB", Attribute::Integer(1)),
    ];
    assert_same(&product(&twice), &parts, "FusedMatMul");
    // W is halved and alpha is 2; c is doubled and beta is 0.5. Both changes are exact.
    let halved: Vec<f32> = dense.iter().map(|value| value / 2.0).collect();
    let doubled: Vec<f32> = bias.iter().map(|value| value * 2.0).collect();
    let gemm = node("Gemm", &["vectors", "W", "c"], "dense")
        .with_attribute("alpha", Attribute::Float(2.0))
        .with_attribute("beta", Attribute::Float(0.5));
    let weights =
        vec![Weights::new("W", &[4, 3], &transposed(&halved, 4)), Weights::new("c", &[1, 1, 3], &doubled)];
    assert_same(
        &plain.clone().replace("dense", vec![gemm]).with_weights(weights),
        &parts,
        "Gemm with factors",
    );

    for (data_type, format) in [(10, HalfFormat::F16), (16, HalfFormat::Bf16)] {
        let mut narrow = vec![0; decoder.len()];
        HalfKernels::detect().narrow(format, decoder, &mut narrow);
        let raw = Weights::raw("E", data_type, &[5, 3], bytemuck::cast_slice(&narrow));
        assert_same(&plain.clone().with_weights(vec![raw]), &parts, "16 bits");
        let integers: Vec<i64> = narrow.iter().map(|&bits| i64::from(bits)).collect();
        assert_same(
            &plain.clone().with_weights(vec![Weights::int32_data("E", data_type, &[5, 3], &integers)]),
            &parts,
            "16 bits",
        );
    }
    let double: Vec<u8> = decoder.iter().flat_map(|&value| f64::from(value).to_le_bytes()).collect();
    assert_same(
        &plain.clone().with_weights(vec![Weights::raw("E", 11, &[5, 3], &double)]),
        &parts,
        "64 bits",
    );
}

#[test]
fn weights_of_8_bits_are_dequantized() {
    let parts = Parts::new(4, 3, 5, 3);
    let plain = Graph::new(&parts);
    let decoder = &parts.values[4];
    // The weights are multiples of 1/16, so integers with a scale of 1/16 represent them exactly.
    let sixteenths =
        |zero_point: i64| -> Vec<i64> { decoder.iter().map(|v| (v * 16.0) as i64 + zero_point).collect() };
    let scalar = |name, value: f32| Weights::new(name, &[], &[value]);
    let gemm =
        node("Gemm", &["normal", "wide", "b"], "logits").with_attribute("transB", Attribute::Integer(1));
    let dequantized = |attributes: Vec<(&'static str, Attribute)>, inputs: &[&'static str]| {
        let wide = Node { attributes, ..node("DequantizeLinear", inputs, "wide") };
        plain.clone().replace("logits", vec![wide, gemm.clone()])
    };
    let signed = Weights::int32_data("q", 3, &[5, 3], &sixteenths(0));
    let graph = dequantized(vec![], &["q", "s"]).with_weights(vec![signed.clone(), scalar("s", 1.0 / 16.0)]);
    assert_same(&graph, &parts, "one scale");
    let bytes: Vec<u8> = sixteenths(100).iter().map(|&value| value as u8).collect();
    let unsigned = Weights::raw("q", 2, &[5, 3], &bytes);
    let zero = Weights::int32_data("z", 2, &[], &[100]);
    let graph =
        dequantized(vec![], &["q", "s", "z"]).with_weights(vec![unsigned, zero, scalar("s", 1.0 / 16.0)]);
    assert_same(&graph, &parts, "one scale and zero point");
    // In odd rows, the integers are doubled and the scale is halved. The zero point of each row is its position.
    let rows: Vec<i64> = sixteenths(0)
        .chunks(3)
        .enumerate()
        .flat_map(|(i, row)| row.iter().map(move |v| v * (1 + i as i64 % 2) + i as i64))
        .collect();
    let scales: Vec<f32> = (0..5).map(|i| 1.0 / 16.0 / (1 + i % 2) as f32).collect();
    let per_row = vec![
        Weights::int32_data("q", 3, &[5, 3], &rows),
        Weights::new("s", &[5], &scales),
        Weights::int32_data("z", 3, &[5], &[0, 1, 2, 3, 4]),
    ];
    let graph =
        dequantized(vec![("axis", Attribute::Integer(0))], &["q", "s", "z"]).with_weights(per_row.clone());
    assert_same(&graph, &parts, "a scale for each row");
    // Without `axis`, the five scales would be those of columns, but there are three columns.
    assert!(
        refused(&dequantized(vec![], &["q", "s", "z"]).with_weights(per_row))
            .contains("make wide\" of op DequantizeLinear")
    );
    // Scales for blocks of values are not supported.
    let blocks = dequantized(vec![("block_size", Attribute::Integer(4))], &["q", "s"]);
    assert!(refused(&blocks.with_weights(vec![signed, scalar("s", 0.5)])).contains("scales for all weights"));

    let transposed =
        |values: &[i64]| (0..3).flat_map(|c| values.iter().skip(c).step_by(3).copied()).collect::<Vec<_>>();
    let per_column = vec![
        Weights::int32_data("q", 3, &[3, 5], &transposed(&rows)),
        Weights::new("s", &[5], &scales),
        Weights::int32_data("z", 3, &[5], &[0, 1, 2, 3, 4]),
    ];
    let dynamic = |graph: Graph| {
        graph.replace(
            "logits",
            vec![node("com.microsoft::DynamicQuantizeMatMul", &["normal", "q", "s", "z", "b"], "logits")],
        )
    };
    assert_same(&dynamic(plain.clone()).with_weights(per_column), &parts, "DynamicQuantizeMatMul");
}

#[test]
fn a_layer_norm_may_consist_of_several_nodes() {
    let parts = Parts::new(4, 3, 5, 4);
    let plain = Graph::new(&parts);
    let mean = |input, output| {
        node("ReduceMean", &[input], output).with_attribute("axes", Attribute::Numbers(vec![-1]))
    };
    let norm_graph = |squares: Node, rest: &[Node]| {
        let mut nodes = vec![
            mean("active", "mean"),
            node("Sub", &["active", "mean"], "centered"),
            squares,
            node("ReduceMean", &["squares", "axes"], "variance"),
            node("Add", &["variance", "epsilon"], "sum"),
        ];
        nodes.extend(rest.to_vec());
        nodes.push(node("Mul", &["scale", "unit"], "scaled"));
        nodes.push(node("Add", &["scaled", "shift"], "normal"));
        let axes = Weights::raw("axes", 7, &[1], &2i64.to_le_bytes());
        let numbers = [("two", 2.0), ("half", 0.5), ("minus_half", -0.5), ("epsilon", 1e-12)];
        let mut weights: Vec<_> =
            numbers.iter().map(|&(name, value)| Weights::new(name, &[], &[value])).collect();
        weights.push(axes);
        plain.clone().replace("normal", nodes).with_weights(weights)
    };
    let pow = node("Pow", &["centered", "two"], "squares");
    let root = node("Sqrt", &["sum"], "root");
    let div = node("Div", &["centered", "root"], "unit");
    assert_same(&norm_graph(pow.clone(), &[root.clone(), div.clone()]), &parts, "Pow, Sqrt, Div");
    let product = node("Mul", &["centered", "centered"], "squares");
    let inverse = [
        root.clone(),
        node("Reciprocal", &["root"], "inverse"),
        node("Mul", &["centered", "inverse"], "unit"),
    ];
    assert_same(&norm_graph(product.clone(), &inverse), &parts, "Mul, Sqrt, Reciprocal, Mul");
    let power =
        [node("Pow", &["sum", "minus_half"], "inverse"), node("Mul", &["inverse", "centered"], "unit")];
    assert_same(&norm_graph(product, &power), &parts, "Pow by -1/2");
    let power = [node("Pow", &["sum", "half"], "root"), div.clone()];
    assert_same(&norm_graph(pow.clone(), &power), &parts, "Pow by 1/2");
    // An epsilon of 0, to which a conversion to 16-bit floats may round it, is read as 1e-12.
    let zero = norm_graph(pow.clone(), &[root.clone(), div.clone()]).with_weights(vec![Weights::new(
        "epsilon",
        &[],
        &[0.0],
    )]);
    assert_same(&zero, &parts, "an epsilon of 0");

    let wrong_power = norm_graph(node("Pow", &["centered", "half"], "squares"), &[root.clone(), div.clone()]);
    assert!(refused(&wrong_power).contains("got node \"make squares\" of op Pow"));
    let uncentered = norm_graph(node("Pow", &["active", "two"], "squares"), &[root, div]);
    assert!(refused(&uncentered).contains("got node \"make squares\" of op Pow"));
}

#[test]
fn an_activation_is_recognized_by_its_values() {
    let parts = Parts::new(4, 3, 5, 5);
    let plain = Graph::new(&parts);
    let constants = |root: f32| {
        let numbers = [
            ("one", 1.0),
            ("half", 0.5),
            ("root", root),
            ("cubic", 0.044715),
            ("three", 3.0),
            ("factor", 0.797_884_6),
        ];
        numbers.iter().map(|&(name, value)| Weights::new(name, &[], &[value])).collect::<Vec<_>>()
    };
    let with_activation =
        |nodes: Vec<Node>, root: f32| plain.clone().replace("active", nodes).with_weights(constants(root));
    let erf = vec![
        node("Mul", &["half", "dense"], "halved"),
        node("Mul", &["dense", "root"], "inside"),
        node("Erf", &["inside"], "erf"),
        node("Add", &["erf", "one"], "above"),
        node("Mul", &["above", "halved"], "active"),
    ];
    assert_same(&with_activation(erf.clone(), 0.5f32.sqrt()), &parts, "Erf");
    // √½ rounded to three digits, as a conversion to 16-bit floats may do.
    assert_same(&with_activation(erf.clone(), 0.707), &parts, "Erf with a rounded constant");
    assert_same(
        &with_activation(vec![node("com.microsoft::Gelu", &["dense"], "active")], 0.0),
        &parts,
        "Gelu",
    );

    let tanh = vec![
        node("Pow", &["dense", "three"], "cube"),
        node("Mul", &["cube", "cubic"], "weighted"),
        node("Add", &["dense", "weighted"], "sum"),
        node("Mul", &["sum", "factor"], "inside"),
        node("Tanh", &["inside"], "tanh"),
        node("Add", &["tanh", "one"], "above"),
        node("Mul", &["dense", "above"], "twice"),
        node("Mul", &["twice", "half"], "active"),
    ];
    let approximate =
        node("Gelu", &["dense"], "active").with_attribute("approximate", Attribute::Text("tanh"));
    let approximate = open_head(&with_activation(vec![approximate], 0.0)).expect("a head");
    assert!(open_head(&with_activation(tanh.clone(), 0.0)).expect("a head") == approximate);
    assert!(
        open_head(&with_activation(vec![node("FastGelu", &["dense"], "active")], 0.0)).expect("a head")
            == approximate
    );
    assert!(open_head(&plain).expect("a head") != approximate);
    // BiasGelu adds the bias c of the dense layer, so the Gemm of the dense layer no longer does.
    let mut fused =
        plain.clone().replace("active", vec![node("com.microsoft::BiasGelu", &["dense", "c"], "active")]);
    fused.nodes[0].inputs.pop();
    assert_same(&fused, &parts, "BiasGelu");

    assert!(
        refused(&with_activation(erf, 1.0))
            .ends_with("got node \"make active\" of op Mul, which maps 1 to 0.9214")
    );
    let silu = vec![node("Sigmoid", &["dense"], "gate"), node("Mul", &["gate", "dense"], "active")];
    assert!(refused(&with_activation(silu, 1.0)).ends_with("which maps 1 to 0.7311"));
    assert!(
        refused(&with_activation(vec![node("Relu", &["dense"], "active")], 1.0))
            .ends_with("which maps 1 to 1.0000")
    );
    let other = vec![node("Softmax", &["dense"], "active")];
    assert!(refused(&with_activation(other, 1.0)).ends_with("got node \"make active\" of op Softmax"));
}

#[test]
fn a_head_may_lack_biases_and_its_output_may_have_any_name() {
    let mut parts = Parts::new(4, 3, 5, 6);
    let mut graph = Graph::new(&parts);
    // The last input of every node except Gelu (node 1) is a bias.
    graph.nodes.iter_mut().for_each(|node| node.inputs.truncate(node.inputs.len() - 1));
    graph.nodes[1].inputs.push("dense");
    for at in [1, 3, 5] {
        parts.values[at].iter_mut().for_each(|value| *value = 0.0);
    }
    assert_same(&graph, &parts, "without biases");
    graph.nodes[3].output = "prediction_scores";
    graph.outputs = vec!["dense", "prediction_scores"];
    assert_same(&graph, &parts, "the only output that a head computes");
    graph.outputs = vec!["dense", "active"];
    assert!(refused(&graph).ends_with("before exactly one output, got none before dense, active"));
    graph.outputs = vec!["prediction_scores", "prediction_scores"];
    assert!(refused(&graph).ends_with("got prediction_scores, prediction_scores"));
    graph.outputs = vec!["unknown"];
    assert!(refused(&graph).ends_with("got an input \"unknown\""));
}

#[test]
fn errors_for_graphs_without_a_head_name_the_node_and_the_expected_form() {
    let parts = Parts::new(4, 3, 5, 7);
    let plain = Graph::new(&parts);
    let assert_refused = |graph: Graph, expected: &str, got: &str| {
        let message = refused(&graph);
        assert!(message.contains(&format!("model.onnx: expected {expected}")), "{message}");
        assert!(message.ends_with(&format!("got {got}")), "{message}");
    };
    let nbits = node("com.microsoft::MatMulNBits", &["normal", "E", "b"], "logits");
    let decoder = "the decoder before the logits, MatMul with Add, Gemm or MatMulInteger";
    assert_refused(
        plain.clone().replace("logits", vec![nbits]),
        decoder,
        "node \"make logits\" of op MatMulNBits",
    );
    let custom = node("my.own::MatMul", &["normal", "E", "b"], "logits");
    assert_refused(
        plain.clone().replace("logits", vec![custom]),
        decoder,
        "node \"make logits\" of op my.own.MatMul",
    );
    let quantized = node("QLinearMatMul", &["vectors", "W"], "dense");
    assert_refused(
        plain.clone().replace("dense", vec![quantized]),
        "the dense layer before the activation",
        "node \"make dense\" of op QLinearMatMul",
    );
    let softmax = node("Softmax", &["active"], "normal");
    assert_refused(
        plain.clone().replace("normal", vec![softmax]),
        "a layer norm before the decoder",
        "node \"make normal\" of op Softmax",
    );
    let axis = node("LayerNormalization", &["active", "scale", "shift"], "normal")
        .with_attribute("axis", Attribute::Integer(1));
    assert_refused(
        plain.clone().replace("normal", vec![axis]),
        "a layer norm",
        "node \"make normal\" of op LayerNormalization",
    );
    let computed = node("Gemm", &["normal", "active", "b"], "logits");
    assert_refused(
        plain.clone().replace("logits", vec![computed]),
        "weights that are constants of the graph",
        "node \"make active\" of op Gelu",
    );
    let unknown = node("Gemm", &["normal", "lost", "b"], "logits");
    assert_refused(
        plain.clone().replace("logits", vec![unknown]),
        "weights that are constants",
        "an input \"lost\"",
    );
    // A cycle: a value that is computed from itself.
    let cycle = node("Identity", &["logits"], "logits");
    assert_refused(
        plain.clone().replace("logits", vec![cycle]),
        "a head that is found in 2000 steps",
        "more steps, the last at \"logits\"",
    );

    let weights = |name, shape: &[usize]| {
        plain.clone().with_weights(vec![Weights::new(name, shape, &vec![1.0; shape.iter().product()])])
    };
    assert_refused(weights("scale", &[2]), "3 weights at node \"make normal\"", "2");
    assert_refused(weights("shift", &[4]), "3 biases at node \"make normal\"", "4");
    assert_refused(weights("W", &[2, 4]), "1 or 2 biases at node \"make dense\"", "3");
    assert_refused(weights("b", &[7]), "1 or 5 biases at node \"make logits\"", "7");
    assert_refused(
        weights("E", &[5, 3, 1]),
        "a matrix of weights at node \"make logits\"",
        "shape [5, 3, 1]",
    );
    assert_refused(weights("E", &[0, 3]), "1 or 0 biases", "5");
    let infinite = Weights::new("c", &[3], &[0.0, f32::NEG_INFINITY, 0.0]);
    assert_refused(
        plain.clone().with_weights(vec![infinite]),
        "finite numbers in tensor \"c\"",
        "-inf at position 1",
    );
    let strings = Weights { data_type: 8, ..Weights::new("c", &[3], &[0.0; 3]) };
    assert_refused(plain.clone().with_weights(vec![strings]), "numbers of type FLOAT, FLOAT16", "type 8");
    let short = Weights { shape: vec![4], ..Weights::new("c", &[3], &[0.0; 3]) };
    assert_refused(
        plain.clone().with_weights(vec![short]),
        "4 numbers in tensor \"c\" of shape [4]",
        "12 bytes",
    );
    let few = Weights::int32_data("c", 3, &[3], &[1000, 2]);
    assert_refused(
        plain.clone().with_weights(vec![few]),
        "3 numbers in tensor \"c\" of shape [3]",
        "2 numbers",
    );
    for sizes in [vec![1 << 62, 8], vec![u64::MAX]] {
        let huge = Weights { shape: sizes, ..Weights::new("c", &[3], &[0.0; 3]) };
        assert!(
            refused(&plain.clone().with_weights(vec![huge]))
                .contains("expected a valid ONNX file, got tensor \"c\" of shape [")
        );
    }
    let negative = node("LayerNormalization", &["active", "scale", "shift"], "normal")
        .with_attribute("epsilon", Attribute::Float(-1.0));
    assert_refused(
        plain.clone().replace("normal", vec![negative]),
        "a number above 0 that node \"make normal\" adds",
        "-1",
    );

    let folder = tempfile::tempdir().expect("a folder");
    for bytes in [&b""[..], b"\x08\x08"] {
        fs::write(folder.path().join("model.onnx"), bytes).expect("written");
        let error = Head::open(folder.path()).expect_err("no graph").to_string();
        let expected = "model.onnx: expected an ONNX file with a graph, got a file without one";
        assert!(error.ends_with(expected), "{error}");
    }
}
