// Measures the effectiveness of BM25, dense and hybrid retrieval and of the reader on two of the shared data sets (../shared; see
// benches/README.md): top-k accuracy, exact match and F1 on SQuAD, nDCG@10 and recall@100 on SciFact, and how often BM25 returns the same
// hits as Lucene.
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Collection, buildCollection} from '../../ts/collection/index.ts';
import {readQrels, readQuestions, readTrecRun} from '../../ts/corpus/index.ts';
import {evaluate, exactMatch, f1, topKAccuracy} from '../../ts/evaluation/index.ts';
import {type FusionMethod, fuse} from '../../ts/fusion/index.ts';
import type {Question, Run} from '../../ts/core/types.ts';
import {sharedFile} from '../../test/support/shared.ts';
import type {Benchmark} from '../support/benchmark.ts';
import {linesOf} from '../support/json-lines.ts';

/**
The weight α of BM25 scores in hybrid retrieval with `minilm-encoder`, as in models/minilm-encoder/README.md. Dense scores are at most 1,
because the vectors are unit vectors, and BM25 scores are about 20 times as large. `dprHybrid` weights dense scores instead, with λ = 1 / α.
*/
const ALPHA = 0.05;

/**
The reader answers every nth question about the test articles, which it was not trained on; this constant is n. Reading for all of these
questions (n = 1) would take half an hour on two cores.
*/
const READING_INTERVAL = Number(process.env['PASSAGEKIT_READ_EVERY'] ?? 5);

/** The fusion methods, by their names in the record benches/record/quality.json. */
const fusionMethods: Readonly<Record<string, FusionMethod>> = {
	'dprHybrid λ=20': {method: 'dprHybrid', lambda: 1 / ALPHA},
	'hybrid α=0.05': {method: 'hybrid', alpha: ALPHA},
	'hybridNorm α=0.05': {method: 'hybridNorm', alpha: ALPHA},
	rrf: {method: 'rrf'},
};

export const quality: Benchmark = async say => {
	const squad = sharedFile('data', 'squad');
	const scifact = sharedFile('data', 'ir', 'scifact');
	const lucene = sharedFile('reference', 'lucene', 'squad.bm25.trec.gz');
	if (!squad || !scifact || !lucene) {
		throw new Error('the quality benchmark needs the shared data sets');
	}
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-quality-'));
	try {
		return {squad: await measureSquad(squad, lucene, folder, say), scifact: await measureScifact(scifact, folder, say)};
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
};

/** Searches with BM25 and with the encoder, fuses both runs with each fusion method, and returns all runs by the name of their method. */
async function searchAll(
	collection: Collection,
	questions: readonly {id: string; text: string}[],
	say: (line: string) => void,
): Promise<Map<string, Run>> {
	const timed = async (name: string, retriever: 'bm25' | 'dense'): Promise<Run> => {
		const searcher = await collection.searcher(retriever);
		const began = performance.now();
		const run = await searcher.searchMany(questions, {k: 1000});
		say(`  ${name}: ${questions.length} questions in ${((performance.now() - began) / 1000).toFixed(1)} s`);
		return run;
	};
	const sparse = await timed('bm25', 'bm25');
	const dense = await timed('dense', 'dense');
	const runs = new Map([
		['bm25', sparse],
		['dense', dense],
	]);
	for (const [name, fusion] of Object.entries(fusionMethods)) {
		runs.set(name, await fuse({dense, sparse}, fusion, {k: 1000}));
	}
	return runs;
}

/** Measures retrieval, the agreement with Lucene, and the reader on SQuAD. */
async function measureSquad(data: string, lucene: string, folder: string, say: (line: string) => void): Promise<Record<string, unknown>> {
	say('SQuAD-open');
	const index = join(folder, 'squad');
	await buildCollection(join(data, 'psgs_w100.squad-dev.tsv.gz'), index, {dense: 'flat'});
	await using collection = await Collection.open(index);
	const questions = await toArray(readQuestions(join(data, 'squad-dev.qas.jsonl.gz')));
	const runs = await searchAll(collection, questions, say);
	const accuracy: Record<string, unknown> = {};
	for (const [name, run] of runs) {
		const result = await topKAccuracy(run, questions, collection.passages, [1, 5, 20, 100]);
		accuracy[name] = Object.fromEntries(result.accuracy);
		say(`  ${name.padEnd(18)} ${[...result.accuracy].map(([k, share]) => `top-${k} ${share.toFixed(4)}`).join('  ')}`);
	}
	const agreement = await luceneAgreement(runs.get('bm25')!, lucene);
	say(
		`  same first 20 hits as Lucene: ${(100 * agreement.sameTop20).toFixed(2)}% of ${agreement.questions} questions; same order ${(100 * agreement.sameOrder).toFixed(2)}%`,
	);
	// `test` has the titles of the articles that the reader was not trained on.
	const {test: testArticles} = JSON.parse(await readFile(join(data, 'split.json'), 'utf8')) as {test: string[]};
	const titles = await articleTitles(join(data, 'squad-dev.qas.jsonl.gz'));
	const sample = questions.filter(({id}) => testArticles.includes(titles.get(id) ?? '')).filter((_, i) => i % READING_INTERVAL === 0);
	const reading: Record<string, unknown> = {};
	// Each row has the name of the run, the scoring (see `SpanScoring`), and γ, the weight of retrieval scores in evidence fusion; 0 turns
	// evidence fusion off. The scores of `hybridNorm` are dense + α · BM25. In them, BM25 scores have the weight α = 1 / 20, so γ must be 20
	// times as large as for BM25 alone: 10 instead of 0.5.
	for (const [name, scoring, gamma] of [
		['bm25', 'original', 0],
		['bm25', 'normalized', 0],
		['bm25', 'normalized', 0.5],
		['hybridNorm α=0.05', 'normalized', 10],
	] as const) {
		const result = await readTop20(collection, runs.get(name)!, sample, scoring, gamma);
		reading[`${name} ${scoring} γ=${gamma}`] = result;
		say(
			`  reader, ${name}, ${scoring}, γ=${gamma}: EM ${result.exactMatch.toFixed(4)}  F1 ${result.f1.toFixed(4)}  (${sample.length} questions of the test articles)`,
		);
	}
	return {
		passages: collection.manifest.passages,
		questions: questions.length,
		accuracy,
		lucene: agreement,
		// The number of questions in the sample.
		readQuestions: sample.length,
		reading,
	};
}

/** Reads the first 20 passages of each question, and returns the mean exact match and F1. `gamma` is the weight of retrieval scores. */
async function readTop20(
	collection: Collection,
	run: Run,
	questions: readonly Question[],
	scoring: 'original' | 'normalized',
	gamma: number,
): Promise<{exactMatch: number; f1: number}> {
	const reader = await collection.reader();
	let [exactSum, f1Sum] = [0, 0];
	for (const {id, text, answers} of questions) {
		const passages = await collection.passagesOf((run.get(id) ?? []).slice(0, 20));
		const [answer] = await reader.read(text, passages, {scoring, evidence: {beta: 1, gamma}});
		exactSum += Number(exactMatch(answer?.text ?? '', answers));
		f1Sum += f1(answer?.text ?? '', answers);
	}
	return {exactMatch: exactSum / questions.length, f1: f1Sum / questions.length};
}

/**
Returns the number of questions, and the share of questions whose first 20 hits are the same as Lucene's: in any order (`sameTop20`), and
in the same order (`sameOrder`). `path` is a TREC run of Lucene.
*/
async function luceneAgreement(run: Run, path: string): Promise<{questions: number; sameTop20: number; sameOrder: number}> {
	const reference = await readTrecRun(path);
	let [sameTop20, sameOrder] = [0, 0];
	for (const [query, hits] of reference) {
		const theirs = hits.slice(0, 20).map(({id}) => id);
		const ours = (run.get(query) ?? []).slice(0, 20).map(({id}) => id);
		sameOrder += Number(theirs.join(' ') === ours.join(' '));
		sameTop20 += Number(theirs.toSorted().join(' ') === ours.toSorted().join(' '));
	}
	return {questions: reference.size, sameTop20: sameTop20 / reference.size, sameOrder: sameOrder / reference.size};
}

/** Measures retrieval on SciFact. */
async function measureScifact(data: string, folder: string, say: (line: string) => void): Promise<Record<string, unknown>> {
	say('SciFact');
	const index = join(folder, 'scifact');
	await buildCollection(join(data, 'corpus.jsonl.gz'), index, {dense: 'flat'});
	await using collection = await Collection.open(index);
	const questions = await toArray(readQuestions(join(data, 'queries.jsonl.gz')));
	const qrels = await readQrels(join(data, 'qrels.txt.gz'));
	const measures: Record<string, unknown> = {};
	for (const [name, run] of await searchAll(collection, questions, say)) {
		const {mean} = await evaluate(run, qrels, ['nDCG@10', 'R@100']);
		measures[name] = mean;
		say(`  ${name.padEnd(18)} nDCG@10 ${mean['nDCG@10'].toFixed(4)}  R@100 ${mean['R@100'].toFixed(4)}`);
	}
	return {passages: collection.manifest.passages, questions: questions.length, measured: measures};
}

/** Returns a map from the ids of questions to the titles of their articles. `path` is a gzipped file with a question per line. */
async function articleTitles(path: string): Promise<Map<string, string>> {
	const lines = await linesOf<{id: string; title: string}>(path);
	return new Map(lines.map(({id, title}) => [id, title]));
}

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
	const list: T[] = [];
	for await (const item of items) {
		list.push(item);
	}
	return list;
}
