"""Vamana, through Intel's SVS (Scalable Vector Search), as a server of benches/qps/vectors.

Options: `degree`, `window` (the size of the search window while building), and `storage`: `f32`, `f16`, or `lvq`
(locally-adaptive vector quantization) with `primary` and `residual` bits. LVQ needs an Intel processor.
"""

import sys
import tempfile
from pathlib import Path

import numpy
import svs

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

DISTANCES = {"dot": svs.DistanceType.MIP, "l2": svs.DistanceType.L2}
# The pruning parameter alpha of Vamana. As the documentation of SVS advises, it is above 1 for distances and below 1
# for inner products.
ALPHAS = {"dot": 0.95, "l2": 1.2}


class Svs:
    threaded_tasks = ["build", "batch"]

    def set_threads(self, count):
        self.threads = count

    def version(self):
        return f"scalable-vs {svs.library_version()}"

    def build(self, rows, similarity, options):
        parameters = svs.VamanaBuildParameters(
            alpha=ALPHAS[similarity], graph_max_degree=options["degree"], window_size=options["window"]
        )
        if options["storage"] != "lvq":
            kind = {"f32": numpy.float32, "f16": numpy.float16}[options["storage"]]
            self.index = svs.Vamana.build(parameters, rows.astype(kind), DISTANCES[similarity], self.threads)
            return
        with tempfile.TemporaryDirectory() as folder:
            # SVS compresses vectors only while it loads them from a file.
            file = f"{folder}/rows.fvecs"
            svs.write_vecs(rows, file)
            data = svs.VectorDataLoader(file, svs.DataType.float32, rows.shape[1])
            loader = svs.LVQLoader(data, primary=options["primary"], residual=options["residual"])
            self.index = svs.Vamana.build(parameters, loader, DISTANCES[similarity], self.threads)

    def save(self, folder):
        self.index.save(*(str(folder / part) for part in ("config", "graph", "data")))

    def open(self, folder, read_rows, similarity, options):
        data = str(folder / "data")
        kinds = {"f32": svs.DataType.float32, "f16": svs.DataType.float16}
        storage = options["storage"]
        self.index = svs.Vamana(
            str(folder / "config"),
            svs.GraphLoader(str(folder / "graph")),
            svs.LVQLoader(data) if storage == "lvq" else svs.VectorDataLoader(data, kinds[storage]),
            DISTANCES[similarity],
            num_threads=self.threads,
        )

    def search(self, queries, k, effort):
        self.index.search_window_size = effort
        return self.index.search(queries, k)[0]


serve(Svs())
