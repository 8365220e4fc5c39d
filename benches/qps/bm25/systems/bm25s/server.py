"""bm25s with its numba backend behind the line protocol of benches/qps."""

import sys
from importlib.metadata import version
from pathlib import Path

import bm25s

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import read_lines, serve  # noqa: E402


class Bm25s:
    ways = ["batch"]
    threads = 1

    def set_threads(self, count):
        self.threads = count

    def version(self):
        return f"{version('bm25s')}, numba {version('numba')}, Python {sys.version.split()[0]}"

    def build(self, passages, folder):
        names, vocabulary, ids = [], {}, []
        for name, text in read_lines(passages):
            names.append(name)
            ids.append([vocabulary.setdefault(token, len(vocabulary)) for token in text.split()])
        index = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numba")
        index.index((ids, vocabulary), show_progress=False)
        index.save(folder)
        (folder / "names.txt").write_text("\n".join(names))

    def open(self, folder):
        self.index = bm25s.BM25.load(folder)
        self.index.backend = "numba"
        self.names = (folder / "names.txt").read_text().split("\n")

    def prepared(self, text):
        return text.split()

    def search(self, queries, k):
        threads = self.threads if len(queries) > 1 else 1
        return self.index.retrieve(queries, k=k, show_progress=False, backend_selection="numba", n_threads=threads)

    def named(self, found):
        """Passages without any term of the query have score 0, and are no hits elsewhere."""
        for passages, scores in zip(found.documents, found.scores):
            yield [(self.names[at], score) for at, score in zip(passages, scores) if score > 0]


serve(Bm25s())
