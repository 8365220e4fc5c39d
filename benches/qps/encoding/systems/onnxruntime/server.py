"""onnxruntime with tokenizers, as one writes it by hand: 32 texts at a time, of similar length, filled to the longest."""

import sys
from importlib.metadata import version
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

BATCH = 32


class OnnxRuntime:
    def version(self):
        return f"onnxruntime {version('onnxruntime')}, tokenizers {version('tokenizers')}"

    def open(self, model, max_tokens):
        self.plain = Tokenizer.from_file(f"{model}/tokenizer.json")
        self.tokenizer = Tokenizer.from_file(f"{model}/tokenizer.json")
        self.tokenizer.enable_truncation(max_tokens)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(f"{model}/model.onnx", options, providers=["CPUExecutionProvider"])
        self.names = {each.name for each in self.session.get_inputs()}

    def tokenise(self, texts):
        return [each.ids for each in self.plain.encode_batch_fast(texts, add_special_tokens=False)]

    def encode(self, texts):
        order = sorted(range(len(texts)), key=lambda at: -len(texts[at]))
        vectors = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            encodings = self.tokenizer.encode_batch_fast([texts[at] for at in batch])
            ids = numpy.array([each.ids for each in encodings], numpy.int64)
            mask = numpy.array([each.attention_mask for each in encodings], numpy.int64)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            states = self.session.run(["last_hidden_state"], {name: inputs[name] for name in self.names})[0]
            weights = mask[..., None].astype(numpy.float32)
            means = (states * weights).sum(1) / weights.sum(1)
            means /= numpy.linalg.norm(means, axis=1, keepdims=True)
            for at, vector in zip(batch, means):
                vectors[at] = vector
        return numpy.stack(vectors)


serve(OnnxRuntime())
