// Measures how much an encoder gains from training on few or many questions. A stopped run is continued.
import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {sharedFile} from '../../test/support/shared.ts';
import {Collection} from '../../ts/collection/index.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import type {Question, Run} from '../../ts/core/types.ts';
import {type TopKAccuracy, pairedTest, topKAccuracy} from '../../ts/evaluation/index.ts';
import {type FusionMethod, fuse, tuneHybrid} from '../../ts/fusion/index.ts';
import {exists} from '../../ts/studies/storage/run-folder.ts';
import {mineNegatives, trainEncoder} from '../../ts/training/index.ts';
import {seededRandom, shuffled} from '../../ts/training/run/random-order.ts';
import type {Benchmark} from '../support/benchmark.ts';
import {questionsByArticles} from './squad-articles.ts';

const INIT = 'minilm-encoder';
/** Numbers of training questions, which are nested random subsets; all of them are added. */
const COUNTS = [350, 1000];
const KS = [1, 5, 20, 100];
/** The measures whose differences are tested. */
const TESTED = [5, 20];
/**
Candidate weights α of the BM25 scores. The one with the highest top-20 accuracy on the validation questions is used for `tuned`; `hybrid` uses
the default, 0.05.
*/
const ALPHAS = [0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.07, 0.1, 0.14, 0.2];
/** Number of hits of each retriever that are fused. */
const DEPTH = 1000;

export const trainedEncoder: Benchmark = async say => {
	const squad = sharedFile('data', 'squad');
	if (squad === undefined) {
		throw new Error('the benchmark of trained encoders needs the shared data sets');
	}
	const corpus = join(squad, 'psgs_w100.squad-dev.tsv.gz');
	const cache = join(packageRoot, 'benches', '.cache', 'trained-encoder');
	await mkdir(cache, {recursive: true});
	const {train, dev, test} = await questionsByArticles(squad);
	const mined = (await mineNegatives(shuffled(train, seededRandom(1), train.length), corpus)).examples;
	const devExamples = (await mineNegatives(dev, corpus)).examples;
	say(`${mined.length} training examples, ${devExamples.length} for validation, ${test.length} test questions`);

	const before = await measure(corpus, join(cache, 'before'), INIT, {dev, test});
	const rows = [{examples: 0, alpha: before.alpha, ...summary(before)}];
	say(rowText(rows[0]!));
	for (const count of [...COUNTS, mined.length]) {
		const encoder = join(cache, `encoder-${count}`);
		const began = performance.now();
		const training = await trainEncoder(mined.slice(0, count), INIT, encoder, {dev: devExamples});
		const minutes = (performance.now() - began) / 60_000;
		const after = await measure(corpus, join(cache, `collection-${count}`), encoder, {dev, test});
		const row = {
			examples: count,
			bestEpoch: training.bestEpoch,
			alpha: after.alpha,
			...summary(after),
			tests: await tests(after, before, test),
		};
		rows.push(row);
		say(`${rowText(row)} (epoch ${training.bestEpoch}; ${minutes.toFixed(1)} minutes, unless it was there)`);
	}
	return {
		dataset: 'SQuAD',
		init: INIT,
		questions: {training: mined.length, validation: devExamples.length, test: test.length},
		rows,
	};
};

/** What was measured with an encoder. */
interface Measured {
	/** The weight of BM25 scores that was chosen for `tuned`. */
	readonly alpha: number;
	/** For each retriever, the top-k accuracies and the ranks of the first passages with an answer. */
	readonly retrievers: ReadonlyMap<string, TopKAccuracy>;
}

/** Measures BM25, the encoder, and both together, with the default weight of BM25 scores (`hybrid`) and with a chosen one (`tuned`). */
async function measure(
	corpus: string,
	folder: string,
	encoder: string,
	{dev, test}: {readonly dev: readonly Question[]; readonly test: readonly Question[]},
): Promise<Measured> {
	if (!(await exists(join(folder, 'passagekit.json')))) {
		await (await Collection.build(corpus, folder, {encoder, dense: 'flat'})).close();
	}
	await using collection = await Collection.open(folder);
	const lists = async (questions: readonly Question[]): Promise<{readonly dense: Run; readonly sparse: Run}> => {
		const [dense, sparse] = [await collection.searcher('dense'), await collection.searcher('bm25')];
		return {
			dense: await dense.searchMany(questions, {k: DEPTH}),
			sparse: await sparse.searchMany(questions, {k: DEPTH}),
		};
	};
	const {weight: alpha} = await tuneHybrid(
		await lists(dev),
		{questions: dev, passages: collection.passages, k: 20},
		{method: 'hybridNorm', grid: ALPHAS},
	);
	const {dense, sparse} = await lists(test);
	const tuned: FusionMethod = {method: 'hybridNorm', alpha};
	const hybrid = await collection.searcher('hybrid');
	const runs: ReadonlyArray<readonly [string, Run]> = [
		['bm25', sparse],
		['dense', dense],
		['hybrid', await hybrid.searchMany(test, {k: Math.max(...KS)})],
		['tuned', await fuse({dense, sparse}, tuned, {k: Math.max(...KS)})],
	];
	const retrievers = new Map<string, TopKAccuracy>();
	for (const [name, run] of runs) {
		retrievers.set(name, await topKAccuracy(run, test, collection.passages, KS));
	}
	return {alpha, retrievers};
}

function summary({retrievers}: Measured): Readonly<Record<string, Record<string, number>>> {
	return Object.fromEntries([...retrievers].map(([name, {accuracy}]) => [name, Object.fromEntries(accuracy)]));
}

/** Tests the differences between two encoders, for all retrievers that use them, with paired tests over the questions. */
async function tests(after: Measured, before: Measured, questions: readonly Question[]): Promise<object> {
	const results: Record<string, object> = {};
	for (const retriever of ['dense', 'hybrid', 'tuned']) {
		for (const k of TESTED) {
			const values = [after, before].map(measured => {
				const {firstRanks} = measured.retrievers.get(retriever)!;
				return new Map(questions.map(({id}) => [id, Number((firstRanks.get(id) ?? Number.POSITIVE_INFINITY) <= k)]));
			});
			results[`${retriever} top-${k}`] = await pairedTest(values[0]!, values[1]!);
		}
	}
	return results;
}

function rowText({examples, ...row}: {readonly examples: number; readonly [name: string]: unknown}): string {
	const parts = ['bm25', 'dense', 'hybrid', 'tuned'].map(name => {
		const accuracy = row[name] as Record<string, number>;
		return `${name} ${KS.map(k => accuracy[k]!.toFixed(3)).join(' ')}`;
	});
	return `${String(examples).padStart(5)} examples: ${parts.join(' · ')}`;
}
