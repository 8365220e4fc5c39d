"""The line protocol of benches/qps/vectors for systems in Python: one line of JSON per request, one per reply.

README.md in benches/qps/vectors lists the requests. `serve` does everything except building and searching an index, for
which it calls the methods of its argument `engine`.
"""

import sys
import time
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "servers"))
from python_server import answer  # noqa: E402


def serve(engine):
    """Answers requests until the input ends.

    A matrix is a NumPy array of f32 values with one row per vector. An engine has:

    - `version()`: returns the version as a string.
    - `build(rows, similarity, options)`: builds an index of a matrix in memory. Timed.
    - `save(folder)`: writes the index that was built to a folder. Not timed.
    - `open(folder, read_rows, similarity, options)`: opens an index. `read_rows()` reads the indexed vectors, for an
      engine that does not keep them in its index.
    - `search(queries, k, effort)`: returns row numbers [queries, k], best first. `queries` is a matrix that has one row
      or, for a batch, all queries. Timed.
    - `set_filter(allowed)`, if the engine has filters: later searches return only allowed rows. `allowed` has a bool per
      row, or is None to allow all rows.
    - `threaded_tasks`, if the engine can use several threads: the tasks (`build`, `query`, `batch`) that can use them.
    - `set_threads(count)`, needed with `threaded_tasks`: sets the number of threads that build and search.
    """
    state = {}
    answer(lambda request: _answer(engine, request, state))


def _answer(engine, request, state):
    verb = request["verb"]
    if verb == "describe":
        return {
            "version": f"{engine.version()}, Python {sys.version.split()[0]}",
            "filters": hasattr(engine, "set_filter"),
            "threads": getattr(engine, "threaded_tasks", []),
        }
    if verb not in ("build", "query"):
        raise ValueError(f"expected describe, build or query, got {verb}")
    if hasattr(engine, "set_threads"):
        engine.set_threads(request.get("threads", 1))
    folder, similarity, options = Path(request["folder"]), request["similarity"], request["options"]
    if verb == "build":
        rows = _read_matrix(request["rows"], request["count"], request["dim"])
        start, cpu_start = time.perf_counter(), time.process_time()
        engine.build(rows, similarity, options)
        reply = {"seconds": time.perf_counter() - start, "cpuSeconds": time.process_time() - cpu_start}
        engine.save(folder)
        return reply
    index = (request["folder"], request["rows"], request["count"])
    if state.get("index") != index:
        engine.open(folder, lambda: _read_matrix(request["rows"], request["count"], request["dim"]), similarity, options)
        state["index"], state["filter"] = index, None
    _set_filter(engine, request, state)
    loaded_queries = (request["queries"], request["asked"])
    if state.get("loaded_queries") != loaded_queries:
        state["queries"] = _read_matrix(request["queries"], request["asked"], request["dim"])
        state["loaded_queries"] = loaded_queries
    return _query(engine, state["queries"], request)


def _set_filter(engine, request, state):
    file = request.get("filter")
    if state["filter"] == file:
        return
    if not hasattr(engine, "set_filter"):
        raise ValueError("cannot filter")
    allowed = None if file is None else numpy.fromfile(file, numpy.bool_)
    if allowed is not None and len(allowed) != request["count"]:
        raise ValueError(f"expected a filter of {request['count']} rows, got {len(allowed)}")
    engine.set_filter(allowed)
    state["filter"] = file


def _query(engine, queries, request):
    k, effort = request["k"], request["effort"]
    calls = [queries] if request["batch"] else [queries[i : i + 1] for i in range(len(queries))]
    found, call_nanos = [], []
    start, cpu_start = time.perf_counter_ns(), time.process_time_ns()
    for call in calls:
        call_start = time.perf_counter_ns()
        found.append(engine.search(call, k, effort))
        call_nanos.append(time.perf_counter_ns() - call_start)
    cpu, wall = time.process_time_ns() - cpu_start, time.perf_counter_ns() - start
    if request.get("found"):
        rows = numpy.concatenate([_padded(result, k) for result in found])
        rows.astype("<i4").tofile(request["found"])
    return {"wallNanos": wall, "cpuNanos": cpu, "queryNanos": [] if request["batch"] else call_nanos}


def _padded(found, k):
    """Returns row numbers [queries, k]. If a query has fewer than k hits, its row ends with -1s."""
    padded = numpy.full((len(found), k), -1, numpy.int64)
    for row, hits in zip(padded, found):
        row[: len(hits)] = hits[:k]
    return padded


def _read_matrix(path, count, dim):
    """Reads the first `count` rows of a file of little-endian f32 rows."""
    return numpy.fromfile(path, "<f4", count * dim).reshape(count, dim)
