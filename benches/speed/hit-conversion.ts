// Measures the CPU time of HNSW searches from JavaScript that return their hits as objects or as columns (one array of ids, one of
// scores), for k = 10, 100 and 1,000, with `efSearch` = k. `one hit` is a search with the same `efSearch` that returns a single hit. The
// difference between `one hit` and a search that returns k hits is the cost of the other k − 1 hits: exact scores, looking up ids, and
// conversion to JavaScript values.
import {HnswIndex, type Vectors} from '../../ts/index.ts';
import type {Benchmark} from '../support/benchmark.ts';

const ROWS = 50_000;
const DIM = 100;
const QUERIES = 1000;
const ROUNDS = 21;
/** Number of searches per round; for k = 1,000, a tenth of this, because each search takes longer. */
const SEARCHES = 200;

export const hitConversion: Benchmark = async say => {
	await using index = new HnswIndex({dim: DIM, m: 16, efConstruction: 100});
	await index.add(
		Array.from({length: ROWS}, (_, i) => `passage-${i}`),
		clustered(ROWS, 1),
	);
	const {data} = clustered(QUERIES, 2);
	const query = (i: number): Float32Array => data.subarray((i % QUERIES) * DIM, ((i % QUERIES) + 1) * DIM);
	const figures: Record<string, number> = {};
	for (const k of [10, 100, 1000]) {
		const count = k === 1000 ? SEARCHES / 10 : SEARCHES;
		/** Runs `count` searches, starting with query `from`. */
		const oneByOne = async (search: (query: Float32Array) => Promise<unknown>, from: number): Promise<void> => {
			for (let i = from; i < from + count; i++) {
				await search(query(i));
			}
		};
		/** Returns `count` consecutive queries, at a position that depends on `from`. */
		const batch = (from: number): Vectors => {
			const first = from % (QUERIES - count);
			return {data: data.subarray(first * DIM, (first + count) * DIM), rows: count, dim: DIM};
		};
		/** The kinds of search, by name. Each function runs `count` searches; `from` says with which query it starts. */
		const variants: Record<string, (from: number) => Promise<unknown>> = {
			'one hit': async from => oneByOne(async query => index.search(query, {k: 1, efSearch: k}), from),
			hits: async from => oneByOne(async query => index.search(query, {k, efSearch: k}), from),
			columns: async from => oneByOne(async query => index.searchColumns(query, {k, efSearch: k}), from),
			'batch, per query': async from => index.searchMany(batch(from), {k, efSearch: k, threads: 1}),
			'batch of columns, per query': async from => [...(await index.searchManyColumns(batch(from), {k, efSearch: k, threads: 1}))],
		};
		const times: Record<string, number[]> = {};
		// The variants alternate, so that other load on the machine affects all of them.
		for (let round = 0; round < ROUNDS; round++) {
			for (const [name, search] of Object.entries(variants)) {
				const {user, system} = process.cpuUsage();
				await search(round * count);
				const used = process.cpuUsage({user, system});
				(times[name] ??= []).push((used.user + used.system) / count);
			}
		}
		for (const [name, values] of Object.entries(times)) {
			const median = values.toSorted((a, b) => a - b)[ROUNDS >> 1]!;
			figures[`top ${k}, ${name}, median µs of CPU`] = median;
			say(`top ${k}, ${name}`.padEnd(40) + median.toFixed(1).padStart(8));
		}
	}
	return {rows: ROWS, dim: DIM, figures};
};

/**
Returns random vectors around 1,000 cluster centers, from a linear congruential generator. They are the same in every run. Another seed
gives other vectors around the same centers.
*/
function clustered(rows: number, seed: number): Vectors {
	let state = 0;
	const next = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 31 - 1;
	};
	const centers = Float32Array.from({length: 1000 * DIM}, next);
	state = seed;
	const data = new Float32Array(rows * DIM);
	for (let row = 0; row < rows; row++) {
		// `next` is in [−1, 1), so this is one of 1,000 centers.
		const center = Math.floor((next() + 1) * 500) * DIM;
		for (let column = 0; column < DIM; column++) {
			data[row * DIM + column] = centers[center + column]! + next();
		}
	}
	return {data, rows, dim: DIM};
}
