/** Checks the hits of the searches that the quick benchmark times, and chooses `efSearch` for a target recall. */
import type {HnswIndex} from '../dense/index.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import type {Hit, Vectors} from '../core/types.ts';

/** Maximum number of queries that are checked against an exhaustive search. */
const CHECKED_QUERIES = 20;
/** Number of rows scored between two checks of the time budget, about a millisecond of work. */
const ROWS_PER_SLICE = 2000;
/** Values of `efSearch` to try, in ascending order. */
const EF_SEARCH_VALUES = [8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 200, 256, 320, 400, 512, 640, 800, 1024];

/** Returns a view of `rows` consecutive rows, starting at row `from`. */
export const rowsOf = ({data, dim}: Vectors, from: number, rows: number): Vectors => ({
	data: data.subarray(from * dim, (from + rows) * dim),
	rows,
	dim,
});

/**
Checks the best `k` hits of the first queries against an exhaustive search in double precision. The hits of a query are right if there are
`k` of them (or as many as there are rows), if their scores are within the error bound of single precision, and if no other row scores higher
than the last hit by more than this bound. Returns the number of checked queries, and the number of those with right hits.
*/
export async function verifyHits(
	hits: readonly (readonly Hit[])[],
	vectors: Vectors,
	queries: Vectors,
	k: number,
): Promise<{readonly queries: number; readonly right: number}> {
	const checked = Math.min(CHECKED_QUERIES, queries.rows);
	const {dim} = vectors;
	// Twice the error bound of Higham (2002, equation 3.5) for a sum of `dim` products in single precision, where both vectors have
	// length 1. The factor 2 is a margin, because the components are rounded and the length is therefore not exactly 1.
	const maxError = 2 * dim * 2 ** -24;
	let right = 0;
	for (let query = 0; query < checked; query++) {
		const vector = queries.data.subarray(query * dim, (query + 1) * dim);
		const scores = new Map(hits[query]!.map(({id, score}) => [Number(id), score]));
		const last = Math.min(...scores.values());
		// If a row is returned twice, `scores` has one entry for it.
		let isRight = scores.size === Math.min(k, vectors.rows);
		for (let row = 0; row < vectors.rows; row++) {
			if (row % ROWS_PER_SLICE === 0) {
				await yieldIfOverBudget();
			}
			let score = 0;
			for (let i = 0; i < dim; i++) {
				score += vector[i]! * vectors.data[row * dim + i]!;
			}
			const reported = scores.get(row);
			isRight &&= reported === undefined ? score <= last + maxError : Math.abs(score - reported) <= maxError;
		}
		right += Number(isRight);
	}
	return {queries: checked, right};
}

/** Returns the share of the true hits that were found, over all queries. */
export function recall(found: readonly (readonly Hit[])[], truth: readonly (readonly Hit[])[]): number {
	let [foundCount, trueCount] = [0, 0];
	for (const [query, trueHits] of truth.entries()) {
		const ids = new Set(found[query]!.map(({id}) => id));
		foundCount += trueHits.filter(({id}) => ids.has(id)).length;
		trueCount += trueHits.length;
	}
	return foundCount / trueCount;
}

/** Returns the smallest `efSearch` that reaches the recall `minRecall` in single searches, or the largest one tried if none does. */
export async function smallestEfSearch(
	index: HnswIndex,
	queries: Vectors,
	truth: readonly (readonly Hit[])[],
	{k, minRecall, signal}: {readonly k: number; readonly minRecall: number; readonly signal?: AbortSignal | undefined},
): Promise<{readonly efSearch: number; readonly recall: number}> {
	let result = {efSearch: 0, recall: 0};
	for (const efSearch of EF_SEARCH_VALUES) {
		const found: Hit[][] = [];
		for (let query = 0; query < queries.rows; query++) {
			found.push(await index.search(rowsOf(queries, query, 1).data, {k, efSearch, signal}));
		}
		result = {efSearch, recall: recall(found, truth)};
		if (result.recall >= minRecall) {
			break;
		}
	}
	return result;
}

/** Counts the queries for which a single search returns the same hits as the batch search, with bit-identical scores. */
export async function compareWithSingle(
	search: (query: number) => Promise<readonly Hit[]>,
	batch: readonly (readonly Hit[])[],
): Promise<{readonly queries: number; readonly right: number}> {
	let right = 0;
	for (const [query, hits] of batch.entries()) {
		const single = await search(query);
		right += Number(single.length === hits.length && single.every(({id, score}, i) => id === hits[i]!.id && score === hits[i]!.score));
	}
	return {queries: batch.length, right};
}
