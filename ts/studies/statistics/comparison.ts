/** The results of significance tests, as studies store and report them. */

export interface Comparison {
	/** The names of the two conditions that were compared, such as two retrieval methods. */
	readonly a: string;
	readonly b: string;
	/** Name of the measure that was compared, such as "top-20" or "exact match". */
	readonly measure: string;
	/**
	Mean of `a` − mean of `b`. For a rank-sum test: the probability that a value of `a` is larger than a value of `b`,
	minus one half.
	*/
	readonly difference: number;
	/** The two-sided p-value, uncorrected. */
	readonly p: number;
	/**
	`p` after Bonferroni's correction: min(1, p · number of tests in the family). The tests of a family are corrected
	together.
	*/
	readonly corrected: number;
	/** Whether `corrected` is below the significance level of the study. */
	readonly significant: boolean;
	/** The smallest difference that would have been significant, given the number and the variance of the values. */
	readonly smallest: number;
	/** The significance marker next to `a`'s value in a table; empty if there is none. */
	readonly mark: string;
}

/**
Returns the comparison of `a` with `b`; `undefined` if there is none. If `b` was compared with `a`, the difference gets
the opposite sign, and the marker is left out, because it belongs to the value of `b`.
*/
export function findComparison(comparisons: readonly Comparison[], a: string, b: string, measure: string): Comparison | undefined {
	const found = comparisons.find(
		comparison => comparison.measure === measure && [a, b].every(name => name === comparison.a || name === comparison.b),
	);
	if (found === undefined || found.a === a) {
		return found;
	}
	return {...found, a, b, difference: -found.difference, mark: ''};
}

/** Returns the significance markers next to a condition's value in a table, without repetitions. */
export function markersOf(comparisons: readonly Comparison[], condition: string, measure: string): string {
	const found = comparisons.filter(comparison => comparison.significant && comparison.a === condition && comparison.measure === measure);
	return [...new Set(found.map(({mark}) => mark))].join('');
}
