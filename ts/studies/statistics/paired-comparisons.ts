/**
Runs the paired t-tests of a study. Tests form families: Bonferroni's method corrects each p-value for the number of
tests in its family.
*/
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type PairedTest, bonferroni, pairedTest, smallestSignificantDifference} from '../../evaluation/index.ts';
import type {Comparison} from './comparison.ts';

/** Question id → value of a measure. */
export type ValueByQuestion = ReadonlyMap<string, number>;

/** Two conditions whose values are compared question by question. */
export interface ConditionPair {
	readonly a: string;
	readonly b: string;
	readonly measure: string;
	readonly valuesOfA: ValueByQuestion;
	readonly valuesOfB: ValueByQuestion;
	/** What a table shows next to `a`'s value if the difference is significant. */
	readonly marker?: string;
	/**
	Whether the marker is shown only if `a` is better than `b`. By default, it is shown for any significant difference.
	*/
	readonly markerNeedsGain?: boolean;
}

export interface TestOptions {
	/** A difference is significant if its corrected p-value is below this. */
	readonly significance: number;
	readonly signal?: AbortSignal | undefined;
}

/** Tests all pairs as one family. Returns one comparison per pair, in the same order. */
export async function comparePairs(pairs: readonly ConditionPair[], {significance, signal}: TestOptions): Promise<Comparison[]> {
	const tests: PairedTest[] = [];
	for (const {valuesOfA, valuesOfB} of pairs) {
		await yieldIfOverBudget();
		tests.push(await pairedTest(valuesOfA, valuesOfB, {signal}));
	}
	const ps = bonferroni(tests.map(({p}) => p));
	return pairs.map(({a, b, measure, marker = '', markerNeedsGain = false}, i) => {
		const test = tests[i]!;
		const {difference, p} = test;
		const significant = ps[i]! < significance;
		const isMarked = significant && (!markerNeedsGain || difference > 0);
		const smallest = smallestSignificantDifference(test, significance / tests.length);
		return {a, b, measure, difference, p, corrected: ps[i]!, significant, smallest, mark: isMarked ? marker : ''};
	});
}
