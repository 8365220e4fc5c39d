"""Writes the test files in this folder: python3 make.py

It needs torch 2.15.0, transformers 5.23.0, onnx 1.23.2, onnxscript 0.7.2, onnxruntime 1.31.1, safetensors 0.8.0 and numpy
2.4.6.

Each `.onnx` file is a small model with random weights, as written by one exporter or quantizer. The crate must not recognize
those that the function `refuse` writes.

For each other file NAME and each of its outputs OUTPUT, `expected.safetensors` has `NAME.OUTPUT`, which ONNX Runtime computes
for the texts in `ids`, `mask` and `types`. The values of padding are arbitrary. The expected outputs of an int8 model come
from a graph with the same weights that computes in 32-bit floats.
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
from safetensors.numpy import save_file
from transformers import (
    BertConfig,
    BertForQuestionAnswering,
    BertModel,
    DistilBertConfig,
    DistilBertModel,
    MPNetConfig,
    MPNetModel,
    RobertaConfig,
    RobertaModel,
)

warnings.filterwarnings("ignore")
onnxruntime.set_default_logger_severity(3)
os.chdir(os.path.dirname(os.path.abspath(__file__)))
rng = numpy.random.default_rng(1)
torch.manual_seed(1)

VOCABULARY, DIM, POSITIONS, LENGTH = 40, 32, 24, 9
IDS = rng.integers(5, VOCABULARY, (3, LENGTH))
MASK = numpy.ones_like(IDS)
TYPES = numpy.zeros_like(IDS)
# The number of tokens of each text, and the number of its tokens of type 0.
for row, (tokens, type_0_count) in enumerate([(LENGTH, 4), (5, 5), (2, 1)]):
    MASK[row, tokens:] = 0
    # The padding of RoBERTa is the token 1.
    IDS[row, tokens:] = 1
    TYPES[row, type_0_count:tokens] = 1
expected = {"ids": IDS, "mask": MASK, "types": TYPES}


class Outputs(torch.nn.Module):
    """A model with inputs in a fixed order, and chosen outputs."""

    def __init__(self, model, names, has_types):
        super().__init__()
        self.model, self.names, self.has_types = model, names, has_types

    def forward(self, input_ids, attention_mask, token_type_ids=None):
        types = dict(token_type_ids=token_type_ids) if self.has_types else {}
        results = self.model(input_ids=input_ids, attention_mask=attention_mask, **types)
        values = [self.value(results, name) for name in self.names]
        return tuple(values)

    def value(self, results, name):
        if name == "embedding":
            return results.last_hidden_state[:, 0]
        if name == "sentence_embedding":
            return results.last_hidden_state.mean(1)
        return results[name]


def make_model(kind, config, layers=1, attention="eager", positions=POSITIONS, **settings):
    """Makes a model with random weights."""
    shared = dict(vocab_size=VOCABULARY, attn_implementation=attention, **settings)
    if kind is DistilBertModel:
        shared |= dict(dim=DIM, n_layers=layers, n_heads=2, hidden_dim=48, max_position_embeddings=positions)
    else:
        shared |= dict(
            hidden_size=DIM,
            num_hidden_layers=layers,
            num_attention_heads=2,
            intermediate_size=48,
            max_position_embeddings=positions,
        )
    network = kind(config(**shared)).eval()
    with torch.no_grad():
        for name, parameter in network.named_parameters():
            is_norm_weight = "norm" in name.lower() and name.endswith("weight")
            parameter.copy_(torch.randn(parameter.shape) * 0.2 + (1.0 if is_norm_weight else 0.0))
    return network


def export(network, outputs, types=True, dynamo=False, opset=17):
    """Exports a model with the exporter based on TorchScript, or with the one based on torch.export."""
    names = ["input_ids", "attention_mask", "token_type_ids"][: 3 if types else 2]
    arguments = tuple(torch.tensor(values) for values in (IDS, MASK, TYPES)[: len(names)])
    if dynamo:
        batch, sequence = torch.export.Dim("batch", min=1, max=64), torch.export.Dim("sequence", min=1, max=POSITIONS)
        settings = dict(dynamic_shapes=tuple({0: batch, 1: sequence} for _ in names), dynamo=True)
    else:
        axes = {name: {0: "batch", 1: "sequence"} for name in names}
        settings = dict(dynamic_axes=axes | {name: {0: "batch"} for name in outputs}, dynamo=False)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        wrapped = Outputs(network, outputs, types).eval()
        torch.onnx.export(
            wrapped, arguments, path, input_names=names, output_names=outputs, opset_version=opset, **settings
        )
        return strip_metadata(onnx.load(path))


def strip_metadata(graph):
    """Removes the metadata that exporters add to each node, which would take up most of a small file."""
    del graph.metadata_props[:]
    for holder in [graph.graph, *graph.graph.node, *graph.graph.initializer]:
        del holder.metadata_props[:]
        holder.doc_string = ""
    del graph.graph.value_info[:]
    return graph


def quantize(graph, **settings):
    """Quantizes a graph with ONNX Runtime: weights have 8 bits, and inputs of products are rounded to 8 bits too."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = os.path.join(folder, "before.onnx"), os.path.join(folder, "after.onnx")
        onnx.save(graph, before)
        quantize_dynamic(before, after, **settings)
        return strip_metadata(onnx.load(after))


def in_floats(graph):
    """Replaces the products of bytes by products of floats with the same weights."""
    graph = copy.deepcopy(graph)
    tensors = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.graph.initializer}
    producers = {output: node for node in graph.graph.node for output in node.output}
    for node in graph.graph.node:
        if node.op_type != "MatMulInteger":
            continue
        quantizer = producers[node.input[0]]
        zero = tensors[node.input[3]] if len(node.input) > 3 else 0
        weights = tensors[node.input[1]].astype(numpy.float32) - numpy.float32(zero)
        graph.graph.initializer.append(numpy_helper.from_array(weights, node.output[0] + "_weights"))
        # The graph multiplies by the scale of the inputs later. For floats, that scale is 1.
        for user in graph.graph.node:
            if user.op_type == "Mul" and quantizer.output[1] in user.input:
                user.input[list(user.input).index(quantizer.output[1])] = "one"
        node.op_type = "MatMul"
        del node.input[:]
        node.input.extend([quantizer.input[0], node.output[0] + "_weights"])
    graph.graph.initializer.append(numpy_helper.from_array(numpy.float32(1), "one"))
    return graph


def run(graph):
    """Returns the outputs for the texts."""
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    values = {"input_ids": IDS, "attention_mask": MASK, "token_type_ids": TYPES}
    feeds = {node.name: values[node.name] for node in session.get_inputs()}
    names = [node.name for node in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))


def save(name, graph, reference=None):
    """Writes a file, and the outputs of the same graph or of another one."""
    onnx.save(graph, f"{name}.onnx")
    print(name, os.path.getsize(f"{name}.onnx"))
    for output, values in run(reference or graph).items():
        expected[f"{name}.{output}"] = values


def refuse(name, graph):
    """Writes a file that the crate must not recognize."""
    onnx.save(graph, f"{name}.onnx")
    print(name, os.path.getsize(f"{name}.onnx"))


def main():
    bert = make_model(BertModel, BertConfig, layers=2)
    script = export(bert, ["last_hidden_state", "pooler_output"])
    save("bert-script", script)
    save("bert-dynamo", export(bert, ["last_hidden_state"], dynamo=True, opset=18))
    save("bert-dynamo-20", export(bert, ["last_hidden_state"], dynamo=True, opset=20))
    save("bert-old-script", export(make_model(BertModel, BertConfig), ["last_hidden_state"], opset=14))
    save("bert-sdpa", export(make_model(BertModel, BertConfig, attention="sdpa"), ["last_hidden_state"]))
    save("bert-no-types", export(make_model(BertModel, BertConfig), ["embedding"], types=False))
    small = export(make_model(BertModel, BertConfig), ["last_hidden_state"])
    reduced = quantize(small, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    save("bert-int8", reduced, in_floats(reduced))
    whole = quantize(small, weight_type=QuantType.QInt8)
    save("bert-int8-per-tensor", whole, in_floats(whole))
    answers = make_model(BertForQuestionAnswering, BertConfig)
    save("bert-answers", export(answers, ["start_logits", "end_logits"]))
    save("distilbert-script", export(make_model(DistilBertModel, DistilBertConfig), ["last_hidden_state"], types=False))
    roberta = make_model(RobertaModel, RobertaConfig, pad_token_id=1, type_vocab_size=1)
    save("roberta-script", export(roberta, ["last_hidden_state"], types=False))

    refuse("uint8", quantize(small, weight_type=QuantType.QUInt8))
    # As many positions as in published models, so that all buckets of relative position biases are used.
    mpnet = make_model(MPNetModel, MPNetConfig, layers=2, positions=514)
    script = export(mpnet, ["last_hidden_state"], types=False)
    save("mpnet-script", script)
    save("mpnet-dynamo", export(mpnet, ["last_hidden_state"], types=False, dynamo=True, opset=18))
    whole = quantize(script, weight_type=QuantType.QInt8)
    save("mpnet-int8", whole, in_floats(whole))
    refuse("causal", export(make_model(BertModel, BertConfig, is_decoder=True), ["last_hidden_state"]))
    refuse("relu", export(make_model(BertModel, BertConfig, hidden_act="relu"), ["last_hidden_state"]))
    refuse("gelu-tanh", export(make_model(BertModel, BertConfig, hidden_act="gelu_new"), ["last_hidden_state"]))
    refuse("mean", export(make_model(BertModel, BertConfig), ["sentence_embedding"]))
    save_file(expected, "expected.safetensors")


main()
