// The cost of a dense search from JavaScript, with hits as objects or as columns, for k of 10, 100 and 1,000. `one hit` is the same
// graph search for a single hit: the difference is the cost of scoring hits, looking up their ids and handing them over.
import {HnswIndex, type Vectors} from '../ts/index.ts';
import type {Benchmark} from './benchmark.ts';

const ROWS = 50_000;
const DIM = 100;
const QUERIES = 1000;
const ROUNDS = 21;
/** Searches per round. */
const SEARCHES = 200;

export const calls: Benchmark = async say => {
	await using index = new HnswIndex({dim: DIM, m: 16, efConstruction: 100});
	await index.add(
		Array.from({length: ROWS}, (_, i) => `passage-${i}`),
		clustered(ROWS, 1),
	);
	const {data} = clustered(QUERIES, 2);
	const row = (i: number): Float32Array => data.subarray((i % QUERIES) * DIM, ((i % QUERIES) + 1) * DIM);
	const figures: Record<string, number> = {};
	for (const k of [10, 100, 1000]) {
		const count = k === 1000 ? SEARCHES / 10 : SEARCHES;
		const one = async (work: (query: Float32Array) => Promise<unknown>, from: number): Promise<void> => {
			for (let i = from; i < from + count; i++) {
				await work(row(i));
			}
		};
		const batch = (from: number): Vectors => {
			const first = from % (QUERIES - count);
			return {data: data.subarray(first * DIM, (first + count) * DIM), rows: count, dim: DIM};
		};
		const ways: Record<string, (from: number) => Promise<unknown>> = {
			'one hit': async from => one(async query => index.search(query, {k: 1, efSearch: k}), from),
			hits: async from => one(async query => index.search(query, {k, efSearch: k}), from),
			columns: async from => one(async query => index.searchColumns(query, {k, efSearch: k}), from),
			'a query of a batch': async from => index.searchMany(batch(from), {k, efSearch: k, threads: 1}),
			'a query of a batch, columns': async from => [...(await index.searchManyColumns(batch(from), {k, efSearch: k, threads: 1}))],
		};
		const times: Record<string, number[]> = {};
		// Interleaved, so that a disturbance affects all of them.
		for (let round = 0; round < ROUNDS; round++) {
			for (const [name, work] of Object.entries(ways)) {
				const {user, system} = process.cpuUsage();
				await work(round * count);
				const used = process.cpuUsage({user, system});
				(times[name] ??= []).push((used.user + used.system) / count);
			}
		}
		for (const [name, values] of Object.entries(times)) {
			const figure = values.toSorted((a, b) => a - b)[ROUNDS >> 1]!;
			figures[`top ${k}, ${name}, median µs of CPU`] = figure;
			say(`top ${k}, ${name}`.padEnd(40) + figure.toFixed(1).padStart(8));
		}
	}
	return {rows: ROWS, dim: DIM, figures};
};

/** Vectors around 1,000 centers, the same in every run, from a linear congruential generator. */
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
		const center = Math.floor((next() + 1) * 500) * DIM;
		for (let column = 0; column < DIM; column++) {
			data[row * DIM + column] = centers[center + column]! + next();
		}
	}
	return {data, rows, dim: DIM};
}
