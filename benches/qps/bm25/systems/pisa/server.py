"""PISA, through pyterrier-pisa, as a server of benches/qps/bm25. The only argument is the query algorithm.

The native binding is called directly, without pyterrier-pisa's data frames, which would take most of a query's time.
PISA returns the ids of the passages itself, so the times include looking up ids, unlike those of other systems. PISA's
idf is Robertson's, never below 0, instead of Lucene's: common terms count less, and the hits differ.
"""

import sys
from importlib.metadata import version
from pathlib import Path

import numpy
from pyterrier_pisa import PisaIndex, _pisathon

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from protocol import read_lines, serve  # noqa: E402

# The number of passages per batch of the index builder: large enough that there is only one batch. With several batches,
# a builder that is pinned to one core hangs, because it waits for another thread to take them.
BATCH = 10_000_000

ALGORITHM = sys.argv[1] if len(sys.argv) > 1 else "block_max_wand"


def _index(folder):
    return PisaIndex(
        str(folder), text_field="text", stemmer="none", stops="none", batch_size=BATCH, threads=1, overwrite=True
    )


def _searcher(folder):
    """Opens the index for searching. The first call also writes the score bounds that pruning needs."""
    return _index(folder).bm25(k1=0.9, b=0.4)


def _escaped(text):
    """Replaces each token that PISA's own tokenizer would change with `zq` and the hexadecimal digits of its bytes."""
    tokens = text.split()
    return " ".join(
        token if token.isascii() and token.isalnum() else f"zq{token.encode().hex()}" for token in tokens
    )


class Pisa:
    def version(self):
        return f"pyterrier-pisa {version('pyterrier_pisa')}, Python {sys.version.split()[0]}"

    def build(self, passages, folder):
        _index(folder).index({"docno": id, "text": _escaped(text)} for id, text in read_lines(passages))
        _searcher(folder)
        # Deletes the uncompressed inverted and forward indexes, which are needed only to encode the index again.
        for file in [*folder.glob("inv.*"), *(folder / f"fwd{suffix}" for suffix in ("", ".documents", ".terms", ".urls"))]:
            file.unlink()

    def open(self, folder):
        # The searcher must stay alive, because it owns the context that `search` uses.
        self.searcher = _searcher(folder)

    def to_query(self, text):
        return _escaped(text)

    def search(self, queries, k):
        max_hits = len(queries) * k
        query_numbers, ranks = numpy.empty(max_hits, numpy.int32), numpy.empty(max_hits, numpy.int32)
        ids, scores = numpy.empty(max_hits, object), numpy.empty(max_hits, numpy.float32)
        hit_count = _pisathon.retrieve(
            self.searcher._ctxt,
            ALGORITHM,
            list(enumerate(queries)),
            k=k,
            threads=1,
            query_weighted=1,
            pretokenised=False,
            result_qidxs=query_numbers,
            result_docnos=ids,
            result_ranks=ranks,
            result_scores=scores,
        )
        return len(queries), query_numbers[:hit_count], ids[:hit_count], scores[:hit_count]

    def to_hits(self, found):
        query_count, query_numbers, ids, scores = found
        hits = [[] for _ in range(query_count)]
        for query, id, score in zip(query_numbers, ids, scores):
            hits[query].append((id, score))
        return hits


serve(Pisa())
