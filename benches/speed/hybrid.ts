// Measures two costs of fusion: the time of a hybrid search compared with the searches that it combines, and the time to try a grid of
// fusion weights on lists with relevance judgments. The searches use SQuAD if the shared data sets are there (see
// benches/README.md), and the bundled encyclopedia otherwise.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {sharedFile} from '../../test/support/shared.ts';
import {Collection} from '../../ts/collection/index.ts';
import {encyclopedia, readQuestions} from '../../ts/corpus/index.ts';
import {JudgedLists} from '../../ts/fusion/index.ts';
import type {Hit, Query, Question, Run, Searcher} from '../../ts/core/types.ts';
import type {Benchmark} from '../support/benchmark.ts';

const ROUNDS = 7;
/** Sizes for trying a grid of weights: the number of questions, of hits per list, and of passages in the corpus. */
const [QUESTIONS, HITS, PASSAGES] = [10_000, 1000, 200_000];

export const hybrid: Benchmark = async say => ({searching: await timeSearches(say), tuning: await timeTuning(say)});

/** Times hybrid searches (k = 100), and dense and BM25 searches for the 1,000 hits that a hybrid search requests from each of them. */
async function timeSearches(say: (line: string) => void): Promise<Record<string, unknown>> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-hybrid-'));
	try {
		const squad = sharedFile('data', 'squad');
		const corpus = squad ? join(squad, 'psgs_w100.squad-dev.tsv.gz') : encyclopedia().articles;
		const queries: Query[] = [];
		for await (const {id, text} of squad ? readQuestions(join(squad, 'squad-dev.qas.jsonl.gz')) : await encyclopedia().questions('test')) {
			queries.push({id, text});
		}
		const batch = queries.slice(0, 400);
		await using collection = await Collection.build(corpus, join(folder, 'index'), {dense: 'flat'});
		const searchers: Record<string, Searcher> = {
			dense: await collection.searcher('dense'),
			bm25: await collection.searcher('bm25'),
			hybrid: await collection.searcher('hybrid'),
		};
		// A hybrid search for 100 hits requests 1,000 from each of the two searches.
		const kOf = (name: string): number => (name === 'hybrid' ? 100 : 1000);
		const [singleTimes, batchTimes]: [Record<string, number[]>, Record<string, number[]>] = [{}, {}];
		for (let round = 0; round < ROUNDS; round++) {
			for (const [name, searcher] of Object.entries(searchers)) {
				for (const {text} of batch.slice(0, 60)) {
					const began = performance.now();
					await searcher.search(text, {k: kOf(name)});
					(singleTimes[name] ??= []).push(performance.now() - began);
				}
				const began = performance.now();
				await searcher.searchMany(batch, {k: kOf(name)});
				(batchTimes[name] ??= []).push((performance.now() - began) / batch.length);
			}
		}
		const figures: Record<string, number> = {};
		for (const [what, times] of Object.entries({'one search': singleTimes, 'a query of a batch': batchTimes})) {
			for (const name of Object.keys(searchers)) {
				figures[`${name}, ${what}, median ms`] = median(times[name]!);
			}
			figures[`hybrid over its slower part, ${what}`] =
				median(times['hybrid']!) / Math.max(median(times['dense']!), median(times['bm25']!));
		}
		for (const [name, value] of Object.entries(figures)) {
			say(`${name.padEnd(56)} ${value.toFixed(3)}`);
		}
		return {passages: collection.manifest.passages, depth: 1000, k: 100, figures};
	} finally {
		await rm(folder, {recursive: true, force: true});
	}
}

/** Times how long it takes to try 41 weights on 10,000 questions, with 1,000 hits in each of two lists. */
async function timeTuning(say: (line: string) => void): Promise<Record<string, unknown>> {
	// About 200 passages contain the answer to each question. As 997 is prime, answers do not repeat in step with any other number here.
	const questions: Question[] = Array.from({length: QUESTIONS}, (_, i) => ({id: `q${i}`, text: '?', answers: [`answer${i % 997}`]}));
	const passages = new Map(Array.from({length: PASSAGES}, (_, i) => [`p${i}`, {text: `It is answer${i % 997} of ${i}.`}]));
	let began = performance.now();
	const lists = await JudgedLists.judge({dense: randomRun(questions, 7, 80), sparse: randomRun(questions, 1905, 20)}, questions, passages);
	const judging = (performance.now() - began) / 1000;
	say(`${judging.toFixed(1)} s to copy and judge two lists of ${HITS} hits for each of ${QUESTIONS} questions`);
	const seconds: Record<string, number> = {};
	// The default grid of `interpolate` has 21 weights; the default grid of each other method has 41.
	for (const method of ['hybrid', 'hybridNorm', 'dprHybrid', 'interpolate'] as const) {
		const times: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			began = performance.now();
			await lists.tune({
				method,
				...(method === 'interpolate' ? {normalize: 'min-max', grid: Array.from({length: 41}, (_, i) => i / 40)} : {}),
			});
			times.push((performance.now() - began) / 1000);
		}
		seconds[method] = median(times);
		say(`41 weights of ${method}: ${seconds[method]!.toFixed(3)} s`);
	}
	return {questions: QUESTIONS, hits: HITS, passages: PASSAGES, weights: 41, judgingSeconds: judging, seconds};
}

/**
Returns a run with a list of random passages for each question. Scores descend from `topScore`. The random numbers come from a linear
congruential generator. Each list is generated when it is read, because the objects of all lists would not fit in memory.
*/
function randomRun(questions: readonly Question[], seed: number, topScore: number): Run {
	let state = seed;
	const next = (): number => {
		state = (Math.imul(state, 0x41_c6_4e_6d) + 12_345) >>> 0;
		return state >>> 8;
	};
	function* entries(): Generator<[string, Hit[]]> {
		for (const {id} of questions) {
			const first = next() % PASSAGES;
			yield [
				id,
				Array.from({length: HITS}, (_, rank) => ({id: `p${(first + rank * (next() % 5)) % PASSAGES}`, score: topScore / (1 + rank / 50)})),
			];
		}
	}
	return {entries, [Symbol.iterator]: entries, size: questions.length} as unknown as Run;
}

function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
