/** Whether what was timed found the right hits. */
import type {HnswIndex} from '../dense/index.ts';
import {waitForTime} from '../core/event-loop.ts';
import type {Hit, Vectors} from '../core/types.ts';

/** Queries that are searched for again in double precision. */
const SAMPLE = 20;
/** Rows scored before others have their turn: about a millisecond. */
const ROWS_A_SLICE = 2000;
/** Candidates of a walk that are tried, the least first. */
const EFFORTS = [8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 200, 256, 320, 400, 512, 640, 800, 1024];

export const rowsOf = ({data, dim}: Vectors, from: number, rows: number): Vectors => ({
	data: data.subarray(from * dim, (from + rows) * dim),
	rows,
	dim,
});

/**
How many of a sample of queries have hits that an exhaustive search in double precision bears out: none that was left out
scores more than the last hit by more than single precision can be off.
*/
export async function borneOut(
	hits: readonly (readonly Hit[])[],
	vectors: Vectors,
	queries: Vectors,
): Promise<{readonly queries: number; readonly right: number}> {
	const asked = Math.min(SAMPLE, queries.rows);
	const {dim} = vectors;
	// Of a sum of `dim` products of unit vectors: Higham (2002), equation 3.5, with the rounding of the factors.
	const off = 2 * dim * 2 ** -24;
	let right = 0;
	for (let query = 0; query < asked; query++) {
		const wanted = queries.data.subarray(query * dim, (query + 1) * dim);
		const found = new Map(hits[query]!.map(({id, score}) => [Number(id), score]));
		const last = Math.min(...found.values());
		let good = found.size === Math.min(hits[query]!.length, vectors.rows);
		for (let row = 0; row < vectors.rows; row++) {
			if (row % ROWS_A_SLICE === 0) {
				await waitForTime();
			}
			let score = 0;
			for (let i = 0; i < dim; i++) {
				score += wanted[i]! * vectors.data[row * dim + i]!;
			}
			const said = found.get(row);
			good &&= said === undefined ? score <= last + off : Math.abs(score - said) <= off;
		}
		right += Number(good);
	}
	return {queries: asked, right};
}

/** The share of the true hits that were found. */
export function recall(found: readonly (readonly Hit[])[], truth: readonly (readonly Hit[])[]): number {
	let [hits, all] = [0, 0];
	for (const [query, wanted] of truth.entries()) {
		const ids = new Set(found[query]!.map(({id}) => id));
		hits += wanted.filter(({id}) => ids.has(id)).length;
		all += wanted.length;
	}
	return hits / all;
}

/** The least effort whose recall is enough, searching query by query; or the greatest there is. */
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

/** Queries for which one call for all finds what a call for each does, to the last bit of a score. */
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
