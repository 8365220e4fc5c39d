"""The line protocol of benches/qps for systems in Python: one JSON request a line, one JSON reply a line."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from python_server import answer  # noqa: E402


def read_lines(path):
    """The id and the text of each line."""
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t", 1)


def serve(engine):
    """Answers until the input ends.

    An engine has `version()`, `build(passages, folder)`, `open(folder)`, `prepared(tokens)`, which makes of a query
    text what is searched, untimed, `search(queries, k)`, one query or a batch, and `named(found)`: a list of (id,
    score) for each query of a search. One with several threads has `ways`, of `query` and `batch`, and
    `set_threads(count)`.
    """
    opened = None

    def reply(request):
        nonlocal opened
        if request["verb"] == "query" and request["folder"] != opened:
            engine.open(Path(request["folder"]))
            opened = request["folder"]
        return _answer(engine, request)

    answer(reply)


def _answer(engine, request):
    verb = request["verb"]
    if verb == "describe":
        return {"version": engine.version(), "threads": getattr(engine, "ways", [])}
    if verb == "build":
        if request["analysis"] != "tokens":
            raise ValueError(f"expected tokens, got {request['analysis']}: there is no analyzer like the others'")
        began = time.perf_counter()
        engine.build(request["passages"], Path(request["folder"]))
        return {"seconds": time.perf_counter() - began}
    if verb == "query":
        return _query(engine, request)
    raise ValueError(f"expected describe, build or query, got {verb}")


def _query(engine, request):
    threads = request.get("threads", 1)
    if hasattr(engine, "set_threads"):
        engine.set_threads(threads)
    # Of this thread; where others search with it, of the process.
    cpu_time = time.thread_time_ns if threads == 1 else time.process_time_ns
    names, queries = zip(*((name, engine.prepared(text)) for name, text in read_lines(request["queries"])))
    searches = [list(queries)] if request["batch"] else [[query] for query in queries]
    rounds = []
    for _ in range(request["rounds"]):
        found, each = [], []
        began, cpu = time.perf_counter_ns(), cpu_time()
        for search in searches:
            start = time.perf_counter_ns()
            found.append(engine.search(search, request["k"]))
            each.append(time.perf_counter_ns() - start)
        cpu, wall = cpu_time() - cpu, time.perf_counter_ns() - began
        rounds.append({"wallNanos": wall, "cpuNanos": cpu, "queryNanos": [] if request["batch"] else each})
    if request.get("hits"):
        with open(request["hits"], "w", encoding="utf-8") as file:
            hits = (hits for search in found for hits in engine.named(search))
            for name, of_query in zip(names, hits, strict=True):
                file.writelines(f"{name}\t{passage}\t{score}\n" for passage, score in of_query)
    return {"rounds": rounds}
