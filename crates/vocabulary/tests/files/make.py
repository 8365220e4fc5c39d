"""Writes the test files in this folder, with torch 2.15.0, transformers 5.23.0, onnx 1.23.2, onnxscript 0.7.2, onnxruntime 1.31.1,
safetensors 0.8.0 and numpy 2.4.6: python3 make.py

Each `.onnx` file is a small masked-language model with random weights, or only its head, as written by one exporter, optimizer
or quantizer. For each file NAME, `expected.safetensors` has `NAME.vectors`, the inputs of the head; `NAME.logits`, the logits
that ONNX Runtime computes from them; and `NAME.bounds`, bounds on the difference between two computations of these logits in
single precision.

If a model computes in 16 or 8 bits, ONNX Runtime runs the same weights in a graph that computes in single precision, so that
the expected logits do not depend on the rounding of activations.
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
numbers = numpy.random.default_rng(1)
torch.manual_seed(1)

VOCABULARY, DIM, POSITIONS = 40, 8, 12
IDS = numbers.integers(5, VOCABULARY, (1, 3))
ROUNDOFF = 2.0**-24
# Operations that multiply activations by weights.
PRODUCTS = {"MatMul", "Gemm", "FusedMatMul", "MatMulInteger", "DynamicQuantizeMatMul", "MatMulIntegerToFloat"}
expected = {}


# Models


class Logits(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask):
        return self.model(input_ids=input_ids, attention_mask=attention_mask).logits


def model(kind, config, layers=0, **settings):
    """Makes a model with random weights and by default without encoder layers, which would take up most of a small file."""
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
    made = kind(config(**shared)).eval()
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            norm = "norm" in name.lower() and name.endswith("weight")
            parameter.copy_(torch.randn(parameter.shape) * 0.4 + (1.0 if norm else 0.0))
    return made


def parts(made):
    """Returns dense weight and bias, layer norm weight and bias, and decoder weight and bias in double precision."""
    if isinstance(made, BertForMaskedLM):
        head = made.cls.predictions
        modules = head.transform.dense, head.transform.LayerNorm, head.decoder
    elif isinstance(made, DistilBertForMaskedLM):
        modules = made.vocab_transform, made.vocab_layer_norm, made.vocab_projector
    elif isinstance(made, ElectraForMaskedLM):
        head = made.generator_predictions
        modules = head.dense, head.LayerNorm, made.generator_lm_head
    else:
        modules = made.lm_head.dense, made.lm_head.layer_norm, made.lm_head.decoder
    return [part.detach().double().numpy() for module in modules for part in (module.weight, module.bias)]


def script(made, opset):
    """Exports a model with the exporter of TorchScript."""
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "batch", 1: "sequence"} for name in [*names, "logits"]}
    return exported(
        made, input_names=names, output_names=["logits"], dynamic_axes=axes, opset_version=opset, dynamo=False
    )


def dynamo(made, opset):
    """Exports a model with the exporter of torch.export."""
    names = ["input_ids", "attention_mask"]
    return exported(made, input_names=names, output_names=["logits"], opset_version=opset, dynamo=True)


def exported(made, **settings):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        ids = torch.tensor(IDS)
        torch.onnx.export(Logits(made), (ids, torch.ones_like(ids)), path, **settings)
        return bare(onnx.load(path))


def bare(graph):
    """Removes the notes about the source of each node, which take up most of a small file."""
    del graph.metadata_props[:]
    for holder in [graph.graph, *graph.graph.node, *graph.graph.value_info, *graph.graph.initializer]:
        del holder.metadata_props[:]
        holder.doc_string = ""
    for holder in [*graph.graph.input, *graph.graph.output]:
        del holder.metadata_props[:]
    del graph.graph.value_info[:]
    return graph


# Changes to their graphs


def tied(graph, embeddings):
    """Replaces the decoder by the word embeddings, transposed in the graph, as optimum does."""
    graph = copy.deepcopy(graph)
    product = [node for node in graph.graph.node if node.op_type == "MatMul"][-1]
    dropped = product.input[1]
    stays = [tensor for tensor in graph.graph.initializer if tensor.name != dropped]
    assert len(stays) + 1 == len(graph.graph.initializer) and embeddings in {tensor.name for tensor in stays}
    del graph.graph.initializer[:]
    graph.graph.initializer.extend(stays)
    at = list(graph.graph.node).index(product)
    graph.graph.node.insert(at, helper.make_node("Transpose", [embeddings], [dropped], name="turn", perm=[1, 0]))
    return graph


def through(graph, work):
    """Applies a function that reads one file and writes another."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "before.onnx"), os.path.join(folder, "after.onnx")
        onnx.save(graph, before)
        work(before, after)
        return bare(onnx.load(after))


def optimised(graph, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED):
    """Optimizes a graph with ONNX Runtime."""

    def work(before, after):
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.optimized_model_filepath = after
        onnxruntime.InferenceSession(before, options, providers=["CPUExecutionProvider"])

    return through(graph, work)


def fused(graph):
    """Optimizes a graph with the transformers optimizer of ONNX Runtime."""
    work = lambda before, after: optimize_model(before, "bert", num_heads=2, hidden_size=DIM, opt_level=0).save_model_to_file(after)
    return through(graph, work)


def quantised(graph, **settings):
    return through(graph, lambda before, after: quantize_dynamic(before, after, **settings))


def dequantised(graph, per_channel):
    """Stores weight matrices in 8 bits, with DequantizeLinear before the products."""
    graph = copy.deepcopy(graph)
    nodes, tensors = [], []
    for tensor in graph.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.ndim != 2 or values.dtype != numpy.float32:
            tensors.append(tensor)
            continue
        most = numpy.abs(values).max(axis=0) if per_channel else numpy.abs(values).max()
        scale = (most / 100).astype(numpy.float32)
        if per_channel:
            whole, settings = numpy.round(values / scale).astype(numpy.int8), {"axis": 1}
            zero = numpy.zeros_like(scale, dtype=numpy.int8)
        else:
            whole, settings = (numpy.round(values / scale) + 128).astype(numpy.uint8), {}
            zero = numpy.array(128, dtype=numpy.uint8)
        names = [f"{tensor.name}_{end}" for end in ("quantized", "scale", "zero_point")]
        tensors += [numpy_helper.from_array(array, name) for array, name in zip((whole, scale, zero), names)]
        nodes.append(helper.make_node("DequantizeLinear", names, [tensor.name], name=f"{tensor.name}_dequantize", **settings))
    del graph.graph.initializer[:]
    graph.graph.initializer.extend(tensors)
    nodes += graph.graph.node
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    return graph


def typed(graph):
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


def in_single(graph):
    """Makes a graph with the same weights that computes in single precision."""
    graph = copy.deepcopy(graph)
    del graph.graph.value_info[:]
    halves = (TensorProto.FLOAT16, TensorProto.BFLOAT16)

    def widen(tensor):
        if tensor.data_type in halves:
            wide = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(numpy.float32), tensor.name)
            tensor.CopyFrom(wide)

    nodes = []
    whole = {}
    for tensor in graph.graph.initializer:
        widen(tensor)
    for value in [*graph.graph.input, *graph.graph.output]:
        if value.type.tensor_type.elem_type in halves:
            value.type.tensor_type.elem_type = TensorProto.FLOAT
    for node in graph.graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                widen(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i in halves:
                attribute.i = TensorProto.FLOAT
        if node.op_type == "DynamicQuantizeLinear":
            ones = [("scale", numpy.float32(1)), ("zero", numpy.uint8(0))]
            for name, (_, value) in zip(node.output[1:], ones):
                graph.graph.initializer.append(numpy_helper.from_array(numpy.array(value), name))
            whole[node.output[0]] = node.input[0]
        elif node.op_type == "MatMulInteger":
            weight = node.output[0] + "_weight"
            one = node.output[0] + "_one"
            sizes = [numpy_helper.to_array(tensor).shape for tensor in graph.graph.initializer if tensor.name == node.input[3]]
            graph.graph.initializer.append(numpy_helper.from_array(numpy.ones(sizes[0], numpy.float32), one))
            nodes.append(helper.make_node("DequantizeLinear", [node.input[1], one, node.input[3]], [weight], axis=1))
            nodes.append(helper.make_node("MatMul", [whole[node.input[0]], weight], [node.output[0]]))
        else:
            nodes.append(node)
    del graph.graph.node[:]
    graph.graph.node.extend(nodes)
    return graph


def before_dense(graph):
    """Returns the name of the input of the head: the input of the second product before the logits."""
    made = {name: node for node in graph.graph.node for name in node.output}
    constant = {tensor.name for tensor in graph.graph.initializer}
    value, products = graph.graph.output[0].name, 0
    while True:
        node = made[value]
        ways = [name for name in node.input if name in made and name not in constant and made[name].op_type != "Constant"]
        products += node.op_type in PRODUCTS
        if products == 2:
            return node.input[0]
        # All paths lead to the same product.
        value = node.input[0] if node.op_type in PRODUCTS else ways[0]


def run(graph):
    """Returns the input of the head and its logits."""
    graph = copy.deepcopy(graph)
    inputs = {value.name for value in graph.graph.input}
    if inputs == {"vectors"}:
        vectors, given = numbers.normal(size=(3, DIM)).astype(numpy.float32), None
        feed, outputs = {"vectors": vectors}, None
    else:
        feed = {"input_ids": IDS, "attention_mask": numpy.ones_like(IDS)}
        feed = {name: array for name, array in feed.items() if name in inputs}
        given = before_dense(graph)
        graph.graph.output.append(helper.make_tensor_value_info(given, TensorProto.FLOAT, None))
        outputs = [graph.graph.output[0].name, given]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
    logits, *rest = session.run(outputs, feed)
    vectors = rest[0] if rest else vectors
    return vectors.reshape(-1, DIM), logits.reshape(-1, VOCABULARY)


def bounds(vectors, weights, constants):
    """Returns bounds on the difference between two computations of the logits.

    A sum of n products has an error of at most (n + 2) roundings of the sum of their absolute values. GELU, whose slope is below
    1.13, adds eight roundings of its argument. The mean of the layer norm has the error of one value plus the rounding of a sum.
    Its variance, computed as a mean of squares minus a square, has the rounding error of the mean of squares. The rest is as in
    `Parts::transform` of the tests. The bound is doubled because both computations have errors, and doubled again because the
    weights are those before quantization.

    A relative error of a constant of GELU changes the value at x by that error times x² times the normal density, which is below
    0.3. The approximation has two such constants. `constants` is the relative error.
    """
    dense, shift, scale, offset, decoder, bias = weights
    vectors = vectors.astype(numpy.float64)
    product = lambda a, b, extra: (a.shape[1] + 2) * ROUNDOFF * (numpy.abs(a) @ numpy.abs(b.T) + numpy.abs(extra))
    before = vectors @ dense.T + shift
    values = torch.nn.functional.gelu(torch.tensor(before)).numpy()
    inner = values.shape[1]
    off = 1.13 * product(vectors, dense, shift) + 8 * ROUNDOFF * numpy.abs(before) + constants
    off = (off + (inner + 2) * ROUNDOFF * numpy.abs(values).max(axis=1, keepdims=True)).max(axis=1, keepdims=True)
    deviation = values.std(axis=1, keepdims=True)
    normal = (values - values.mean(axis=1, keepdims=True)) / deviation
    squares = (inner + 4) * ROUNDOFF * (values**2).mean(axis=1, keepdims=True) / deviation**2
    moved = 2 * off / (deviation - 2 * off) * (1 + numpy.abs(normal)) + squares * numpy.abs(normal)
    transformed = normal * scale + offset
    moved = moved * numpy.abs(scale) + 4 * ROUNDOFF * numpy.abs(transformed)
    return (4 * (moved @ numpy.abs(decoder.T) + product(transformed, decoder, bias))).astype(numpy.float32)


def keep(name, graph, weights, **settings):
    onnx.save(graph, f"{name}.onnx", **settings)
    vectors, logits = run(in_single(onnx.load(f"{name}.onnx")))
    expected[f"{name}.vectors"], expected[f"{name}.logits"] = vectors.copy(), logits.copy()
    expected[f"{name}.bounds"] = bounds(vectors, weights, 2.0**-11 if "half" in name else 0.0)
    ops = {node.op_type for node in graph.graph.node}
    print(f"{name}: {os.path.getsize(f'{name}.onnx')} bytes, bound {expected[f'{name}.bounds'].max():.1e}; {' '.join(sorted(ops))}")


deep = model(BertForMaskedLM, BertConfig, layers=1)
bert = model(BertForMaskedLM, BertConfig)
untied = model(BertForMaskedLM, BertConfig, tie_word_embeddings=False)
new = model(BertForMaskedLM, BertConfig, hidden_act="gelu_new", layer_norm_eps=1e-5)
roberta = model(RobertaForMaskedLM, RobertaConfig)
mpnet = model(MPNetForMaskedLM, MPNetConfig)
distilbert = model(DistilBertForMaskedLM, DistilBertConfig)
electra = model(ElectraForMaskedLM, ElectraConfig, embedding_size=6)

keep("bert-script", script(deep, 14), parts(deep))
keep("bert-dynamo", dynamo(deep, 18), parts(deep))
keep("bert-fused", fused(script(deep, 14)), parts(deep))
plain, later = script(bert, 14), script(bert, 17)
keep("bert-dynamo-20", dynamo(bert, 20), parts(bert))
keep("bert-tied", tied(plain, "model.bert.embeddings.word_embeddings.weight"), parts(bert))
keep("bert-untied", script(untied, 17), parts(untied))
keep("bert-new-script", script(new, 17), parts(new))
keep("bert-new-dynamo", dynamo(new, 20), parts(new))
keep("roberta-script", script(roberta, 13), parts(roberta))
keep("roberta-dynamo", dynamo(roberta, 18), parts(roberta))
keep("mpnet-script", script(mpnet, 14), parts(mpnet))
keep("distilbert-script", script(distilbert, 17), parts(distilbert))
keep("distilbert-dynamo", dynamo(distilbert, 20), parts(distilbert))
keep("electra-script", script(electra, 17), parts(electra))

keep("bert-optimised", optimised(plain), parts(bert))
keep("bert-new-optimised", optimised(script(new, 14)), parts(new))
keep("bert-new-fused", fused(script(new, 14)), parts(new))
keep("bert-half", convert_float_to_float16(copy.deepcopy(plain), keep_io_types=True), parts(bert))
keep("bert-new-half-17", convert_float_to_float16(script(new, 17)), parts(new))
keep("bert-int8", quantised(plain, weight_type=QuantType.QInt8, per_channel=True), parts(bert))
keep("roberta-uint8", quantised(script(roberta, 17), weight_type=QuantType.QUInt8), parts(roberta))
keep("bert-dequantised", dequantised(later, False), parts(bert))
keep("distilbert-dequantised", dequantised(script(distilbert, 14), True), parts(distilbert))
keep("bert-typed", typed(plain), parts(bert))
keep("bert-half-typed", typed(convert_float_to_float16(copy.deepcopy(later))), parts(bert))
keep(
    "bert-external",
    copy.deepcopy(plain),
    parts(bert),
    save_as_external_data=True,
    location="bert-external.onnx_data",
    size_threshold=64,
)


def head_alone(made, **settings):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "head.onnx")
        torch.onnx.export(
            made, (torch.zeros(3, DIM),), path, input_names=["vectors"], output_names=["output"], **settings
        )
        return bare(onnx.load(path))


keep("head-script", head_alone(bert.cls.predictions, opset_version=17, dynamo=False), parts(bert))
keep("head-dynamo", head_alone(roberta.lm_head, opset_version=20, dynamo=True), parts(roberta))
keep("head-optimised", optimised(head_alone(new.cls.predictions, opset_version=14, dynamo=False)), parts(new))

save_file(expected, "expected.safetensors")
