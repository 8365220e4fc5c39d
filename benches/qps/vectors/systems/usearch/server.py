"""usearch as a server of benches/qps/vectors.

Options: `index` is `exact`, or `hnsw` with `m`, `efConstruction` and `storage` (`f32` or `f16`).
"""

import sys
from importlib.metadata import version
from pathlib import Path

import numpy
from usearch.index import Index, search

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

METRICS = {"dot": "ip", "l2": "l2sq"}


class Usearch:
    threaded_tasks = ["build", "batch"]

    def set_threads(self, count):
        self.threads = count

    def version(self):
        return f"{version('usearch')} ({Index(ndim=32, metric='ip').hardware_acceleration})"

    def build(self, rows, similarity, options):
        self.index = None
        if options["index"] == "hnsw":
            self.index = Index(
                ndim=rows.shape[1],
                metric=METRICS[similarity],
                dtype=options["storage"],
                connectivity=options["m"],
                expansion_add=options["efConstruction"],
            )
            self.index.add(numpy.arange(len(rows)), rows, threads=self.threads)

    def save(self, folder):
        if self.index is not None:
            self.index.save(str(folder / "index"))

    def open(self, folder, read_rows, similarity, options):
        self.metric = METRICS[similarity]
        if options["index"] == "hnsw":
            self.index = Index.restore(str(folder / "index"))
        else:
            self.index, self.rows = None, read_rows()

    def search(self, queries, k, effort):
        if self.index is None:
            found = search(self.rows, queries, k, self.metric, exact=True, threads=self.threads)
        else:
            self.index.expansion_search = effort
            found = self.index.search(queries, k, threads=self.threads)
        return found.keys.reshape(len(queries), -1)


serve(Usearch())
