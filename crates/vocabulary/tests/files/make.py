"""Writes the test files in this folder: python3 make.py

It needs torch 2.15.0, transformers 5.23.0, onnx 1.23.2, onnxscript 0.7.2, onnxruntime 1.31.1, safetensors 0.8.0 and numpy
2.4.6.

Each `.onnx` file is a small masked-language model with random weights, or only its head, as written by one exporter,
optimizer or quantizer. `new` in a file name means that the activation is `gelu_new`, the tanh approximation of GELU.
`head-optimized` also has this activation.

For each file NAME, `expected.safetensors` has `NAME.vectors`, the inputs of the head; `NAME.logits`, the logits that
ONNX Runtime computes from them; and `NAME.bounds`, bounds on the difference between two computations of these logits in
single precision.

If a model computes in 16 or 8 bits, ONNX Runtime runs the same weights in a graph that computes in single precision.
The expected logits therefore do not depend on the rounding of activations.

Parameters called `graph` are whole models (`onnx.ModelProto`); `graph.graph` is the graph in the model.
"""

import copy
import os
import tempfile
import warnings

import numpy
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers.float16 import convert_float_to_float16
from onnxruntime.transformers.optimizer import optimize_model
from safetensors.numpy import save_file
from transformers import (
    BertConfig,
    BertForMaskedLM,
    DistilBertConfig,
    DistilBertForMaskedLM,
    ElectraConfig,
    ElectraForMaskedLM,
    MPNetConfig,
    MPNetForMaskedLM,
    RobertaConfig,
    RobertaForMaskedLM,
)

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(3)
os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = numpy.random.default_rng(1)
torch.manual_seed(1)

VOCABULARY, DIM, POSITIONS = 40, 8, 12
# The token ids of the text that the models are run on.
IDS = rng.integers(5, VOCABULARY, (1, 3))
# Maximum relative error of one rounding to single precision.
ROUNDOFF = 2.0**-24
# Operators that multiply activations by weights.
PRODUCTS = {"MatMul", "Gemm", "FusedMatMul", "MatMulInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"}
# The arrays of `expected.safetensors`, by name.
expected = {}


# Models


class Logits(torch.nn.Module):
    """A model whose only output is the logits."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def make_model(kind, config, layers=0, **settings):
    """Makes a model with random weights. By default it has no encoder layers, which would take up most of a small file."""
    shared = dict(vocab_size=VOCABULARY, attn_implementation="eager", **settings)
    if kind is DistilBertForMaskedLM:
        shared |= dict(dim=DIM, n_layers=layers, n_heads=2, hidden_dim=8, max_position_embeddings=POSITIONS)
    else:
        shared |= dict(
            hidden_size=DIM,
            num_hidden_layers=layers,
            num_attention_heads=2,
            intermediate_size=8,
            max_position_embeddings=POSITIONS,
        )
    network = kind(config(**shared)).eval()
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            is_norm_weight = "norm" in name.lower() and name.endswith("weight")
            parameter.copy_(torch.randn(parameter.shape) * 0.4 + (1.0 if is_norm_weight else 0.0))
    return network


def head_weights(network):
    """Returns weight and bias of the dense layer, the layer norm and the decoder in double precision."""
    if isinstance(network, BertForMaskedLM):
        head = network.cls.predictions
        modules = head.transform.dense, head.transform.LayerNorm, head.decoder
    elif isinstance(network, DistilBertForMaskedLM):
        modules = network.vocab_transform, network.vocab_layer_norm, network.vocab_projector
    elif isinstance(network, ElectraForMaskedLM):
        head = network.generator_predictions
        modules = head.dense, head.LayerNorm, network.generator_lm_head
    else:
        modules = network.lm_head.dense, network.lm_head.layer_norm, network.lm_head.decoder
    return [part.detach().double().numpy() for module in modules for part in (module.weight, module.bias)]


def export_torchscript(network, opset):
    """Exports a model with the TorchScript-based exporter."""
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "batch", 1: "sequence"} for name in [*names, "logits"]}
    return export(
        network, input_names=names, output_names=["logits"], dynamic_axes=axes, opset_version=opset, dynamo=False
    )


def export_dynamo(network, opset):
    """Exports a model with the exporter based on torch.export."""
    names = ["input_ids", "attention_mask"]
    return export(network, input_names=names, output_names=["logits"], opset_version=opset, dynamo=True)


def export(network, **settings):
    """Exports a model so that its only output is the logits."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        ids = torch.tensor(IDS)
        torch.onnx.export(Logits(network), (ids, torch.ones_like(ids)), path, **settings)
        return strip_metadata(onnx.load(path))


def strip_metadata(graph):
    """Removes the metadata that exporters add to each node, which would take up most of a small file."""
    del graph.metadata_props[:]
    for holder in [graph.graph, *graph.graph.node, *graph.graph.value_info, *graph.graph.initializer]:
        del holder.metadata_props[:]
        holder.doc_string = ""
    for holder in [*graph.graph.input, *graph.graph.output]:
        del holder.metadata_props[:]
    del graph.graph.value_info[:]
    return graph


# Changes to the graphs


def tie_decoder(graph, embeddings):
    """Replaces the decoder with the word embeddings, transposed in the graph, as Hugging Face's Optimum does."""
    graph = copy.deepcopy(graph)
    product = [node for node in graph.graph.node if node.op_type == "MatMul"][-1]
    replaced = product.input[1]
    remaining = [tensor for tensor in graph.graph.initializer if tensor.name != replaced]
    assert len(remaining) + 1 == len(graph.graph.initializer) and embeddings in {tensor.name for tensor in remaining}
    del graph.graph.initializer[:]
    graph.graph.initializer.extend(remaining)
    at = list(graph.graph.node).index(product)
    graph.graph.node.insert(at, helper.make_node("Transpose", [embeddings], [replaced], name="turn", perm=[1, 0]))
    return graph


def convert_file(graph, work):
    """Returns the graph that `work(before, after)` writes to the file `after`, given a file `before` with a graph."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "before.onnx"), os.path.join(folder, "after.onnx")
        onnx.save(graph, before)
        work(before, after)
        return strip_metadata(onnx.load(after))


def optimize(graph, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED):
    """Optimizes a graph with ONNX Runtime."""

    def work(before, after):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.optimized_model_filepath = after
        onnxruntime.InferenceSession(before, options, providers=["CPUExecutionProvider"])

    return convert_file(graph, work)


def fuse(graph):
    """Optimizes a graph with the transformers optimizer of ONNX Runtime."""

    def work(before, after):
        optimized = optimize_model(before, "bert", num_heads=2, hidden_size=DIM, opt_level=0)
        optimized.save_model_to_file(after)

    return convert_file(graph, work)


def quantize(graph, **settings):
    """Quantizes a graph with ONNX Runtime: weights have 8 bits, and inputs of products are rounded to 8 bits too."""
    return convert_file(graph, lambda before, after: quantize_dynamic(before, after, **settings))


def quantize_weights(graph, per_channel):
    """Stores weight matrices in 8 bits, with DequantizeLinear before the products.

    With `per_channel`, each column of a matrix has its own scale.
    """
    graph = copy.deepcopy(graph)
    nodes, tensors = [], []
    for tensor in graph.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.ndim != 2 or values.dtype != numpy.float32:
            tensors.append(tensor)
            continue
        max_weight = numpy.abs(values).max(axis=0) if per_channel else numpy.abs(values).max()
        scale = (max_weight / 100).astype(numpy.float32)
        if per_channel:
            integers, settings = numpy.round(values / scale).astype(numpy.int8), {"axis": 1}
            zero = numpy.zeros_like(scale, dtype=numpy.int8)
        else:
            integers, settings = (numpy.round(values / scale) + 128).astype(numpy.uint8), {}
            zero = numpy.array(128, dtype=numpy.uint8)
        names = [f"{tensor.name}_{end}" for end in ("quantized", "scale", "zero_point")]
        tensors += [numpy_helper.from_array(array, name) for array, name in zip((integers, scale, zero), names)]
        name = f"{tensor.name}_dequantize"
        nodes.append(helper.make_node("DequantizeLinear", names, [tensor.name], name=name, **settings))
    del graph.graph.initializer[:]
    graph.graph.initializer.extend(tensors)
    nodes += graph.graph.node
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    return graph


def store_in_typed_fields(graph):
    """Stores weights in typed fields (`float_data`, `int32_data`) instead of raw bytes."""
    graph = copy.deepcopy(graph)
    for tensor in graph.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if tensor.data_type == TensorProto.FLOAT:
            tensor.ClearField("raw_data")
            tensor.float_data.extend(values.reshape(-1).tolist())
        if tensor.data_type == TensorProto.FLOAT16:
            tensor.ClearField("raw_data")
            tensor.int32_data.extend(values.view(numpy.uint16).reshape(-1).tolist())
    return graph


# Expected values


def in_single_precision(graph):
    """Returns a graph with the same weights that computes in single precision."""
    graph = copy.deepcopy(graph)
    del graph.graph.value_info[:]
    half_types = (TensorProto.FLOAT16, TensorProto.BFLOAT16)

    def widen(tensor):
        if tensor.data_type in half_types:
            wide = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(numpy.float32), tensor.name)
            tensor.CopyFrom(wide)

    nodes = []
    # The input before quantization, for each quantized input.
    unquantized = {}
    for tensor in graph.graph.initializer:
        widen(tensor)
    for value in [*graph.graph.input, *graph.graph.output]:
        if value.type.tensor_type.elem_type in half_types:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for node in graph.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                widen(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i in half_types:
                attribute.i = TensorProto.FLOAT
        if node.op_type == "DynamicQuantizeLinear":
            # The scale and the zero point with which quantized values equal the original ones.
            identity = [("scale", numpy.float32(1)), ("zero", numpy.uint8(0))]
            for name, (_, value) in zip(node.output[1:], identity):
                graph.graph.initializer.append(numpy_helper.from_array(numpy.array(value), name))
            unquantized[node.output[0]] = node.input[0]
        elif node.op_type == "MatMulInteger":
            weight = node.output[0] + "_weight"
            one = node.output[0] + "_one"
            zero_point = next(tensor for tensor in graph.graph.initializer if tensor.name == node.input[3])
            ones = numpy.ones(numpy_helper.to_array(zero_point).shape, numpy.float32)
            graph.graph.initializer.append(numpy_helper.from_array(ones, one))
            nodes.append(helper.make_node("DequantizeLinear", [node.input[1], one, node.input[3]], [weight], axis=1))
            nodes.append(helper.make_node("MatMul", [unquantized[node.input[0]], weight], [node.output[0]]))
        else:
            nodes.append(node)
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    return graph


def head_input(graph):
    """Returns the name of the input of the head: the input of the second product from the end."""
    producers = {name: node for node in graph.graph.node for name in node.output}
    constant = {tensor.name for tensor in graph.graph.initializer}
    value, products = graph.graph.output[0].name, 0
    while True:
        node = producers[value]
        computed = [
            name
            for name in node.input
            if name in producers and name not in constant and producers[name].op_type != "Constant"
        ]
        products += node.op_type in PRODUCTS
        if products == 2:
            return node.input[0]
        # All computed inputs of other nodes lead to the same product.
        value = node.input[0] if node.op_type in PRODUCTS else computed[0]


def run(graph):
    """Runs a graph in ONNX Runtime. Returns the input of the head and the logits that the head computes from it."""
    graph = copy.deepcopy(graph)
    inputs = {value.name for value in graph.graph.input}
    if inputs == {"vectors"}:
        vectors = rng.normal(size=(3, DIM)).astype(numpy.float32)
        feed, outputs = {"vectors": vectors}, None
    else:
        feed = {"input_ids": IDS, "attention_mask": numpy.ones_like(IDS)}
        feed = {name: array for name, array in feed.items() if name in inputs}
        input_name = head_input(graph)
        graph.graph.output.append(helper.make_tensor_value_info(input_name, TensorProto.FLOAT, None))
        outputs = [graph.graph.output[0].name, input_name]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
    logits, *rest = session.run(outputs, feed)
    vectors = rest[0] if rest else vectors
    return vectors.reshape(-1, DIM), logits.reshape(-1, VOCABULARY)


def error_bounds(vectors, weights, constant_error):
    """Returns bounds on the difference between two computations of the logits.

    A sum of n products has an error of at most (n + 2) · ROUNDOFF times the sum of the products' absolute values. GELU
    multiplies the error of its argument by at most the slope of GELU, which is below 1.13, and adds eight roundings of
    the argument. The mean of the layer norm has the error of one value plus the rounding of a sum. The variance,
    computed as a mean of squares minus a square, has the rounding error of the mean of squares. The rest is as in
    `Parts::transform` of the tests. The bound is doubled because both computations have errors, and doubled again
    because `weights` are those before quantization.

    `constant_error` is the relative error of the constants in GELU. A relative error ε of one constant changes the
    value at x by ε · x² times the normal density at x, which is below 0.3 ε. The tanh approximation of GELU has two
    such constants, and the two errors together are below ε.
    """
    dense, dense_bias, scale, shift, decoder, bias = weights
    vectors = vectors.astype(numpy.float64)
    product = lambda a, b, bias: (a.shape[1] + 2) * ROUNDOFF * (numpy.abs(a) @ numpy.abs(b.T) + numpy.abs(bias))
    before = vectors @ dense.T + dense_bias
    values = torch.nn.functional.gelu(torch.tensor(before)).numpy()
    inner = values.shape[1]
    error = 1.13 * product(vectors, dense, dense_bias) + 8 * ROUNDOFF * numpy.abs(before) + constant_error
    error = (error + (inner + 2) * ROUNDOFF * numpy.abs(values).max(axis=1, keepdims=True)).max(axis=1, keepdims=True)
    deviation = values.std(axis=1, keepdims=True)
    normal = (values - values.mean(axis=1, keepdims=True)) / deviation
    squares = (inner + 4) * ROUNDOFF * (values**2).mean(axis=1, keepdims=True) / deviation**2
    error = 2 * error / (deviation - 2 * error) * (1 + numpy.abs(normal)) + squares * numpy.abs(normal)
    transformed = normal * scale + shift
    error = error * numpy.abs(scale) + 4 * ROUNDOFF * numpy.abs(transformed)
    return (4 * (error @ numpy.abs(decoder.T) + product(transformed, decoder, bias))).astype(numpy.float32)


def save(name, graph, weights, **settings):
    """Writes a graph to a file, and adds the expected values for it to `expected`."""
    onnx.save(graph, f"{name}.onnx", **settings)
    vectors, logits = run(in_single_precision(onnx.load(f"{name}.onnx")))
    expected[f"{name}.vectors"], expected[f"{name}.logits"] = vectors.copy(), logits.copy()
    expected[f"{name}.bounds"] = error_bounds(vectors, weights, 2.0**-11 if "half" in name else 0.0)
    ops = {node.op_type for node in graph.graph.node}
    size, bound = os.path.getsize(f"{name}.onnx"), expected[f"{name}.bounds"].max()
    print(f"{name}: {size} bytes, bound {bound:.1e}; {' '.join(sorted(ops))}")


# The models. `deep` has an encoder layer: its graph also has attention and other layer norms, which are not the head's.
deep = make_model(BertForMaskedLM, BertConfig, layers=1)
bert = make_model(BertForMaskedLM, BertConfig)
untied = make_model(BertForMaskedLM, BertConfig, tie_word_embeddings=False)
gelu_new = make_model(BertForMaskedLM, BertConfig, hidden_act="gelu_new", layer_norm_eps=1e-5)
roberta = make_model(RobertaForMaskedLM, RobertaConfig)
mpnet = make_model(MPNetForMaskedLM, MPNetConfig)
distilbert = make_model(DistilBertForMaskedLM, DistilBertConfig)
electra = make_model(ElectraForMaskedLM, ElectraConfig, embedding_size=6)

save("bert-script", export_torchscript(deep, 14), head_weights(deep))
save("bert-dynamo", export_dynamo(deep, 18), head_weights(deep))
save("bert-fused", fuse(export_torchscript(deep, 14)), head_weights(deep))
opset_14, opset_17 = export_torchscript(bert, 14), export_torchscript(bert, 17)
save("bert-dynamo-20", export_dynamo(bert, 20), head_weights(bert))
save("bert-tied", tie_decoder(opset_14, "model.bert.embeddings.word_embeddings.weight"), head_weights(bert))
save("bert-untied", export_torchscript(untied, 17), head_weights(untied))
save("bert-new-script", export_torchscript(gelu_new, 17), head_weights(gelu_new))
save("bert-new-dynamo", export_dynamo(gelu_new, 20), head_weights(gelu_new))
save("roberta-script", export_torchscript(roberta, 13), head_weights(roberta))
save("roberta-dynamo", export_dynamo(roberta, 18), head_weights(roberta))
save("mpnet-script", export_torchscript(mpnet, 14), head_weights(mpnet))
save("distilbert-script", export_torchscript(distilbert, 17), head_weights(distilbert))
save("distilbert-dynamo", export_dynamo(distilbert, 20), head_weights(distilbert))
save("electra-script", export_torchscript(electra, 17), head_weights(electra))

save("bert-optimized", optimize(opset_14), head_weights(bert))
save("bert-new-optimized", optimize(export_torchscript(gelu_new, 14)), head_weights(gelu_new))
save("bert-new-fused", fuse(export_torchscript(gelu_new, 14)), head_weights(gelu_new))
save("bert-half", convert_float_to_float16(copy.deepcopy(opset_14), keep_io_types=True), head_weights(bert))
save("bert-new-half-17", convert_float_to_float16(export_torchscript(gelu_new, 17)), head_weights(gelu_new))
save("bert-int8", quantize(opset_14, weight_type=QuantType.QInt8, per_channel=True), head_weights(bert))
save("roberta-uint8", quantize(export_torchscript(roberta, 17), weight_type=QuantType.QUInt8), head_weights(roberta))
save("bert-dequantized", quantize_weights(opset_17, False), head_weights(bert))
save("distilbert-dequantized", quantize_weights(export_torchscript(distilbert, 14), True), head_weights(distilbert))
save("bert-typed", store_in_typed_fields(opset_14), head_weights(bert))
save("bert-half-typed", store_in_typed_fields(convert_float_to_float16(copy.deepcopy(opset_17))), head_weights(bert))
save(
    "bert-external",
    copy.deepcopy(opset_14),
    head_weights(bert),
    save_as_external_data=True,
    location="bert-external.onnx_data",
    size_threshold=64,
)


def export_head(network, **settings):
    """Exports only the head of a model. Its input is called "vectors", and its output is not called "logits"."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "head.onnx")
        torch.onnx.export(
            network, (torch.zeros(3, DIM),), path, input_names=["vectors"], output_names=["output"], **settings
        )
        return strip_metadata(onnx.load(path))


save("head-script", export_head(bert.cls.predictions, opset_version=17, dynamo=False), head_weights(bert))
save("head-dynamo", export_head(roberta.lm_head, opset_version=20, dynamo=True), head_weights(roberta))
save("head-optimized", optimize(export_head(gelu_new.cls.predictions, opset_version=14, dynamo=False)), head_weights(gelu_new))

save_file(expected, "expected.safetensors")
