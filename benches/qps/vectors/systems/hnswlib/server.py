"""hnswlib as a server of benches/qps/vectors. Options: `m`, `efConstruction`."""

import sys
from importlib.metadata import version
from pathlib import Path

import hnswlib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

SPACES = {"dot": "ip", "l2": "l2"}


class Hnswlib:
    threaded_tasks = ["build", "batch"]

    def set_threads(self, count):
        self.threads = count

    def version(self):
        return version("hnswlib")

    def build(self, rows, similarity, options):
        self.index = hnswlib.Index(SPACES[similarity], rows.shape[1])
        self.index.init_index(len(rows), M=options["m"], ef_construction=options["efConstruction"])
        self.index.add_items(rows, num_threads=self.threads)

    def save(self, folder):
        self.index.save_index(str(folder / "index"))
        (folder / "dim").write_text(str(self.index.dim))

    def open(self, folder, read_rows, similarity, options):
        self.index = hnswlib.Index(SPACES[similarity], int((folder / "dim").read_text()))
        self.index.load_index(str(folder / "index"))
        self.is_allowed = None

    def set_filter(self, allowed):
        # hnswlib can only filter by a Python function, which it calls for each row that the search visits. The method
        # that reads an item of a list is the fastest such function.
        self.is_allowed = None if allowed is None else allowed.tolist().__getitem__

    def search(self, queries, k, effort):
        self.index.set_ef(effort)
        return self.index.knn_query(queries, k, num_threads=self.threads, filter=self.is_allowed)[0]


serve(Hnswlib())
