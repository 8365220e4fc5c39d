// Measures how much an encoder gains from training on few or many questions. A stopped run is continued.
import {join} from 'node:path';
import {sharedFile} from '../../test/support/shared.ts';
import {Collection} from '../../ts/collection/index.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import type {Question, Run} from '../../ts/core/types.ts';
import {pairedTest, topKAccuracy} from '../../ts/evaluation/index.ts';
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

export const trainedEncoder: Benchmark = async say => {
	const squad = sharedFile('data', 'squad');
	if (squad === undefined) {
		throw new Error('the benchmark of trained encoders needs the shared data sets');
	}
	const corpus = join(squad, 'psgs_w100.squad-dev.tsv.gz');
	const cache = join(packageRoot, 'benches', '.cache', 'trained-encoder');
	const {train, dev, test} = await questionsByArticles(squad);
	const mined = (await mineNegatives(shuffled(train, seededRandom(1), train.length), corpus)).examples;
	const devExamples = (await mineNegatives(dev, corpus)).examples;
	say(`${mined.length} training examples, ${devExamples.length} for validation, ${test.length} test questions`);

	const before = await measure(corpus, join(cache, 'before'), INIT, test);
	const rows = [{examples: 0, ...summary(before)}];
	say(rowText(rows[0]!));
	for (const count of [...COUNTS, mined.length]) {
		const encoder = join(cache, `encoder-${count}`);
		const began = performance.now();
		const training = await trainEncoder(mined.slice(0, count), INIT, encoder, {dev: devExamples});
		const minutes = (performance.now() - began) / 60_000;
		const after = await measure(corpus, join(cache, `collection-${count}`), encoder, test);
		const row = {examples: count, bestEpoch: training.bestEpoch, ...summary(after), tests: await tests(after, before, test)};
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

/** For each retriever, the top-k accuracies and the ranks of the first passages with an answer. */
type Measured = ReadonlyMap<string, {readonly accuracy: ReadonlyMap<number, number>; readonly firstRanks: ReadonlyMap<string, number>}>;

async function measure(corpus: string, folder: string, encoder: string, questions: readonly Question[]): Promise<Measured> {
	if (!(await exists(join(folder, 'passagekit.json')))) {
		await (await Collection.build(corpus, folder, {encoder, dense: 'flat'})).close();
	}
	await using collection = await Collection.open(folder);
	const measured = new Map<string, {accuracy: ReadonlyMap<number, number>; firstRanks: ReadonlyMap<string, number>}>();
	for (const retriever of ['bm25', 'dense', 'hybrid'] as const) {
		const searcher = await collection.searcher(retriever);
		const run: Run = await searcher.searchMany(questions, {k: Math.max(...KS)});
		measured.set(retriever, await topKAccuracy(run, questions, collection.passages, KS));
	}
	return measured;
}

function summary(measured: Measured): Readonly<Record<string, Record<string, number>>> {
	return Object.fromEntries([...measured].map(([name, {accuracy}]) => [name, Object.fromEntries(accuracy)]));
}

/** Tests the differences between two encoders, for the dense and the hybrid retriever, with paired tests over the questions. */
async function tests(after: Measured, before: Measured, questions: readonly Question[]): Promise<object> {
	const results: Record<string, object> = {};
	for (const retriever of ['dense', 'hybrid']) {
		for (const k of TESTED) {
			const values = [after, before].map(measured => {
				const {firstRanks} = measured.get(retriever)!;
				return new Map(questions.map(({id}) => [id, Number((firstRanks.get(id) ?? Number.POSITIVE_INFINITY) <= k)]));
			});
			results[`${retriever} top-${k}`] = await pairedTest(values[0]!, values[1]!);
		}
	}
	return results;
}

function rowText({examples, ...row}: {readonly examples: number; readonly [name: string]: unknown}): string {
	const parts = ['bm25', 'dense', 'hybrid'].map(name => {
		const accuracy = row[name] as Record<string, number>;
		return `${name} ${KS.map(k => accuracy[k]!.toFixed(3)).join(' ')}`;
	});
	return `${String(examples).padStart(5)} examples: ${parts.join(' · ')}`;
}
