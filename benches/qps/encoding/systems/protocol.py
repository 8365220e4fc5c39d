"""The line protocol of benches/qps/encoding for systems in Python: one line of JSON per request, one per reply.

README.md lists the requests. `serve` does everything except tokenizing and encoding, which its argument does: an object
called the engine.
"""

import sys
import time
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "servers"))
from python_server import answer  # noqa: E402


def serve(engine):
    """Answers requests until the input ends. An engine has:

    - `version()`: returns the version as a string.
    - `open(model, max_tokens)`: loads the model in a folder. Texts are truncated to `max_tokens` tokens.
    - `tokenize(texts)`: returns the token ids of each text, without special tokens.
    - `encode(texts)`: returns vectors [texts, dim].
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
    task, text_nanos = request["task"], []
    start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    if task == "one":
        results = []
        for text in texts:
            text_start = time.perf_counter_ns()
            results.append(engine.encode([text]))
            text_nanos.append(time.perf_counter_ns() - text_start)
    else:
        results = engine.tokenize(texts) if task == "tokenise" else engine.encode(texts)
    cpu, wall = time.process_time_ns() - cpu_start, time.perf_counter_ns() - start
    if request.get("output"):
        if task == "tokenise":
            numpy.array([number for ids in results for number in (len(ids), *ids)], "<u4").tofile(request["output"])
        else:
            numpy.concatenate(results if task == "one" else [results]).astype("<f4").tofile(request["output"])
    return {"wallNanos": wall, "cpuNanos": cpu, "queryNanos": text_nanos}
