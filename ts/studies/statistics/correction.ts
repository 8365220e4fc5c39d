import {type PairedTest, bonferroni, smallestSignificantDifference} from '../../evaluation/index.ts';
import type {Comparison} from './comparison.ts';

/** A test of a table, and the mark that it puts on `a` where it is significant. */
export interface Tested {
	readonly a: string;
	readonly b: string;
	readonly measure: string;
	readonly mark: string;
	/** Whether the mark says that `a` is better, and not only that it differs. */
	readonly better: boolean;
	readonly tested: PairedTest;
}

/** The tests of a table, corrected for their number. */
export function corrected(tests: readonly Tested[], significance: number): Comparison[] {
	const ps = bonferroni(tests.map(({tested}) => tested.p));
	return tests.map(({a, b, measure, mark, better, tested}, i) => {
		const significant = ps[i]! < significance;
		const {difference, p} = tested;
		const marked = significant && (!better || difference > 0);
		const smallest = smallestSignificantDifference(tested, significance / tests.length);
		return {a, b, measure, difference, p, corrected: ps[i]!, significant, smallest, mark: marked ? mark : ''};
	});
}

export function mean(values: Iterable<number>): number {
	let [sum, count] = [0, 0];
	for (const value of values) {
		sum += value;
		count += 1;
	}
	return count === 0 ? 0 : sum / count;
}
