"""VSAG's HGraph as a server of benches/qps/vectors. VSAG answers one query per call, even if the queries are a batch.

Options: `degree`, `efConstruction`, `quantization` (how vectors are quantized for the graph search), and `reorder`
(whether the candidates are rescored with f32 vectors).
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy
import pyvsag

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

METRICS = {"dot": "ip", "l2": "l2"}


def _index(dim, similarity, options):
    parameters = {
        "dtype": "float32",
        "metric_type": METRICS[similarity],
        "dim": dim,
        "index_param": {
            "base_quantization_type": options["quantization"],
            "max_degree": options["degree"],
            "ef_construction": options["efConstruction"],
            "build_thread_count": 1,
            **({"use_reorder": True, "precise_quantization_type": "fp32"} if options["reorder"] else {}),
        },
    }
    return pyvsag.Index("hgraph", json.dumps(parameters))


class Vsag:
    def version(self):
        return f"pyvsag {version('pyvsag')}"

    def build(self, rows, similarity, options):
        self.dim = rows.shape[1]
        self.index = _index(self.dim, similarity, options)
        self.index.build(rows.reshape(-1), numpy.arange(len(rows)), len(rows), self.dim)

    def save(self, folder):
        self.index.save(str(folder / "index"))
        (folder / "dim").write_text(str(self.dim))

    def open(self, folder, read_rows, similarity, options):
        self.index = _index(int((folder / "dim").read_text()), similarity, options)
        self.index.load(str(folder / "index"))

    def search(self, queries, k, effort):
        parameters = json.dumps({"hgraph": {"ef_search": effort}})
        return [self.index.knn_search(query, k, parameters)[0] for query in queries]


pyvsag.set_logger_off()
serve(Vsag())
