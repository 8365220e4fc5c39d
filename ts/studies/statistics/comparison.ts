/** The results of significance tests, as studies store and report them. */

export interface Comparison {
	/** The conditions that were compared, by the names that the study gives them. */
	readonly a: string;
	readonly b: string;
	/** Name of the measure that was compared, such as "top-20" or "exact match". */
	readonly measure: string;
	/** Mean of a − mean of b. */
	readonly difference: number;
	/** The p-value, two-sided and uncorrected. */
	readonly p: number;
	/**
	p after Bonferroni's correction: min(1, p · number of tests in the family). The tests of a family are corrected
	together.
	*/
	readonly corrected: number;
	/** Whether `corrected` is below the significance level of the study. */
	readonly significant: boolean;
	/** The smallest difference that would have been significant, given the variance over questions. */
	readonly smallest: number;
	/** The significance marker next to `a`'s value in a table; empty if there is none. */
	readonly mark: string;
}

/**
Returns the comparison of `a` with `b`. If `b` was compared with `a`, the difference gets the opposite sign, and the
marker, which belongs to the value of `b`, is left out.
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

/** Returns the significance markers next to a condition's value in a table, each once. */
export function markersOf(comparisons: readonly Comparison[], condition: string, measure: string): string {
	const found = comparisons.filter(comparison => comparison.significant && comparison.a === condition && comparison.measure === measure);
	return [...new Set(found.map(({mark}) => mark))].join('');
}
