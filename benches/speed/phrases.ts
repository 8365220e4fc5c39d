// Compares a phrase index, which returns each passage once with its best phrase, with a plain index of the same vectors: time of single
// and batch searches, and memory. Also measures what share of the best passages a phrase index with HNSW finds. In each round, both
// indexes are searched, so that other load on the machine affects both.
import {FlatIndex, HnswIndex, PhraseIndex, type PhrasePlace, type Vectors} from '../../ts/index.ts';
import type {Benchmark} from '../support/benchmark.ts';

const DIM = 384;
const PASSAGES = 20_000;
const MAX_PHRASES_PER_PASSAGE = 9;
const QUERIES = 300;
/** Number of queries that are searched one by one in a round. A batch has all `QUERIES`. */
const SINGLE_QUERIES = 60;
const ROUNDS = 9;

type PlainIndex = FlatIndex | HnswIndex;

export const phrases: Benchmark = async say => {
	const {places, vectors, queries} = randomPhrases();
	const rows = vectors.rows;
	const flat = {name: 'flat', plain: new FlatIndex({dim: DIM}), phraseIndex: new PhraseIndex({dim: DIM})};
	const filtered = {
		name: 'flat int8Rescored',
		plain: new FlatIndex({dim: DIM, storage: 'int8Rescored'}),
		phraseIndex: new PhraseIndex({dim: DIM, storage: 'int8Rescored'}),
	};
	const hnsw = {name: 'hnsw', plain: new HnswIndex({dim: DIM}), phraseIndex: new PhraseIndex({dim: DIM, vectorIndex: 'hnsw'})};
	const figures: Record<string, unknown> = {};
	for (const {name, plain, phraseIndex} of [flat, filtered, hnsw]) {
		await plain.add(
			places.map(({id, start}) => `${id} ${start}`),
			vectors,
		);
		await phraseIndex.add(places, vectors);
		const memoryRatio = phraseIndex.memoryBytes / plain.memoryBytes;
		for (const k of [10, 100]) {
			const [single, batch] = [await singleRatio(plain, phraseIndex, queries, k), await batchRatio(plain, phraseIndex, queries, k)];
			// Times and memory of the phrase index, divided by those of the plain index.
			figures[`${name}, k = ${k}`] = {timesOneQuery: single, timesMany: batch, timesBytes: memoryRatio};
			say(
				`${name.padEnd(18)} k = ${String(k).padEnd(4)} single query ${single.toFixed(2)}×, batch ${batch.toFixed(2)}×, memory ${memoryRatio.toFixed(2)}× the plain index`,
			);
		}
	}
	const recall: Record<string, number> = {};
	for (const k of [10, 100]) {
		for (const efSearch of [undefined, 400]) {
			const [exact, found] = [await flat.phraseIndex.searchMany(queries, {k}), await searchEach(hnsw.phraseIndex, queries, {k, efSearch})];
			const recalls = exact.map((list, i) => {
				const best = new Set(list.map(hit => hit.id));
				return found[i]!.filter(hit => best.has(hit.id)).length / k;
			});
			const mean = recalls.reduce((sum, x) => sum + x, 0) / recalls.length;
			recall[`k = ${k}, efSearch ${efSearch ?? 'default'}`] = mean;
			say(`hnsw: ${(100 * mean).toFixed(2)}% of the best ${k} passages, efSearch ${efSearch ?? 'default'}`);
		}
	}
	return {passages: PASSAGES, phrases: rows, dim: DIM, queries: QUERIES, figures, recall};
};

/** Searches the queries one by one. */
async function searchEach(index: PhraseIndex, queries: Vectors, options: {k: number; efSearch: number | undefined}) {
	const lists = [];
	for (let at = 0; at < queries.rows; at++) {
		lists.push(await index.search(row(queries, at), options));
	}
	return lists;
}

/** Returns the time of `searchPhrases` divided by the time of `searchPlain`: the median of this ratio over the rounds. */
async function timeRatio(searchPlain: () => Promise<unknown>, searchPhrases: () => Promise<unknown>): Promise<number> {
	const ratios: number[] = [];
	const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
		const began = performance.now();
		await work();
		return performance.now() - began;
	};
	// A warm-up.
	await searchPlain();
	await searchPhrases();
	for (let round = 0; round < ROUNDS; round++) {
		const plainTime = await timeOf(searchPlain);
		ratios.push((await timeOf(searchPhrases)) / plainTime);
	}
	return ratios.sort((a, b) => a - b)[ROUNDS >> 1]!;
}

/** Searches both indexes for `SINGLE_QUERIES` queries, one by one, and returns the ratio of the times, phrase index to plain index. */
async function singleRatio(plain: PlainIndex, phrases: PhraseIndex, queries: Vectors, k: number): Promise<number> {
	const searchAll = async (index: PlainIndex | PhraseIndex): Promise<void> => {
		for (let at = 0; at < SINGLE_QUERIES; at++) {
			await index.search(row(queries, at), {k});
		}
	};
	return timeRatio(
		async () => searchAll(plain),
		async () => searchAll(phrases),
	);
}

/** Searches both indexes for all queries in one batch, and returns the ratio of the times, phrase index to plain index. */
async function batchRatio(plain: PlainIndex, phrases: PhraseIndex, queries: Vectors, k: number): Promise<number> {
	return timeRatio(
		async () => plain.searchMany(queries, {k, threads: 1}),
		async () => phrases.searchMany(queries, {k, threads: 1}),
	);
}

const row = ({data}: Vectors, at: number): Float32Array => data.subarray(at * DIM, (at + 1) * DIM);

/**
Returns the places of phrases in passages, the unit vectors of the phrases, and queries. Every passage and every query is about one of 100
topics. The cosine of two phrases is about 0.35 within a passage, and about 0.25 in two passages on the same topic.
*/
function randomPhrases(): {places: PhrasePlace[]; vectors: Vectors; queries: Vectors} {
	let state = 3;
	const next = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32 - 0.5;
	};
	const normalized = (vector: Float32Array): Float32Array => {
		const length = Math.hypot(...vector);
		return vector.map(x => x / length);
	};
	const random = (): Float32Array => Float32Array.from({length: DIM}, next);
	const places: PhrasePlace[] = [];
	const data = new Float32Array(PASSAGES * MAX_PHRASES_PER_PASSAGE * DIM);
	const topics = Array.from({length: 100}, random);
	for (let passage = 0; passage < PASSAGES; passage++) {
		const topic = topics[passage % topics.length]!;
		const center = random().map((x, i) => 0.6 * x + topic[i]!);
		const count = 1 + (passage % MAX_PHRASES_PER_PASSAGE);
		for (let at = 0; at < count; at++) {
			data.set(normalized(center.map(x => x + 1.6 * next())), places.length * DIM);
			places.push({id: `passage-${passage}`, start: at * 100, end: at * 100 + 99});
		}
	}
	const queries = new Float32Array(QUERIES * DIM);
	for (let at = 0; at < QUERIES; at++) {
		const topic = topics[(at * 7) % topics.length]!;
		queries.set(normalized(topic.map(x => x + 1.2 * next())), at * DIM);
	}
	const rows = places.length;
	return {places, vectors: {data: data.subarray(0, rows * DIM), rows, dim: DIM}, queries: {data: queries, rows: QUERIES, dim: DIM}};
}
