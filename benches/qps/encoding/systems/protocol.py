"""The line protocol of benches/qps/encoding for systems in Python: one JSON request a line, one JSON reply a line."""

import sys
import time
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from python_server import answer  # noqa: E402


def serve(engine):
    """Answers until the input ends.

    An engine has `version()`; `open(model, max_tokens)`; `tokenise(texts)`: ids of each text without special tokens;
    `encode(texts)`: vectors [texts, dim].
    """
    state = {}
    answer(lambda request: _answer(engine, request, state))


def _answer(engine, request, state):
    if request["verb"] == "describe":
        return {"version": f"{engine.version()}, Python {sys.version.split()[0]}"}
    if request["verb"] != "work":
        raise ValueError(f"expected describe or work, got {request['verb']}")
    opened = (request["model"], request["maxTokens"])
    if state.get("opened") != opened:
        engine.open(*opened)
        state["opened"] = opened
    with open(request["texts"], encoding="utf-8") as file:
        texts = file.read().rstrip("\n").split("\n")
    task, each = request["task"], []
    began, cpu = time.perf_counter_ns(), time.process_time_ns()
    if task == "one":
        made = []
        for text in texts:
            start = time.perf_counter_ns()
            made.append(engine.encode([text]))
            each.append(time.perf_counter_ns() - start)
    else:
        made = engine.tokenise(texts) if task == "tokenise" else engine.encode(texts)
    cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - began
    if request.get("found"):
        if task == "tokenise":
            numpy.array([number for ids in made for number in (len(ids), *ids)], "<u4").tofile(request["found"])
        else:
            numpy.concatenate(made if task == "one" else [made]).astype("<f4").tofile(request["found"])
    return {"wallNanos": wall, "cpuNanos": cpu, "queryNanos": each}
