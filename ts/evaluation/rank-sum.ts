/** The rank-sum test, which compares the values of two independent groups. */
import {checkArray, checkCount, checkNumber, checkObject, shown} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {callNative, callSync, native} from '../core/native/native.ts';
import {checkOptions, signalOption} from '../core/options.ts';
import type {CallOptions} from '../core/types.ts';

/** The result of a rank-sum test of the groups `a` and `b`. */
export interface RankSumTest {
	/**
	Share, 0 to 1, of the pairs of one value of `a` and one value of `b` in which the value of `a` is larger; pairs of equal values count one
	half. The share is about 0.5 if the groups do not differ.
	*/
	readonly probability: number;
	/** Two-sided p-value by the normal approximation. It is not corrected for multiple tests. */
	readonly p: number;
	/** The statistic U of `a`: the number of pairs in which the value of `a` is larger; pairs of equal values count one half. */
	readonly statistic: number;
	/** Standard error of `probability` if the groups do not differ. */
	readonly standardError: number;
	/** Number of values in each group. */
	readonly counts: {readonly a: number; readonly b: number};
}

/**
Tests whether the values of one group tend to be larger than those of another, independent group: the Wilcoxon–Mann–Whitney rank-sum test
(Mann and Whitney, 1947). Only the order of the values counts. The p-value is two-sided and is computed by the normal approximation with
mid-ranks, correction for ties, and continuity correction, as in SciPy's `mannwhitneyu(a, b, method='asymptotic')`. The approximation is
inaccurate for groups of fewer than about 8 values.

Fails with `ERR_ARGUMENT` if a group is empty or a value is not a finite number.

@example
```
await rankSumTest([19, 22, 16, 29, 24], [20, 11, 17, 12]);
//=> {probability: 0.85, p: 0.1113…, statistic: 17, standardError: 0.2041…, counts: {a: 5, b: 4}}
```
*/
export async function rankSumTest(
	a: readonly number[],
	b: readonly number[],
	options: Pick<CallOptions, 'signal'> = {},
): Promise<RankSumTest> {
	checkOptions('rankSumTest', options, signalOption);
	const [left, right] = [values('a', a), values('b', b)];
	const {probability, p, statistic, standardError} = await callNative(options, () => native.rankSumTest(left, right));
	return {probability, p, statistic, standardError, counts: {a: a.length, b: b.length}};
}

/**
Returns the smallest distance of `probability` from 0.5 for which a rank-sum test would have a p-value of at most `p`, given the group sizes
and the standard error of `test`. If a test was not significant, this tells how large a difference it could have detected. The result is
larger than 0.5 if no difference between groups of these sizes can be significant.

@example
```
const test = await rankSumTest([19, 22, 16, 29, 24], [20, 11, 17, 12]);
smallestSignificantShift(test, 0.05);
//=> 0.4250…
```
*/
export function smallestSignificantShift(test: RankSumTest, p: number): number {
	checkObject('test', test, 'the result of rankSumTest()');
	checkObject('test: counts', test.counts, '{a, b}');
	const {standardError, counts} = test;
	checkNumber('standardError', standardError);
	checkCount('counts: a', counts.a, 1);
	checkCount('counts: b', counts.b, 1);
	checkNumber('p', p);
	return callSync(() => native.smallestSignificantShift(standardError, counts.a, counts.b, p));
}

function values(what: string, numbers: readonly number[]): Float64Array {
	checkArray(what, numbers, 'numbers');
	for (const [i, value] of numbers.entries()) {
		if (!Number.isFinite(value)) {
			throw new RetrievalError('ERR_ARGUMENT', `${what}[${i}]: expected a finite number, got ${shown(value)}`);
		}
	}
	return Float64Array.from(numbers);
}
