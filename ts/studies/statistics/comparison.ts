/** The results of paired t-tests that were corrected together, as studies store and report them. */

export interface Comparison {
	/** A condition, as its study names it. */
	readonly a: string;
	readonly b: string;
	/** What was compared, such as "top-20" or "exact match". */
	readonly measure: string;
	/** Mean of a − mean of b. */
	readonly difference: number;
	/** Two-sided and uncorrected. */
	readonly p: number;
	/** p after Bonferroni's correction: min(1, p · number of tests in the family). */
	readonly corrected: number;
	readonly significant: boolean;
	/** The smallest difference that would have been significant, given the variance over questions. */
	readonly smallest: number;
	/** The significance marker beside `a`'s value in a table; empty if there is none. */
	readonly mark: string;
}

/** The comparison of `a` with `b`. If `b` was compared with `a`, its difference changes sign. */
export function findComparison(comparisons: readonly Comparison[], a: string, b: string, measure: string): Comparison | undefined {
	const found = comparisons.find(
		comparison => comparison.measure === measure && [a, b].every(name => name === comparison.a || name === comparison.b),
	);
	if (found === undefined || found.a === a) {
		return found;
	}
	return {...found, a, b, difference: -found.difference, mark: ''};
}

/** The significance markers beside a condition's value in a table, each once. */
export function markersOf(comparisons: readonly Comparison[], condition: string, measure: string): string {
	const found = comparisons.filter(comparison => comparison.significant && comparison.a === condition && comparison.measure === measure);
	return [...new Set(found.map(({mark}) => mark))].join('');
}
