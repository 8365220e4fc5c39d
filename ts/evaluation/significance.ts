/** Significance tests that compare two systems on the same queries, and corrections for multiple tests. */
import {checkArray, checkCount, checkMap, checkNumber, checkObject, checkOneOf, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, callSync, native} from '../core/native/native.ts';
import {yieldToEventLoop} from '../core/event-loop.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions} from '../core/types.ts';
import type {Evaluation} from './evaluate.ts';

/** Student's paired t-test, Fisher's randomization test, or the bootstrap test by the shift method: see `pairedTest`. */
export type SignificanceTest = 'paired-t' | 'randomization' | 'bootstrap';

/** The options of `pairedTest` and `significance`. */
export interface SignificanceOptions extends CallOptions {
	/** The test. @default 'paired-t' */
	readonly test?: SignificanceTest | undefined;
	/** Number of random samples of `randomization` and `bootstrap`. @default 10_000 */
	readonly rounds?: number | undefined;
	/** Seed for drawing the random samples. The same values and seed give the same p-value on every platform. @default 42 */
	readonly seed?: number | undefined;
}

const significanceOptions: OptionNames = optionNames<SignificanceOptions>({...callNames, test: true, rounds: true, seed: true});

/** The result of a paired test of the systems `a` and `b`, which compares their values for the same queries. */
export interface PairedTest {
	/** Mean of `a` minus mean of `b`, over the queries for which both have values. */
	readonly difference: number;
	/**
	Two-sided p-value: the probability of a difference at least this large if the systems do not really differ. It is not corrected for
	multiple tests.
	*/
	readonly p: number;
	/** Number of queries for which both systems have values. */
	readonly queries: number;
	/** Number of queries for which only one of the systems has a value; they are ignored. */
	readonly missing: number;
	/** For `paired-t`: the statistic t, with `queries` − 1 degrees of freedom. Infinite if all differences are equal and not 0. */
	readonly statistic?: number;
	/**
	For `paired-t`: the standard error of `difference`, which is s / √n for n queries and the standard deviation s of their differences. 0 if
	all differences are equal.
	*/
	readonly standardError?: number;
}

const tests = ['paired-t', 'randomization', 'bootstrap'] as const satisfies readonly SignificanceTest[];

/**
Tests whether two systems differ (Smucker et al., 2007). `a` and `b` map each query id to the system's value for the query, such as exact
match or reciprocal rank. The p-value is two-sided.

- `paired-t`: Student's t-test of the differences. p is 1 if all differences are 0, and 0 if all differences are equal but not 0.
- `randomization`: swaps the values of `a` and `b` for a subset of the queries. p is the share of subsets for which the means then differ at
  least as much as they do without swaps. All subsets are tried if the values of at most 16 queries differ; otherwise, `rounds` random ones.
- `bootstrap`: draws `rounds` samples of the queries with replacement. p is the share of samples in which the mean difference is at least as
  far from the observed mean difference as the latter is from 0 (Efron and Tibshirani, 1993, ch. 16).

If c of the random subsets or samples meet the condition, p = (1 + c) / (1 + rounds). Random subsets and samples depend on the order of the
queries in `a`. Progress counts rounds. Fails with `ERR_ARGUMENT` if a value is not finite, or if fewer than 2 queries have values of both
systems.

@example
```
const before = new Map([['q1', 0.5], ['q2', 0.4], ['q3', 0.6], ['q4', 0.7]]);
const after = new Map([['q1', 0.9], ['q2', 0.6], ['q3', 0.7], ['q4', 1]]);
await pairedTest(after, before);
//=> {difference: 0.25, p: 0.03046…, queries: 4, missing: 0, statistic: 3.872…, standardError: 0.06454…}
await pairedTest(after, before, {test: 'randomization'});
//=> {difference: 0.25, p: 0.125, queries: 4, missing: 0}
```
*/
export async function pairedTest(
	a: ReadonlyMap<string, number>,
	b: ReadonlyMap<string, number>,
	options: SignificanceOptions = {},
): Promise<PairedTest> {
	return tested(a, b, value => value, options);
}

/**
Tests whether two evaluations differ in a measure. This is `pairedTest` with the values of the measure for each query.

@example
```
const [dense, sparse] = [await evaluate(denseRun, qrels, ['nDCG@10']), await evaluate(sparseRun, qrels, ['nDCG@10'])];
const {difference, p} = await significance(dense, sparse, 'nDCG@10');
//=> {difference: 0.0213, p: 0.0042, …}
```
*/
export async function significance<M extends string>(
	a: Evaluation<NoInfer<M>>,
	b: Evaluation<NoInfer<M>>,
	measure: M,
	options: SignificanceOptions = {},
): Promise<PairedTest> {
	for (const [what, evaluation] of Object.entries({a, b})) {
		checkObject(what, evaluation, 'an evaluation {mean, perQuery}');
		checkObject(`${what}: mean`, evaluation.mean, 'the means of measures');
		checkOneOf(`measure of ${what}`, measure, Object.keys(evaluation.mean) as M[]);
	}
	return tested(a.perQuery, b.perQuery, values => (values as typeof values | null)?.[measure] as number, options);
}

/**
Corrects the p-values of several tests for the number of tests by Bonferroni's method: each p becomes min(1, p · number of tests) (Dunn,
1961).

@example
```
bonferroni([0.004, 0.03, 0.4]);
//=> [0.012, 0.09, 1]
```
*/
export function bonferroni(ps: readonly number[]): number[] {
	return [...callSync(() => native.bonferroni(probabilities(ps)))];
}

/**
Corrects the p-values of several tests for the number of tests by the step-down method of Holm (1979). The i-th smallest p of m tests is
multiplied by m − i + 1; the result is raised to that of the next smaller p if that is larger, and is at most 1. Like `bonferroni`, the
method controls the probability of any false positive, but its p-values are never larger than those of `bonferroni`. Results are in the
order of `ps`.

@example
```
holm([0.004, 0.03, 0.4]);
//=> [0.012, 0.06, 0.4]
```
*/
export function holm(ps: readonly number[]): number[] {
	return [...callSync(() => native.holm(probabilities(ps)))];
}

/**
Returns the smallest mean difference for which a paired t-test would have a p-value of at most `p`, given the number of queries and the
standard error of `test`: the two-sided critical value of t with `queries` − 1 degrees of freedom, times the standard error. If a test was
not significant, this tells how large a difference it could have detected. For m tests with Bonferroni's correction, use the significance
level divided by m as `p`.

If the standard error is 0, as when the values of no query differ, the result is the smallest share of queries whose values would have to
differ, by 1 and all in the same direction. Fails with `ERR_ARGUMENT` if `test` is not a `paired-t` test.

@example
```
const test = await pairedTest(after, before);
if (test.p >= 0.01) {
	smallestSignificantDifference(test, 0.01);
	//=> 0.0183…
}
```
*/
export function smallestSignificantDifference(test: PairedTest, p: number): number {
	checkObject('test', test, 'the result of pairedTest()');
	const {standardError, queries} = test;
	if (standardError === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'test: expected a paired-t test, which has a standardError, got one without');
	}
	checkNumber('standardError', standardError);
	checkCount('queries', queries, 2);
	checkNumber('p', p);
	return callSync(() => native.smallestSignificantDifference(standardError, queries, p));
}

/** Number of queries that are looked up before the event loop runs again; this takes about a millisecond. */
const QUERIES_PER_SLICE = 1000;

/** Tests the values of the queries that both maps have. `valueOf` takes the value of a query from an entry of the maps. */
async function tested<V>(
	a: ReadonlyMap<string, V>,
	b: ReadonlyMap<string, V>,
	valueOf: (values: V) => number,
	options: SignificanceOptions,
): Promise<PairedTest> {
	checkOptions('significance', options, significanceOptions);
	const {test = 'paired-t', rounds = 10_000, seed = 42, signal} = options;
	checkOneOf('test', test, tests);
	checkCount('rounds', rounds, 1);
	checkCount('seed', seed, 0);
	checkMap('a', a, 'query id to value');
	checkMap('b', b, 'query id to value');
	const [left, right] = [new Float64Array(a.size), new Float64Array(a.size)];
	let [queries, seen] = [0, 0];
	for (const [query, values] of a) {
		const others = b.get(query);
		if (others !== undefined || b.has(query)) {
			left[queries] = value('a', query, valueOf(values));
			right[queries] = value('b', query, valueOf(others as V));
			queries++;
		}
		if (++seen % QUERIES_PER_SLICE === 0) {
			await yieldToEventLoop();
			signal?.throwIfAborted();
		}
	}
	if (queries === 0) {
		const [first, second] = [a, b].map(side => {
			const [query] = side.keys();
			return query === undefined ? 'nothing' : shown(query);
		});
		throw new RetrievalError('ERR_ARGUMENT', `a and b: expected queries in common, got none: a begins with ${first}, b with ${second}`);
	}
	const {difference, p, statistic, standardError} = await callNative(options, control =>
		native.significance(left.subarray(0, queries), right.subarray(0, queries), test, rounds, seed, control),
	);
	return {
		difference,
		p,
		queries,
		missing: a.size + b.size - 2 * queries,
		...(statistic === undefined ? {} : {statistic}),
		...(standardError === undefined ? {} : {standardError}),
	};
}

/** Checks the value of a query. */
function value(what: string, query: string, given: unknown): number {
	// Building the first argument of `checkNumber` costs more than this check.
	if (!Number.isFinite(given)) {
		checkNumber(`${what}: value of query "${query}"`, given);
	}
	return given as number;
}

function probabilities(ps: readonly number[]): Float64Array {
	checkArray('ps', ps, 'numbers from 0 to 1');
	for (const [i, p] of ps.entries()) {
		if (typeof p !== 'number' || !(p >= 0 && p <= 1)) {
			throw new RetrievalError('ERR_ARGUMENT', `ps[${i}]: expected a number from 0 to 1, got ${shown(p)}`);
		}
	}
	return Float64Array.from(ps);
}
