"""Glass as a server of benches/qps/vectors.

Options: `degree`, `efConstruction`, and `level`, which says how vectors are quantized for the graph search: 0 for f32,
1 for 8 bits, 2 for 4 bits. The index file has only the graph; the vectors are read and quantized when the index is
opened.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import glassppy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

METRICS = {"dot": "IP", "l2": "L2"}


class Glass:
    threaded_tasks = ["build", "batch"]

    def set_threads(self, count):
        self.threads = count
        glassppy.set_num_threads(count)

    def version(self):
        return f"glassppy {version('glassppy')}"

    def build(self, rows, similarity, options):
        index = glassppy.Index("HNSW", rows.shape[1], METRICS[similarity], options["degree"], options["efConstruction"])
        self.graph = index.build(rows)

    def save(self, folder):
        self.graph.save(str(folder / "graph"))

    def open(self, folder, read_rows, similarity, options):
        graph = glassppy.Graph(str(folder / "graph"))
        self.searcher = glassppy.Searcher(graph, read_rows(), METRICS[similarity], options["level"])
        self.searcher.optimize(self.threads)

    def search(self, queries, k, effort):
        self.searcher.set_ef(effort)
        return self.searcher.batch_search(queries, k, self.threads).reshape(len(queries), k)


serve(Glass())
