import {checkArray, checkCount} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, native} from '../core/native/native.ts';
import {callOptions, checkOptions} from '../core/options.ts';
import {nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Run} from '../core/types.ts';

/** The overlap of the passages that two runs retrieve. */
export interface Overlap {
	/** k → mean over the queries of |A ∩ B| / |A ∪ B|, 0 to 1, where A and B are the first k passages of the two lists. */
	readonly jaccard: ReadonlyMap<number, number>;
	/** Query id → k → overlap, 0 to 1, for the queries that are in both runs. */
	readonly perQuery: ReadonlyMap<string, ReadonlyMap<number, number>>;
	/** Number of queries that are in both runs. */
	readonly queries: number;
	/** Number of queries that are in one run only; they are ignored. */
	readonly missing: number;
}

/**
Computes the Jaccard overlap of two runs for each k (Ma et al., 2021, Table 2, with k = 20, 100, 500, 1000). Hits of equal scores count in
the order of their list. A list with fewer than k hits counts with those it has; two empty lists overlap fully. Fails with
`ERR_ARGUMENT` if the runs have no query in common, or if a list has a passage twice. Progress counts queries.

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
	const ofEachK = (first: number, from: Float64Array): Map<number, number> => new Map(ks.map((k, i) => [k, from[first + i]!]));
	const perQuery = new Map(queries.map((query, at) => [query, ofEachK(at * ks.length, values)]));
	return {jaccard: ofEachK(0, means), perQuery, queries: queries.length, missing};
}
