// The cost of fusion next to that of searching, and of a grid of weights over judged lists.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {sharedFile} from '../test/support/shared.ts';
import {Collection} from '../ts/collection/index.ts';
import {encyclopedia, readQuestions} from '../ts/corpus/index.ts';
import {JudgedLists} from '../ts/fusion/index.ts';
import type {Hit, Query, Question, Run, Searcher} from '../ts/core/types.ts';
import type {Benchmark} from './benchmark.ts';

const ROUNDS = 7;
/** Size of the grid's data: questions, hits per list, and passages that hits are drawn from. */
const [QUESTIONS, HITS, PASSAGES] = [10_000, 1000, 200_000];

export const hybrid: Benchmark = async say => ({searching: await searching(say), tuning: await tuning(say)});

/** A hybrid search next to its parts, each with the depth that the hybrid requests. */
async function searching(say: (line: string) => void): Promise<Record<string, unknown>> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-hybrid-'));
	try {
		const squad = sharedFile('data', 'squad');
		const corpus = squad ? join(squad, 'psgs_w100.squad-dev.tsv.gz') : encyclopedia().articles;
		const queries: Query[] = [];
		for await (const {id, text} of squad ? readQuestions(join(squad, 'squad-dev.qas.jsonl.gz')) : await encyclopedia().questions('test')) {
			queries.push({id, text});
		}
		const some = queries.slice(0, 400);
		await using collection = await Collection.build(corpus, join(folder, 'index'), {dense: 'flat'});
		const searchers: Record<string, Searcher> = {
			dense: await collection.searcher('dense'),
			bm25: await collection.searcher('bm25'),
			hybrid: await collection.searcher('hybrid'),
		};
		const depth = (name: string): number => (name === 'hybrid' ? 100 : 1000);
		const [one, many]: [Record<string, number[]>, Record<string, number[]>] = [{}, {}];
		for (let round = 0; round < ROUNDS; round++) {
			for (const [name, searcher] of Object.entries(searchers)) {
				for (const {text} of some.slice(0, 60)) {
					const began = performance.now();
					await searcher.search(text, {k: depth(name)});
					(one[name] ??= []).push(performance.now() - began);
				}
				const began = performance.now();
				await searcher.searchMany(some, {k: depth(name)});
				(many[name] ??= []).push((performance.now() - began) / some.length);
			}
		}
		const figures: Record<string, number> = {};
		for (const [what, times] of Object.entries({'one search': one, 'a query of a batch': many})) {
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

/** 41 weights for 10,000 questions with 1,000 hits in each of two lists. */
async function tuning(say: (line: string) => void): Promise<Record<string, unknown>> {
	const questions: Question[] = Array.from({length: QUESTIONS}, (_, i) => ({id: `q${i}`, text: '?', answers: [`answer${i % 997}`]}));
	const passages = new Map(Array.from({length: PASSAGES}, (_, i) => [`p${i}`, {text: `It is answer${i % 997} of ${i}.`}]));
	let began = performance.now();
	const judged = await JudgedLists.judge({dense: drawn(questions, 7, 80), sparse: drawn(questions, 1905, 20)}, questions, passages);
	const judging = (performance.now() - began) / 1000;
	say(`two lists of ${HITS} hits for ${QUESTIONS} questions, judged in ${judging.toFixed(1)} s, copying included`);
	const seconds: Record<string, number> = {};
	for (const method of ['hybrid', 'hybridNorm', 'dprHybrid', 'interpolate'] as const) {
		const times: number[] = [];
		for (let round = 0; round < ROUNDS; round++) {
			began = performance.now();
			await judged.tune({
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

/** Lists that are generated while they are copied: as objects, all of them would not fit in memory. */
function drawn(questions: readonly Question[], seed: number, top: number): Run {
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
				Array.from({length: HITS}, (_, rank) => ({id: `p${(first + rank * (next() % 5)) % PASSAGES}`, score: top / (1 + rank / 50)})),
			];
		}
	}
	return {entries, [Symbol.iterator]: entries, size: questions.length} as unknown as Run;
}

function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}
