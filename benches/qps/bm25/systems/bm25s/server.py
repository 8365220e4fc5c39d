"""bm25s with its numba backend, as a server of benches/qps/bm25. ../protocol.py describes the methods."""

import sys
from importlib.metadata import version
from pathlib import Path

import bm25s

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import read_lines, serve  # noqa: E402


class Bm25s:
    threaded_tasks = ["batch"]
    threads = 1

    def set_threads(self, count):
        self.threads = count

    def version(self):
        return f"{version('bm25s')}, numba {version('numba')}, Python {sys.version.split()[0]}"

    def build(self, passages, folder):
        passage_ids, vocabulary, token_ids = [], {}, []
        for passage_id, text in read_lines(passages):
            passage_ids.append(passage_id)
            # The lines have tokens of passagekit's analyzer, separated by white space.
            token_ids.append([vocabulary.setdefault(token, len(vocabulary)) for token in text.split()])
        index = bm25s.BM25(method="lucene", k1=0.9, b=0.4, backend="numba")
        index.index((token_ids, vocabulary), show_progress=False)
        index.save(folder)
        (folder / "passage-ids.txt").write_text("\n".join(passage_ids))

    def open(self, folder):
        self.index = bm25s.BM25.load(folder)
        self.index.backend = "numba"
        self.passage_ids = (folder / "passage-ids.txt").read_text().split("\n")

    def to_query(self, text):
        return text.split()

    def search(self, queries, k):
        threads = self.threads if len(queries) > 1 else 1
        return self.index.retrieve(queries, k=k, show_progress=False, backend_selection="numba", n_threads=threads)

    def to_hits(self, found):
        # bm25s always returns k passages. Those with score 0 have no term of the query; other systems leave them out.
        for passages, scores in zip(found.documents, found.scores):
            yield [(self.passage_ids[row], score) for row, score in zip(passages, scores) if score > 0]


serve(Bm25s())
