"""Training with PyTorch as a server of benches/training. README.md there lists the requests."""

import json
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from model import load
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "qps" / "servers"))
from python_server import answer  # noqa: E402


class Training:
    def __init__(self, model, settings, file):
        torch.set_num_threads(settings["threads"])
        torch.manual_seed(settings["seed"])
        self.settings, self.step_count = settings, 0
        self.encoder = load(model, settings["dropout"])
        with open(file, encoding="utf-8") as stored:
            # The texts are for passagekit.
            names = ("questionIds", "passageIds", "positives", "excluded")
            self.batches = [{name: batch[name] for name in names} for batch in json.load(stored)]
        decaying, others = [], []
        for module in self.encoder.modules():
            for name, parameter in module.named_parameters(recurse=False):
                decays = name == "weight" and not isinstance(module, nn.LayerNorm)
                (decaying if decays else others).append(parameter)
        groups = [
            {"params": decaying, "weight_decay": settings["weightDecay"]},
            {"params": others, "weight_decay": 0.0},
        ]
        # The fused optimizer is the fastest one.
        self.optimizer = torch.optim.AdamW(groups, lr=settings["learningRate"], fused=True)

    def rate(self):
        """The learning rate of the step: linear warm-up, then linear decay, as in crates/training/src/optimizer/schedule.rs."""
        warm_up, steps = self.settings["warmUpSteps"], self.settings["steps"]
        if self.step_count <= warm_up:
            factor = self.step_count / warm_up
        else:
            factor = (steps + 1 - self.step_count) / (steps + 1 - warm_up)
        return self.settings["learningRate"] * factor

    def step(self, batch):
        """Makes a step. Returns the loss before it, and the norm of the gradients before clipping."""
        self.step_count += 1
        self.optimizer.zero_grad()
        with self.autocast():
            questions, passages = (self.encode(batch[name]) for name in ("questionIds", "passageIds"))
        similarities = questions @ passages.T / self.settings["temperature"]
        excluded = torch.tensor(batch["excluded"], dtype=torch.long).view(-1, 2)
        is_excluded = torch.zeros(similarities.shape, dtype=torch.bool)
        is_excluded[excluded[:, 0], excluded[:, 1]] = True
        similarities = similarities.masked_fill(is_excluded, float("-inf"))
        loss = F.cross_entropy(similarities, torch.tensor(batch["positives"]))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.encoder.parameters(), self.settings["maxGradientNorm"])
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.step()
        return loss.item(), norm.item()

    def autocast(self):
        """With bf16, PyTorch chooses which operations are computed in bfloat16."""
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.settings["bf16"])

    def encode(self, texts):
        return self.encoder(*padded(texts)).float()

    @torch.no_grad()
    def ranks(self, batch):
        """The rank of each question's positive among the passages, from 1. Passages with an equal similarity count as better."""
        encoder, dropout = self.encoder, self.encoder.dropout
        for module in (encoder, *encoder.layers):
            module.dropout = 0.0
        with self.autocast():
            questions, passages = (
                torch.cat([self.encode(texts[at : at + 64]) for at in range(0, len(texts), 64)])
                for texts in (batch["questionIds"], batch["passageIds"])
            )
        for module in (encoder, *encoder.layers):
            module.dropout = dropout
        similarities = questions @ passages.T
        of_positives = similarities.gather(1, torch.tensor(batch["positives"])[:, None])
        return (similarities >= of_positives).sum(1).tolist()


def padded(texts):
    """Pads token ids to the longest text. Returns ids [texts, length], and a mask that is false for padding."""
    length = max(map(len, texts))
    ids = torch.tensor([text + [0] * (length - len(text)) for text in texts])
    lengths = torch.tensor([len(text) for text in texts])
    return ids, torch.arange(length)[None, :] < lengths[:, None]


training = None


def reply_to(request):
    global training
    verb = request["verb"]
    if verb == "describe":
        return {"version": f"PyTorch {torch.__version__}, Python {sys.version.split()[0]}"}
    if verb == "open":
        training = Training(request["model"], request["settings"], request["file"])
        return {"batches": len(training.batches)}
    if verb == "rank":
        return {"ranks": training.ranks(training.batches[request["batch"]])}
    if verb != "train":
        raise ValueError(f"expected describe, open, rank or train, got {verb}")
    batches = training.batches[request["from"] : request["from"] + request["count"]]
    start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    reports = [training.step(batch) for batch in batches]
    cpu, wall = time.process_time_ns() - cpu_start, time.perf_counter_ns() - start
    return {
        "wallNanos": wall,
        "cpuNanos": cpu,
        "losses": [loss for loss, _ in reports],
        "gradientNorms": [norm for _, norm in reports],
        "tokens": [sum(map(len, batch["questionIds"] + batch["passageIds"])) for batch in batches],
    }


answer(reply_to)
