/** Evaluates runs with relevance judgments. */
import {checkStrings} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, native} from '../core/native/native.ts';
import {callOptions, checkOptions} from '../core/options.ts';
import {checkQrels, nativeQrels} from '../core/native/qrels.ts';
import {nativeRun} from '../core/native/runs.ts';
import type {CallOptions, Qrels, Run} from '../core/types.ts';

/**
A measure, named as in the Python package ir_measures: nDCG, reciprocal rank (`RR` or `MRR`), average precision (`AP` or `MAP`), recall (`R`
or `Recall`), precision (`P` or `Precision`) or `Success` (whether a relevant passage was found). `@k`, which recall, precision and success
need, restricts it to the first k hits; without it, all hits count. A passage is relevant if its grade is at least 1, or at least the grade in
parentheses, as in `RR(rel=2)@10`. nDCG has no such grade, because each grade is a gain.
*/
export type Measure =
	| `nDCG${'' | `@${number}`}`
	| `${'RR' | 'MRR' | 'AP' | 'MAP'}${'' | `(rel=${number})`}${'' | `@${number}`}`
	| `${'R' | 'Recall' | 'P' | 'Precision' | 'Success'}${'' | `(rel=${number})`}@${number}`;

/** The values of measures for a run. */
export interface Evaluation<M extends string> {
	/** Means over the queries with judgments; a query that is not in the run counts as 0. */
	readonly mean: Readonly<Record<M, number>>;
	/** Query id → values of the measures, for the queries with judgments. */
	readonly perQuery: ReadonlyMap<string, Readonly<Record<M, number>>>;
	/** Number of queries with judgments that are not in the run. */
	readonly missing: number;
	/** Number of queries in the run without judgments; they are ignored. */
	readonly unjudged: number;
}

/**
Evaluates a run as trec_eval does with the flag `-c`, which averages over all queries with judgments. As in trec_eval, hits are ordered by
score, and hits with equal scores by descending passage id. The gain of nDCG is the grade, and the discount is log2(rank + 1); a negative
grade counts as 0, and so does a query without a relevant passage. Fails with `ERR_ARGUMENT` if no query of the run has judgments.

@example
```
const {mean} = await evaluate(run, qrels, ['nDCG@10', 'R@100']);
//=> {'nDCG@10': 0.6789, 'R@100': 0.9253}
```
*/
export async function evaluate<M extends Measure>(
	run: Run,
	qrels: Qrels,
	measures: readonly M[],
	options: CallOptions = {},
): Promise<Evaluation<M>> {
	checkQrels('qrels', qrels);
	checkStrings('measures', measures);
	checkOptions('evaluate', options, callOptions);
	if (measures.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'measures: expected at least one, such as nDCG@10, got none');
	}
	const handle = await nativeRun(run);
	const judgments = await nativeQrels(qrels, options.signal);
	const result = await callNative(options, () => native.evaluate(handle, judgments, [...measures]));
	const record = (values: Float64Array): Record<M, number> =>
		Object.fromEntries(measures.map((measure, i) => [measure, values[i]!])) as Record<M, number>;
	const perQuery = new Map(
		result.queries.map((query, i) => [query, record(result.values.subarray(i * measures.length, (i + 1) * measures.length))]),
	);
	return {mean: record(result.means), perQuery, missing: result.missing, unjudged: result.unjudged};
}
