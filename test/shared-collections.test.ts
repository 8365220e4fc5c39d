// Compares BM25 with the hits of Lucene and the published results of Anserini, on collections of the shared folder (see
// test/support/shared.ts). These collections cannot be published; without the folder, the tests are skipped.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {Collection, type Question, evaluate, readQrels, readQuestions, readTrecRun, topKAccuracy} from '../ts/index.ts';
import {testWithShared} from './support/shared-tests.ts';

/** Builds a collection over a shared corpus, with BM25 only. */
async function collectionOf(t: ExecutionContext, corpus: string): Promise<Collection> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-shared-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const collection = await Collection.build(corpus, join(folder, 'index'), {encoder: false});
	t.teardown(async () => collection.close());
	return collection;
}

/** Reads all questions of a file. */
async function readAll(path: string): Promise<Question[]> {
	const questions: Question[] = [];
	for await (const question of readQuestions(path)) {
		questions.push(question);
	}
	return questions;
}

const squad = [
	'data/squad/psgs_w100.squad-dev.tsv.gz',
	'data/squad/squad-dev.qas.jsonl.gz',
	'reference/lucene/squad.bm25.trec.gz',
] as const;
testWithShared(
	'SQuAD: the first 1,000 hits are the same passages in the same order with the same scores as in Lucene',
	squad,
	async (t, corpus, questionFile, reference) => {
		const collection = await collectionOf(t, corpus);
		t.is(collection.manifest.passages, 2561);
		const questions = await readAll(questionFile);
		t.is(questions.length, 7724);
		// Lucene's hits for a sample of the questions.
		const lucene = await readTrecRun(reference);
		const run = await collection.bm25.searchMany(questions, {k: 1000});
		t.is(lucene.size, 357);
		for (const [query, hits] of lucene) {
			t.deepEqual(run.get(query), hits, query);
		}
		// For all 10,570 questions of SQuAD's development set, the accuracies are 0.9522 and 0.9765 (reference/golden in the shared
		// folder). These 7,724 questions are a subset.
		const {accuracy} = await topKAccuracy(run, questions, collection.passages, [20, 100]);
		t.is(accuracy.get(20)!.toFixed(4), '0.9476');
		t.is(accuracy.get(100)!.toFixed(4), '0.9759');
	},
);

const scifact = ['data/ir/scifact/corpus.jsonl.gz', 'data/ir/scifact/queries.jsonl.gz', 'data/ir/scifact/qrels.txt.gz'] as const;
testWithShared("SciFact: nDCG@10 and R@100 equal Anserini's: 0.6789 and 0.9253", scifact, async (t, corpus, queries, qrels) => {
	const collection = await collectionOf(t, corpus);
	const run = await collection.bm25.searchMany(await readAll(queries), {k: 1000});
	const {mean} = await evaluate(run, await readQrels(qrels), ['nDCG@10', 'R@100']);
	t.is(mean['nDCG@10'].toFixed(4), '0.6789');
	t.is(mean['R@100'].toFixed(4), '0.9253');
});
