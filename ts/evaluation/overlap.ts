/** The overlap of the passages in two runs. */
import {checkArray, checkCount} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, native} from '../core/native/native.ts';
import {callOptions, checkOptions} from '../core/options.ts';
import {nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Run} from '../core/types.ts';

/** How much the passages of two runs overlap. */
export interface Overlap {
	/** k → mean of |A ∩ B| / |A ∪ B| over the queries, 0 to 1, where A and B are the first k passages of a query in the two runs. */
	readonly jaccard: ReadonlyMap<number, number>;
	/** Query id → k → Jaccard overlap, 0 to 1, for the queries that are in both runs. */
	readonly perQuery: ReadonlyMap<string, ReadonlyMap<number, number>>;
	/** Number of queries that are in both runs. */
	readonly queries: number;
	/** Number of queries that are in only one of the runs; they are ignored. */
	readonly missing: number;
}

/**
Computes the Jaccard overlap of two runs for each number k in `ks` (Ma et al., 2021, Table 2, with k = 20, 100, 500, 1000). The order of a
list decides which hits are the first k, even among equal scores. If a list has fewer than k hits, all of them are used; two empty lists
have an overlap of 1. Fails with `ERR_ARGUMENT` if the runs have no query in common, or if a list has a passage twice. Progress counts
queries.

@example
```
const {jaccard} = await overlap(dense, sparse, [20, 100]);
jaccard.get(20);
//=> 0.092
```
*/
export async function overlap(a: Run, b: Run, ks: readonly number[], options: CallOptions = {}): Promise<Overlap> {
	checkArray('ks', ks, 'cut-offs');
	checkOptions('overlap', options, callOptions);
	if (ks.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'ks: expected at least one cut-off, got none');
	}
	for (const k of ks) {
		checkCount('k', k, 1);
	}
	const runs = [await nativeRun(a), await nativeRun(b)] as const;
	const {means, queries, values, missing} = await callNative(options, control => native.jaccardOverlap(...runs, [...ks], control));
	const byCutOff = (first: number, from: Float64Array): Map<number, number> => new Map(ks.map((k, i) => [k, from[first + i]!]));
	const perQuery = new Map(queries.map((query, at) => [query, byCutOff(at * ks.length, values)]));
	return {jaccard: byCutOff(0, means), perQuery, queries: queries.length, missing};
}
