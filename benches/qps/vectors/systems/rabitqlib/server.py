"""SymphonyQG, through rabitqlib, as a server of benches/qps/vectors.

Options: `degree`, `ef` (while building), `init` (how rabitqlib makes the initial graph, such as `pipnn`), and `bits`
per value of the vectors that are kept for rescoring (0, the default, means f32).
"""

import sys
from importlib.metadata import version
from pathlib import Path

from rabitqlib import SymqgIndex

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

METRICS = {"dot": "ip", "l2": "l2"}


class SymphonyQg:
    threaded_tasks = ["build", "batch"]

    def set_threads(self, count):
        self.threads = count

    def version(self):
        return f"rabitqlib {version('rabitqlib')}"

    def build(self, rows, similarity, options):
        self.index = SymqgIndex(rows.shape[1], options["degree"], METRICS[similarity], options.get("bits", 0))
        self.index.build(rows, options["ef"], self.threads, options["init"])

    def save(self, folder):
        self.index.save(str(folder / "index"))

    def open(self, folder, read_rows, similarity, options):
        self.index = SymqgIndex.load(str(folder / "index"))

    def search(self, queries, k, effort):
        return self.index.search_batch(queries, k, effort, self.threads)[0]


serve(SymphonyQg())
