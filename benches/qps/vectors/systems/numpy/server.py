"""Exact search by a matrix product and a partial sort, behind the line protocol of benches/qps/vectors."""

import sys
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import serve  # noqa: E402

# Queries scored at a time, so that scores stay below half a gigabyte at a million rows.
BLOCK = 100


class Numpy:
    def version(self):
        return numpy.__version__

    def build(self, rows, similarity, options):
        if similarity != "dot":
            raise ValueError(f"expected dot, got {similarity}")

    def save(self, folder):
        pass

    def open(self, folder, rows, similarity, options):
        self.rows = rows()

    def search(self, queries, k, effort):
        found = []
        for start in range(0, len(queries), BLOCK):
            scores = queries[start : start + BLOCK] @ self.rows.T
            best = numpy.argpartition(scores, -k, axis=1)[:, -k:]
            order = numpy.argsort(-numpy.take_along_axis(scores, best, 1), axis=1, kind="stable")
            found.append(numpy.take_along_axis(best, order, 1))
        return numpy.concatenate(found)


serve(Numpy())
