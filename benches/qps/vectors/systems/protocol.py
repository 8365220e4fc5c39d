"""The line protocol of benches/qps/vectors for systems in Python: one JSON request a line, one JSON reply a line."""

import sys
import time
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from python_server import answer  # noqa: E402


def serve(engine):
    """Answers until the input ends.

    An engine has `version()`; `build(rows, similarity, options)`, which is timed, and `save(folder)`, which is not;
    `open(folder, rows, similarity, options)`, where `rows()` are the vectors, for an index that does not keep them; and
    `search(queries, k, effort)`: row numbers [queries, k], best first, of a matrix of one query or of all. One that can
    search among some rows only has `accept(allowed)`, with a bool of each row, or None for all.
    One with several threads has `ways`, of `build`, `query` and `batch`, and `set_threads(count)`.
    """
    state = {}
    answer(lambda request: _answer(engine, request, state))


def _answer(engine, request, state):
    verb = request["verb"]
    if verb == "describe":
        filters = hasattr(engine, "accept")
        return {"version": f"{engine.version()}, Python {sys.version.split()[0]}", "filters": filters, "threads": getattr(engine, "ways", [])}
    if verb not in ("build", "query"):
        raise ValueError(f"expected describe, build or query, got {verb}")
    if hasattr(engine, "set_threads"):
        engine.set_threads(request.get("threads", 1))
    folder, similarity, options = Path(request["folder"]), request["similarity"], request["options"]
    if verb == "build":
        rows = _matrix(request["rows"], request["count"], request["dim"])
        began, cpu = time.perf_counter(), time.process_time()
        engine.build(rows, similarity, options)
        reply = {"seconds": time.perf_counter() - began, "cpuSeconds": time.process_time() - cpu}
        engine.save(folder)
        return reply
    index = (request["folder"], request["rows"], request["count"])
    if state.get("index") != index:
        engine.open(folder, lambda: _matrix(request["rows"], request["count"], request["dim"]), similarity, options)
        state["index"], state["filter"] = index, None
    _accept(engine, request, state)
    asked = (request["queries"], request["asked"])
    if state.get("asked") != asked:
        state["queries"] = _matrix(request["queries"], request["asked"], request["dim"])
        state["asked"] = asked
    return _query(engine, state["queries"], request)


def _accept(engine, request, state):
    file = request.get("filter")
    if state["filter"] == file:
        return
    if not hasattr(engine, "accept"):
        raise ValueError("cannot filter")
    allowed = None if file is None else numpy.fromfile(file, numpy.bool_)
    if allowed is not None and len(allowed) != request["count"]:
        raise ValueError(f"expected a filter of {request['count']} rows, got {len(allowed)}")
    engine.accept(allowed)
    state["filter"] = file


def _query(engine, queries, request):
    k, effort = request["k"], request["effort"]
    searches = [queries] if request["batch"] else [queries[at : at + 1] for at in range(len(queries))]
    found, each = [], []
    began, cpu = time.perf_counter_ns(), time.process_time_ns()
    for search in searches:
        start = time.perf_counter_ns()
        found.append(engine.search(search, k, effort))
        each.append(time.perf_counter_ns() - start)
    cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - began
    if request.get("found"):
        ids = numpy.concatenate([_filled(each, k) for each in found])
        ids.astype("<i4").tofile(request["found"])
    return {"wallNanos": wall, "cpuNanos": cpu, "queryNanos": [] if request["batch"] else each}


def _filled(ids, k):
    """Row numbers [queries, k]; -1 where there are fewer."""
    filled = numpy.full((len(ids), k), -1, numpy.int64)
    for row, of_query in zip(filled, ids):
        row[: len(of_query)] = of_query[:k]
    return filled


def _matrix(path, count, dim):
    return numpy.fromfile(path, "<f4", count * dim).reshape(count, dim)
