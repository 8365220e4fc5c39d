// A phrase index next to a plain index of the same vectors: time of one search and of many, memory, and the recall of passages with HNSW.
// The two take turns, round by round.
import {FlatIndex, HnswIndex, PhraseIndex, type PhrasePlace, type Vectors} from '../ts/index.ts';
import type {Benchmark} from './benchmark.ts';

const DIM = 384;
const PASSAGES = 20_000;
const MOST_PHRASES = 9;
const QUERIES = 300;
const ROUNDS = 9;

type Plain = FlatIndex | HnswIndex;

export const phrases: Benchmark = async say => {
	const {places, vectors, queries} = made();
	const rows = vectors.rows;
	const flat = {name: 'flat', plain: new FlatIndex({dim: DIM}), phrases: new PhraseIndex({dim: DIM})};
	const filtered = {
		name: 'flat int8Filtered',
		plain: new FlatIndex({dim: DIM, storage: 'int8Filtered'}),
		phrases: new PhraseIndex({dim: DIM, storage: 'int8Filtered'}),
	};
	const hnsw = {name: 'hnsw', plain: new HnswIndex({dim: DIM}), phrases: new PhraseIndex({dim: DIM, vectorIndex: 'hnsw'})};
	const figures: Record<string, unknown> = {};
	for (const {name, plain, phrases} of [flat, filtered, hnsw]) {
		await plain.add(
			places.map(({id, start}) => `${id} ${start}`),
			vectors,
		);
		await phrases.add(places, vectors);
		const bytes = phrases.memoryBytes / plain.memoryBytes;
		for (const k of [10, 100]) {
			const [one, many] = [await alone(plain, phrases, queries, k), await together(plain, phrases, queries, k)];
			figures[`${name}, k = ${k}`] = {timesOneQuery: one, timesMany: many, timesBytes: bytes};
			say(
				`${name.padEnd(18)} k = ${String(k).padEnd(4)} one query ${one.toFixed(2)}×, many ${many.toFixed(2)}×, memory ${bytes.toFixed(2)}×`,
			);
		}
	}
	const recall: Record<string, number> = {};
	for (const k of [10, 100]) {
		for (const efSearch of [undefined, 400]) {
			const [exact, found] = [await flat.phrases.searchMany(queries, {k}), await each(hnsw.phrases, queries, {k, efSearch})];
			const hits = exact.map((list, i) => {
				const best = new Set(list.map(hit => hit.id));
				return found[i]!.filter(hit => best.has(hit.id)).length / k;
			});
			const mean = hits.reduce((sum, x) => sum + x, 0) / hits.length;
			recall[`k = ${k}, efSearch ${efSearch ?? 'default'}`] = mean;
			say(`hnsw: ${(100 * mean).toFixed(2)}% of the best ${k} passages, efSearch ${efSearch ?? 'default'}`);
		}
	}
	return {passages: PASSAGES, phrases: rows, dim: DIM, queries: QUERIES, figures, recall};
};

async function each(index: PhraseIndex, queries: Vectors, options: {k: number; efSearch: number | undefined}) {
	const lists = [];
	for (let at = 0; at < queries.rows; at++) {
		lists.push(await index.search(row(queries, at), options));
	}
	return lists;
}

/** The median over rounds of the ratio of two times. */
async function times(plain: () => Promise<unknown>, phrases: () => Promise<unknown>): Promise<number> {
	const ratios: number[] = [];
	const took = async (work: () => Promise<unknown>): Promise<number> => {
		const began = performance.now();
		await work();
		return performance.now() - began;
	};
	await plain();
	await phrases();
	for (let round = 0; round < ROUNDS; round++) {
		const a = await took(plain);
		ratios.push((await took(phrases)) / a);
	}
	return ratios.sort((a, b) => a - b)[ROUNDS >> 1]!;
}

async function alone(plain: Plain, phrases: PhraseIndex, queries: Vectors, k: number): Promise<number> {
	const few = 60;
	const all = async (index: Plain | PhraseIndex): Promise<void> => {
		for (let at = 0; at < few; at++) {
			await index.search(row(queries, at), {k});
		}
	};
	return times(
		async () => all(plain),
		async () => all(phrases),
	);
}

async function together(plain: Plain, phrases: PhraseIndex, queries: Vectors, k: number): Promise<number> {
	return times(
		async () => plain.searchMany(queries, {k, threads: 1}),
		async () => phrases.searchMany(queries, {k, threads: 1}),
	);
}

const row = ({data}: Vectors, at: number): Float32Array => data.subarray(at * DIM, (at + 1) * DIM);

/** Vectors of length 1. Two vectors of a passage have a cosine of about 0.35, of which the topic contributes 0.25. */
function made(): {places: PhrasePlace[]; vectors: Vectors; queries: Vectors} {
	let state = 3;
	const next = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32 - 0.5;
	};
	const unit = (numbers: Float32Array): Float32Array => {
		const length = Math.hypot(...numbers);
		return numbers.map(x => x / length);
	};
	const random = (): Float32Array => Float32Array.from({length: DIM}, next);
	const places: PhrasePlace[] = [];
	const data = new Float32Array(PASSAGES * MOST_PHRASES * DIM);
	// A passage and its questions share a topic.
	const topics = Array.from({length: 100}, random);
	for (let passage = 0; passage < PASSAGES; passage++) {
		const topic = topics[passage % topics.length]!;
		const middle = random().map((x, i) => 0.6 * x + topic[i]!);
		const count = 1 + (passage % MOST_PHRASES);
		for (let at = 0; at < count; at++) {
			data.set(unit(middle.map(x => x + 1.6 * next())), places.length * DIM);
			places.push({id: `passage-${passage}`, start: at * 100, end: at * 100 + 99});
		}
	}
	const queries = new Float32Array(QUERIES * DIM);
	for (let at = 0; at < QUERIES; at++) {
		const topic = topics[(at * 7) % topics.length]!;
		queries.set(unit(topic.map(x => x + 1.2 * next())), at * DIM);
	}
	const rows = places.length;
	return {places, vectors: {data: data.subarray(0, rows * DIM), rows, dim: DIM}, queries: {data: queries, rows: QUERIES, dim: DIM}};
}
