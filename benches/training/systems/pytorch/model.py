"""The encoder in PyTorch: BERT (Devlin et al., 2019) with mean pooling, and vectors of length 1."""

import json
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

# The prefixes of parameters in files of Hugging Face's library, and here.
EMBEDDINGS = {
    "embeddings.word_embeddings": "words",
    "embeddings.position_embeddings": "positions",
    "embeddings.token_type_embeddings": "types",
    "embeddings.LayerNorm": "norm",
}
LAYER = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attention_output",
    "attention.output.LayerNorm": "attention_norm",
    "intermediate.dense": "intermediate",
    "output.dense": "output",
    "output.LayerNorm": "output_norm",
}


class Layer(nn.Module):
    def __init__(self, config, dropout):
        super().__init__()
        dim, hidden, eps = config["hidden_size"], config["intermediate_size"], config["layer_norm_eps"]
        self.heads, self.dropout = config["num_attention_heads"], dropout
        self.query, self.key, self.value = (nn.Linear(dim, dim) for _ in range(3))
        self.attention_output = nn.Linear(dim, dim)
        self.attention_norm = nn.LayerNorm(dim, eps=eps)
        self.intermediate = nn.Linear(dim, hidden)
        self.output = nn.Linear(hidden, dim)
        self.output_norm = nn.LayerNorm(dim, eps=eps)

    def forward(self, x, mask):
        texts, length, dim = x.shape

        def split(projected):
            return projected.view(texts, length, self.heads, dim // self.heads).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=self.dropout)
        attended = self.attention_output(attended.transpose(1, 2).reshape(texts, length, dim))
        x = self.attention_norm(x + F.dropout(attended, self.dropout))
        output = self.output(F.gelu(self.intermediate(x)))
        return self.output_norm(x + F.dropout(output, self.dropout))


class Encoder(nn.Module):
    def __init__(self, config, dropout):
        super().__init__()
        dim, self.dropout = config["hidden_size"], dropout
        self.words = nn.Embedding(config["vocab_size"], dim)
        self.positions = nn.Embedding(config["max_position_embeddings"], dim)
        self.types = nn.Embedding(config["type_vocab_size"], dim)
        self.norm = nn.LayerNorm(dim, eps=config["layer_norm_eps"])
        self.layers = nn.ModuleList(Layer(config, dropout) for _ in range(config["num_hidden_layers"]))

    def forward(self, ids, mask):
        """Returns the vectors [texts, dim] of token ids [texts, length]. `mask` is false for padding."""
        positions = self.positions(torch.arange(ids.shape[1]))
        x = self.words(ids) + positions + self.types(torch.zeros_like(ids))
        x = F.dropout(self.norm(x), self.dropout)
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        mask = mask[..., None]
        return F.normalize((x * mask).sum(1) / mask.sum(1), dim=-1)


def load(folder, dropout):
    """Loads the model in a folder with `config.json` and `model.safetensors`, with 32-bit floats."""
    encoder = Encoder(json.loads((Path(folder) / "config.json").read_text()), dropout)
    stored = load_file(Path(folder) / "model.safetensors")
    names = {**EMBEDDINGS}
    for i in range(len(encoder.layers)):
        names.update({f"encoder.layer.{i}.{there}": f"layers.{i}.{here}" for there, here in LAYER.items()})
    weights = {}
    for name, values in stored.items():
        prefix, _, last = name.rpartition(".")
        # The pooler, which this encoder does not use, has no name here.
        if prefix in names:
            weights[f"{names[prefix]}.{last}"] = values.float()
    encoder.load_state_dict(weights)
    return encoder
