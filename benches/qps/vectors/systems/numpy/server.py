"""Exact search in NumPy (a matrix product and a partial sort) as a server of benches/qps/vectors."""

import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

# The number of queries that are scored at a time. With a million rows, their scores take 400 MB.
BLOCK = 100


class Numpy:
    def version(self):
        return numpy.__version__

    def build(self, rows, similarity, options):
        if similarity != "dot":
            raise ValueError(f"expected dot, got {similarity}")

    def save(self, folder):
        pass

    def open(self, folder, read_rows, similarity, options):
        self.rows = read_rows()

    def search(self, queries, k, effort):
        found = []
        for start in range(0, len(queries), BLOCK):
            scores = queries[start : start + BLOCK] @ self.rows.T
            best = numpy.argpartition(scores, -k, axis=1)[:, -k:]
            order = numpy.argsort(-numpy.take_along_axis(scores, best, 1), axis=1, kind="stable")
            found.append(numpy.take_along_axis(best, order, 1))
        return numpy.concatenate(found)


serve(Numpy())
