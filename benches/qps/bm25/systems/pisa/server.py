"""PISA, of pyterrier-pisa, behind the line protocol of benches/qps. The one argument is the query algorithm.

The binding is called without its data frames, whose cost would be most of a query's. It names the passages of its hits
itself, so that, unlike the others, its times include that. Its idf is Robertson's, never below 0, not Lucene's: common
terms count less, and its lists differ.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import numpy
from pyterrier_pisa import PisaIndex, _pisathon

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import read_lines, serve  # noqa: E402

# Passages read at a time: all. On one core the builder would wait for ever after a few batches, for a thread to take
# them.
BATCH = 10_000_000

ALGORITHM = sys.argv[1] if len(sys.argv) > 1 else "block_max_wand"


def _index(folder):
    return PisaIndex(
        str(folder), text_field="text", stemmer="none", stops="none", batch_size=BATCH, threads=1, overwrite=True
    )


def _searcher(folder):
    """Makes the bounds that pruning needs, where they are not there yet."""
    return _index(folder).bm25(k1=0.9, b=0.4)


def _plain(text):
    """The tokens, those that PISA's own tokenizer would change in another spelling."""
    tokens = text.split()
    return " ".join(
        token if token.isascii() and token.isalnum() else f"zq{token.encode().hex()}" for token in tokens
    )


class Pisa:
    def version(self):
        return f"pyterrier-pisa {version('pyterrier_pisa')}, Python {sys.version.split()[0]}"

    def build(self, passages, folder):
        _index(folder).index({"docno": name, "text": _plain(text)} for name, text in read_lines(passages))
        _searcher(folder)
        # Uncompressed lists and names, which only further encodings would be made of.
        for file in [*folder.glob("inv.*"), *(folder / f"fwd{suffix}" for suffix in ("", ".documents", ".terms", ".urls"))]:
            file.unlink()

    def open(self, folder):
        # Held, since it owns the context.
        self.searcher = _searcher(folder)

    def prepared(self, text):
        return _plain(text)

    def search(self, queries, k):
        room = len(queries) * k
        numbers, ranks = numpy.empty(room, numpy.int32), numpy.empty(room, numpy.int32)
        names, scores = numpy.empty(room, object), numpy.empty(room, numpy.float32)
        size = _pisathon.retrieve(
            self.searcher._ctxt,
            ALGORITHM,
            list(enumerate(queries)),
            k=k,
            threads=1,
            query_weighted=1,
            pretokenised=False,
            result_qidxs=numbers,
            result_docnos=names,
            result_ranks=ranks,
            result_scores=scores,
        )
        return len(queries), numbers[:size], names[:size], scores[:size]

    def named(self, found):
        count, numbers, names, scores = found
        hits = [[] for _ in range(count)]
        for number, name, score in zip(numbers, names, scores):
            hits[number].append((name, score))
        return hits


serve(Pisa())
