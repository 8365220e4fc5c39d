"""Writes the data files of this folder. README.md lists them, with the software that makes them and its versions.

    python make.py --lucene JARS --glove GLOVE

JARS is a folder with the jar files of lucene-core and lucene-analysis-common; GLOVE is a folder with base.fvecs.gz and
query.fvecs.gz: 100-dimensional GloVe vectors, each preceded by its dimension as a 32-bit integer.
"""

import argparse
import gzip
import json
import random
import re
import subprocess
import tempfile
from pathlib import Path

import faiss
import numpy
import pytrec_eval
from pyserini.eval.evaluate_dpr_retrieval import SimpleTokenizer, has_answers
from transformers.data.metrics.squad_metrics import compute_exact, compute_f1

HERE = Path(__file__).parent
ENCYCLOPEDIA = HERE / "../../examples/encyclopedia"
MEASURES = ["map", "recip_rank", "ndcg", "P_5,10", "recall_10,100", "ndcg_cut_3,10", "map_cut_10", "success_1,5"]


def read_passages():
    """Yields the paragraphs of all articles: id, title, text. The id is the article's file name, #, a number from 0."""
    for path in sorted((ENCYCLOPEDIA / "articles").iterdir()):
        title, *paragraphs = path.read_text("utf-8").strip().split("\n\n")
        for number, paragraph in enumerate(paragraphs):
            yield f"{path.stem}#{number}", title.removeprefix("# "), paragraph


def read_questions():
    for split in ["train", "dev", "test"]:
        with open(ENCYCLOPEDIA / f"questions.{split}.jsonl", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def write(name, lines):
    text = "".join(line + "\n" for line in lines)
    if name.endswith(".gz"):
        # Without a time stamp, the same contents give the same bytes.
        (HERE / name).write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        (HERE / name).write_text(text, "utf-8")


def write_texts(passages, questions):
    write("passages.tsv.gz", (f"{id}\t{title} {text}" for id, title, text in passages))
    write("questions.tsv.gz", ("\t".join([q["id"], q["question"], *q["answers"]]) for q in questions))


def write_lucene(passages, questions, jars):
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "passages").write_text("".join(f"{id}\t{title} {text}\n" for id, title, text in passages), "utf-8")
        (folder / "queries").write_text("".join(f"{q['id']}\t{q['question']}\n" for q in questions), "utf-8")
        command = ["java", "-cp", f"{jars}/*", HERE / "Lucene.java", folder / "passages", folder / "queries", folder]
        subprocess.run(command, check=True)
        for name in ["lucene.tokens.tsv", "lucene.query-tokens.tsv", "lucene.bm25.trec"]:
            write(f"{name}.gz", (folder / name).read_text("utf-8").splitlines())


def write_qrels(passages, questions):
    """Grade 2: the paragraph has the question's evidence. Grade 1: it is in the same article and contains an answer."""
    lines = []
    for question in questions:
        article = question["passage"].partition(".md#")[0]
        for id, _, text in passages:
            if id.partition("#")[0] != article:
                continue
            if question["evidence"] in text:
                lines.append(f"{question['id']} 0 {id} 2")
            elif any(answer in text for answer in question["answers"]):
                lines.append(f"{question['id']} 0 {id} 1")
    write("qrels.txt", lines)


def write_trec_eval():
    """Evaluates Lucene's BM25 run with trec_eval."""
    with open(HERE / "qrels.txt", encoding="utf-8") as file:
        qrels = pytrec_eval.parse_qrel(file)
    with gzip.open(HERE / "lucene.bm25.trec.gz", "rt", encoding="utf-8") as file:
        run = pytrec_eval.parse_run(file)
    lines = []
    # The minimum grade that counts as relevant. Graded measures such as nDCG ignore it.
    for relevant in [1, 2]:
        values = pytrec_eval.RelevanceEvaluator(qrels, set(MEASURES), relevance_level=relevant).evaluate(run)
        for query, measures in sorted(values.items()):
            lines += [f"{relevant}\t{query}\t{name}\t{value!r}" for name, value in sorted(measures.items())]
    write("trec_eval.tsv.gz", lines)


def write_has_answer(passages, questions):
    """Tests each question on the passages of its article and two random ones, by tokens and by regular expressions."""
    tokenizer = SimpleTokenizer()
    chance = random.Random(1)
    lines = []
    for question in questions:
        article = question["passage"].partition(".md#")[0]
        own = [passage for passage in passages if passage[0].partition("#")[0] == article]
        patterns = [re.escape(answer).replace("\\ ", r"\s+") for answer in question["answers"]]
        for id, title, text in own + chance.sample(passages, 2):
            text = f"{title} {text}"
            tokens = has_answers(text, question["answers"], tokenizer, regex=False)
            pattern = has_answers(text, patterns, tokenizer, regex=True)
            lines.append(f"{question['id']}\t{id}\t{int(bool(tokens))}\t{int(bool(pattern))}")
    write("has_answer.tsv.gz", lines)


def write_squad(questions):
    """Scores predictions like those of a reader: right, nearly right, too long, too short, wrong, and empty."""
    chance = random.Random(2)
    lines = []
    for question in questions:
        answer = chance.choice(question["answers"])
        words = question["evidence"].split(" ")
        start = chance.randrange(len(words))
        other = chance.choice(questions)["answers"][0]
        for prediction in [answer, f"The {answer.upper()}.", f"{answer} {words[start]}", answer.split(" ")[-1],
                           " ".join(words[start:start + 4]), question["evidence"], other, ""]:
            exact = max(compute_exact(gold, prediction) for gold in question["answers"])
            f1 = max(float(compute_f1(gold, prediction)) for gold in question["answers"])
            lines.append(f"{question['id']}\t{prediction}\t{exact}\t{f1!r}")
    write("squad.tsv.gz", lines)


def write_neighbors(glove):
    """Writes 1,000 base vectors and 100 queries, rounded to half precision, and the 20 nearest neighbors by Faiss."""
    def read(name, step, count):
        """Reads every step-th vector, count in all. A row of the file is the dimension, 100, and 100 floats."""
        raw = numpy.frombuffer(gzip.open(glove / name).read(), dtype="<i4").reshape(-1, 101)
        return raw[:, 1:].view("<f4")[::step][:count].astype("<f2").astype("<f4")
    base, queries = read("base.fvecs.gz", 50, 1000), read("query.fvecs.gz", 10, 100)
    (HERE / "glove.base.f16.gz").write_bytes(gzip.compress(base.astype("<f2").tobytes(), mtime=0))
    (HERE / "glove.queries.f16.gz").write_bytes(gzip.compress(queries.astype("<f2").tobytes(), mtime=0))
    for name, index in [("inner-product", faiss.IndexFlatIP(100)), ("l2", faiss.IndexFlatL2(100))]:
        index.add(base)
        scores, ids = index.search(queries, 20)
        write(f"faiss.{name}.tsv.gz", (
            "\t".join(f"{id}:{score!s}" for id, score in zip(row, values)) for row, values in zip(ids, scores)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lucene", type=Path, required=True)
    parser.add_argument("--glove", type=Path, required=True)
    arguments = parser.parse_args()
    passages, questions = list(read_passages()), list(read_questions())
    # The last 168 questions are the test split.
    test = questions[-168:]
    write_texts(passages, questions)
    write_lucene(passages, questions, arguments.lucene)
    write_qrels(passages, questions)
    write_trec_eval()
    write_has_answer(passages, test)
    write_squad(test)
    write_neighbors(arguments.glove)
