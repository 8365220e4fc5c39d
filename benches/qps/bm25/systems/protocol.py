"""The line protocol of benches/qps/bm25 for systems in Python: one line of JSON per request, one per reply.

README.md lists the requests. `serve` does everything except building and searching, which its argument does: an object
called the engine.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "servers"))
from python_server import answer  # noqa: E402


def read_lines(path):
    """Yields the id and the text of each line."""
    with open(path, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield line.rstrip("\n").split("\t", 1)


def serve(engine):
    """Answers requests until the input ends. An engine has:

    - `version()`: returns the version as a string.
    - `build(passages, folder)`: reads a file of passages and writes an index to a folder. Timed.
    - `open(folder)`: opens the index for searching.
    - `to_query(tokens)`: converts the text of a query to what `search` takes. Not timed.
    - `search(queries, k)`: searches for a list of queries, which has only one query unless it is a batch. Timed.
    - `to_hits(found)`: converts what `search` returned to a list of (id, score) per query. Not timed.
    - `threaded_tasks`, if it can use several threads: the tasks (`query`, `batch`) that it can run on them.
    - `set_threads(count)`, needed with `threaded_tasks`: sets the number of threads of later searches.
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
        return {"version": engine.version(), "threads": getattr(engine, "threaded_tasks", [])}
    if verb == "build":
        if request["analysis"] != "tokens":
            raise ValueError(f"expected tokens, got {request['analysis']}: the system has no comparable analyzer")
        start = time.perf_counter()
        engine.build(request["passages"], Path(request["folder"]))
        return {"seconds": time.perf_counter() - start}
    if verb == "query":
        return _query(engine, request)
    raise ValueError(f"expected describe, build or query, got {verb}")


def _query(engine, request):
    threads = request.get("threads", 1)
    if hasattr(engine, "set_threads"):
        engine.set_threads(threads)
    # With one thread, the CPU time of this thread; with more, that of the process.
    cpu_time = time.thread_time_ns if threads == 1 else time.process_time_ns
    ids, queries = zip(*((id, engine.to_query(text)) for id, text in read_lines(request["queries"])))
    calls = [list(queries)] if request["batch"] else [[query] for query in queries]
    rounds = []
    for _ in range(request["rounds"]):
        found, call_nanos = [], []
        start, cpu_start = time.perf_counter_ns(), cpu_time()
        for call in calls:
            call_start = time.perf_counter_ns()
            found.append(engine.search(call, request["k"]))
            call_nanos.append(time.perf_counter_ns() - call_start)
        cpu, wall = cpu_time() - cpu_start, time.perf_counter_ns() - start
        rounds.append({"wallNanos": wall, "cpuNanos": cpu, "queryNanos": [] if request["batch"] else call_nanos})
    if request.get("hits"):
        with open(request["hits"], "w", encoding="utf-8") as file:
            lists = (hits for result in found for hits in engine.to_hits(result))
            for query, hits in zip(ids, lists, strict=True):
                file.writelines(f"{query}\t{passage}\t{score}\n" for passage, score in hits)
    return {"rounds": rounds}
