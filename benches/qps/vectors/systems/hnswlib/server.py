"""hnswlib behind the line protocol of benches/qps/vectors. Options: `m`, `efConstruction`."""

import sys
from importlib.metadata import version
from pathlib import Path

import hnswlib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

SPACES = {"dot": "ip", "l2": "l2"}


class Hnswlib:
    ways = ["build", "batch"]

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

    def open(self, folder, rows, similarity, options):
        self.index = hnswlib.Index(SPACES[similarity], int((folder / "dim").read_text()))
        self.index.load_index(str(folder / "index"))
        self.allows = None

    def accept(self, allowed):
        # A Python function is asked of each row that the walk comes by: there is no other way in. A list answers soonest.
        self.allows = None if allowed is None else allowed.tolist().__getitem__

    def search(self, queries, k, effort):
        self.index.set_ef(effort)
        return self.index.knn_query(queries, k, num_threads=self.threads, filter=self.allows)[0]


serve(Hnswlib())
