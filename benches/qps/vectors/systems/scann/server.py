"""ScaNN as a server of benches/qps/vectors.

Options: `leaves`, the number of leaves of the tree; `dimensionsPerBlock`, the number of dimensions that share one 4-bit
code; and `reorder`: the best `reorder` * k rows are rescored. The effort of a search is the number of leaves searched.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import scann

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

DISTANCES = {"dot": "dot_product", "l2": "squared_l2"}


class Scann:
    def version(self):
        return version("scann")

    # The arguments 100 (k), 10 (leaves) and 100 (rescored rows) are only defaults, which `search` overrides. The
    # threshold 0.2 is from ScaNN's examples.
    def build(self, rows, similarity, options):
        self.index = (
            scann.scann_ops_pybind.builder(rows, 100, DISTANCES[similarity])
            .tree(num_leaves=options["leaves"], num_leaves_to_search=10, training_sample_size=min(len(rows), 250_000))
            .score_ah(options["dimensionsPerBlock"], anisotropic_quantization_threshold=0.2)
            .reorder(100)
            .set_n_training_threads(1)
            .build()
        )

    def save(self, folder):
        self.index.serialize(str(folder))

    def open(self, folder, read_rows, similarity, options):
        self.index = scann.scann_ops_pybind.load_searcher(str(folder))
        self.index.set_num_threads(1)
        self.reorder = options["reorder"]

    def search(self, queries, k, effort):
        return self.index.search_batched(queries, k, self.reorder * k, effort)[0]


serve(Scann())
