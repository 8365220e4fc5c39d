// Helpers for tests of dense search: vectors, the two kinds of index, and a brute-force search to compare results with.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {ExecutionContext} from 'ava';
import {FlatIndex, type Hit, HnswIndex, type Vectors} from '../../ts/index.ts';

/** Creates a folder that is removed when the test ends. */
export async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-dense-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Returns the vectors `rows`, each of `dim` numbers. */
export function vectors(dim: number, ...rows: number[][]): Vectors {
	return {data: Float32Array.from(rows.flat()), rows: rows.length, dim};
}

/** Pseudorandom vectors in [-1, 1) from a linear congruential generator; the same seed gives the same vectors. */
export function random(rows: number, dim: number, seed = 1): Vectors {
	let state = seed;
	const data = Float32Array.from({length: rows * dim}, () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 31 - 1;
	});
	return {data, rows, dim};
}

/** Returns a view of row `i`. */
export const row = ({data, dim}: Vectors, i: number): Float32Array => data.subarray(i * dim, (i + 1) * dim);
/** Returns the ids `p<first>`, `p<first + 1>`, … */
export const names = (count: number, first = 0): string[] => Array.from({length: count}, (_, i) => `p${first + i}`);
export const idsOf = (hits: readonly Hit[]): string[] => hits.map(({id}) => id);

/** Returns a view of the rows from `from` (inclusive) to `to` (exclusive). */
export const slice = ({data, dim}: Vectors, from: number, to: number): Vectors => ({
	data: data.subarray(from * dim, to * dim),
	rows: to - from,
	dim,
});

/** How to create and open each kind of dense index. */
export const kinds: Record<string, {make: (dim: number) => FlatIndex | HnswIndex; open: (path: string) => Promise<FlatIndex | HnswIndex>}> =
	{
		flat: {make: dim => new FlatIndex({dim}), open: async path => FlatIndex.open(path)},
		hnsw: {make: dim => new HnswIndex({dim, m: 8, efConstruction: 60}), open: async path => HnswIndex.open(path)},
	};

/**
Returns the ids (`p<row>`, as in `names`) of the `k` rows with the highest inner products among the allowed rows, computed by
brute force. Ties are ordered by row.
*/
export function best(data: Vectors, query: Float32Array, k: number, allowed: (i: number) => boolean = () => true): string[] {
	const scored = Array.from({length: data.rows}, (_, i) => ({
		i,
		score: row(data, i).reduce((sum, x, column) => sum + x * query[column]!, 0),
	}));
	return scored
		.filter(({i}) => allowed(i))
		.sort((a, b) => b.score - a.score || a.i - b.i)
		.slice(0, k)
		.map(({i}) => `p${i}`);
}

/** Calls `each` repeatedly until `work` settles, then settles like `work`. */
export async function during<T>(work: Promise<T>, each: () => Promise<unknown>): Promise<T> {
	const state = {settled: false};
	const settle = (): void => {
		state.settled = true;
	};
	work.then(settle, settle);
	while (!state.settled) {
		await each();
	}
	return work;
}
