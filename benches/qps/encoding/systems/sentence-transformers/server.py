"""Sentence Transformers with its ONNX backend, as a server of benches/qps/encoding.

The library sorts texts by length and encodes batches of 32.
"""

import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402


class SentenceTransformers:
    def version(self):
        names = ("sentence-transformers", "onnxruntime", "transformers")
        return ", ".join(f"{name} {version(name)}" for name in names)

    def open(self, model, max_tokens):
        import onnxruntime
        import torch
        from sentence_transformers import SentenceTransformer

        torch.set_num_threads(1)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        settings = {"file_name": "model.onnx", "subfolder": "onnx", "provider": "CPUExecutionProvider", "session_options": options}
        self.model = SentenceTransformer(model, backend="onnx", device="cpu", model_kwargs=settings, local_files_only=True)
        self.model.max_seq_length = max_tokens

    def tokenize(self, texts):
        return self.model.tokenizer(texts, add_special_tokens=False, truncation=False)["input_ids"]

    def encode(self, texts):
        return self.model.encode(texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False)


serve(SentenceTransformers())
