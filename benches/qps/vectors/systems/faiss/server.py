"""Faiss as a server of benches/qps/vectors.

Options: `index` is `flat`, or `hnsw` with `m`, `efConstruction` and `storage` (`flat` or `sq8`). If `innerProduct` is
`augmentedL2`, search by inner product is reduced to search by L2 distance with one additional dimension, as in DPR.
"""

import sys
from pathlib import Path

import faiss
import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

METRICS = {"dot": faiss.METRIC_INNER_PRODUCT, "l2": faiss.METRIC_L2}


class Faiss:
    threaded_tasks = ["build", "batch"]

    def set_threads(self, count):
        faiss.omp_set_num_threads(count)

    def version(self):
        return f"faiss-cpu {faiss.__version__} ({faiss.get_compile_options().strip()})"

    def build(self, rows, similarity, options):
        if options.get("innerProduct") == "augmentedL2":
            # The additional value of a row x is the square root of phi^2 - |x|^2, where phi is the length of the longest row.
            # The additional value of a query is 0.
            squared = (rows * rows).sum(1)
            rows = numpy.column_stack([rows, numpy.sqrt(squared.max() - squared)])
            similarity = "l2"
        metric, dim = METRICS[similarity], rows.shape[1]
        if options["index"] == "flat":
            self.index = faiss.IndexFlat(dim, metric)
        else:
            m = options["m"]
            if options["storage"] == "sq8":
                self.index = faiss.IndexHNSWSQ(dim, faiss.ScalarQuantizer.QT_8bit, m, metric)
            else:
                self.index = faiss.IndexHNSWFlat(dim, m, metric)
            self.index.hnsw.efConstruction = options["efConstruction"]
        self.index.train(rows)
        self.index.add(rows)

    def save(self, folder):
        faiss.write_index(self.index, str(folder / "index"))

    def open(self, folder, read_rows, similarity, options):
        self.index = faiss.read_index(str(folder / "index"))
        self.hnsw = options["index"] == "hnsw"
        self.augmented = options.get("innerProduct") == "augmentedL2"
        self.selector = None

    def set_filter(self, allowed):
        # The bits are kept in an attribute, because the selector only has a pointer to them.
        self.bits = None if allowed is None else numpy.packbits(allowed, bitorder="little")
        self.selector = None if allowed is None else faiss.IDSelectorBitmap(self.bits)

    def search(self, queries, k, effort):
        if self.augmented:
            queries = numpy.pad(queries, ((0, 0), (0, 1)))
        if self.selector is not None:
            parameters = faiss.SearchParametersHNSW(efSearch=effort) if self.hnsw else faiss.SearchParameters()
            parameters.sel = self.selector
            return self.index.search(queries, k, params=parameters)[1]
        if self.hnsw:
            self.index.hnsw.efSearch = effort
        return self.index.search(queries, k)[1]


serve(Faiss())
