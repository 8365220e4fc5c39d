"""The server of onnxruntime and tokenizers, called without a framework, for the benchmark in benches/qps/encoding.

Texts of similar length are encoded in batches of 16, padded to the longest text of the batch.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import numpy
import onnxruntime
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

# The number of texts per batch. For the passages of this benchmark, 8 to 16 are the fastest.
BATCH = 16


class OnnxRuntime:
    def version(self):
        return f"onnxruntime {version('onnxruntime')}, tokenizers {version('tokenizers')}"

    def open(self, model, max_tokens):
        self.untruncated = Tokenizer.from_file(f"{model}/tokenizer.json")
        self.tokenizer = Tokenizer.from_file(f"{model}/tokenizer.json")
        self.tokenizer.enable_truncation(max_tokens)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(f"{model}/model.onnx", options, providers=["CPUExecutionProvider"])
        self.input_names = {each.name for each in self.session.get_inputs()}

    def tokenize(self, texts):
        return [each.ids for each in self.untruncated.encode_batch_fast(texts, add_special_tokens=False)]

    def encode(self, texts):
        # The longest texts first, so that the texts of a batch have similar lengths.
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        vectors = [None] * len(texts)
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            encodings = self.tokenizer.encode_batch_fast([texts[i] for i in batch])
            ids = numpy.array([each.ids for each in encodings], numpy.int64)
            mask = numpy.array([each.attention_mask for each in encodings], numpy.int64)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            states = self.session.run(["last_hidden_state"], {name: inputs[name] for name in self.input_names})[0]
            weights = mask[..., None].astype(numpy.float32)
            means = (states * weights).sum(1) / weights.sum(1)
            means /= numpy.linalg.norm(means, axis=1, keepdims=True)
            for i, vector in zip(batch, means):
                vectors[i] = vector
        return numpy.stack(vectors)


serve(OnnxRuntime())
