/** Checks that the timed searches return the right hits. */
import type {HnswIndex} from '../dense/index.ts';
import {waitForTime} from '../core/event-loop.ts';
import type {Hit, Vectors} from '../core/types.ts';

/** Number of queries that are checked in double precision. */
const SAMPLE = 20;
/** Number of rows scored between two checks of the time budget, about a millisecond of work. */
const ROWS_PER_SLICE = 2000;
/** Values of `efSearch` to try, in ascending order. */
const EFFORTS = [8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 200, 256, 320, 400, 512, 640, 800, 1024];

export const rowsOf = ({data, dim}: Vectors, from: number, rows: number): Vectors => ({
	data: data.subarray(from * dim, (from + rows) * dim),
	rows,
	dim,
});

/**
Checks the hits of a sample of queries against an exhaustive search in double precision. A query is right if its scores are within
the error bound of single precision, and if no other row scores higher than the last hit by more than this bound.
*/
export async function borneOut(
	hits: readonly (readonly Hit[])[],
	vectors: Vectors,
	queries: Vectors,
): Promise<{readonly queries: number; readonly right: number}> {
	const asked = Math.min(SAMPLE, queries.rows);
	const {dim} = vectors;
	// Error bound for a sum of `dim` products of unit vectors: Higham (2002), equation 3.5, including the rounding of the factors.
	const maxError = 2 * dim * 2 ** -24;
	let right = 0;
	for (let query = 0; query < asked; query++) {
		const wanted = queries.data.subarray(query * dim, (query + 1) * dim);
		const found = new Map(hits[query]!.map(({id, score}) => [Number(id), score]));
		const last = Math.min(...found.values());
		let good = found.size === Math.min(hits[query]!.length, vectors.rows);
		for (let row = 0; row < vectors.rows; row++) {
			if (row % ROWS_PER_SLICE === 0) {
				await waitForTime();
			}
			let score = 0;
			for (let i = 0; i < dim; i++) {
				score += wanted[i]! * vectors.data[row * dim + i]!;
			}
			const said = found.get(row);
			good &&= said === undefined ? score <= last + maxError : Math.abs(score - said) <= maxError;
		}
		right += Number(good);
	}
	return {queries: asked, right};
}

/** Returns the share of the true hits that were found. */
export function recall(found: readonly (readonly Hit[])[], truth: readonly (readonly Hit[])[]): number {
	let [hits, all] = [0, 0];
	for (const [query, wanted] of truth.entries()) {
		const ids = new Set(found[query]!.map(({id}) => id));
		hits += wanted.filter(({id}) => ids.has(id)).length;
		all += wanted.length;
	}
	return hits / all;
}

/** Returns the smallest `efSearch` that reaches the wanted recall, searching query by query, or the largest one tried. */
export async function leastEffort(
	index: HnswIndex,
	queries: Vectors,
	truth: readonly (readonly Hit[])[],
	{k, wanted, signal}: {readonly k: number; readonly wanted: number; readonly signal?: AbortSignal | undefined},
): Promise<{readonly efSearch: number; readonly recall: number}> {
	let best = {efSearch: 0, recall: 0};
	for (const efSearch of EFFORTS) {
		const found: Hit[][] = [];
		for (let query = 0; query < queries.rows; query++) {
			found.push(await index.search(rowsOf(queries, query, 1).data, {k, efSearch, signal}));
		}
		best = {efSearch, recall: recall(found, truth)};
		if (best.recall >= wanted) {
			break;
		}
	}
	return best;
}

/** Counts the queries for which one call for all queries returns the same hits as a call per query, with bit-identical scores. */
export async function identical(
	each: (query: number) => Promise<readonly Hit[]>,
	all: readonly (readonly Hit[])[],
): Promise<{readonly queries: number; readonly right: number}> {
	let right = 0;
	for (const [query, hits] of all.entries()) {
		const one = await each(query);
		right += Number(one.length === hits.length && one.every(({id, score}, i) => id === hits[i]!.id && score === hits[i]!.score));
	}
	return {queries: all.length, right};
}
