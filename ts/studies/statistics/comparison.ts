/** Paired t-tests, with Bonferroni's correction over all of a table. */
export interface Comparison {
	/** A condition, as its study names it. */
	readonly a: string;
	readonly b: string;
	/** What was compared, such as "top-20" or "exact match". */
	readonly measure: string;
	/** Mean of a − mean of b. */
	readonly difference: number;
	/** Two-sided, as tested. */
	readonly p: number;
	/** min(1, p · tests of the table). */
	readonly corrected: number;
	readonly significant: boolean;
	/** The smallest difference that would have been significant, given how much questions vary. */
	readonly smallest: number;
	/** What a table has beside `a`'s value, empty where it has nothing. */
	readonly mark: string;
}

/** The test of `a` against `b`, the other way round where that is how it was made: its difference is a − b. */
export function compared(comparisons: readonly Comparison[], a: string, b: string, measure: string): Comparison | undefined {
	const found = comparisons.find(
		comparison => comparison.measure === measure && [a, b].every(name => name === comparison.a || name === comparison.b),
	);
	if (found === undefined || found.a === a) {
		return found;
	}
	return {...found, a, b, difference: -found.difference, mark: ''};
}

/** What stands beside a condition's value in a table. */
export function marksOf(comparisons: readonly Comparison[], condition: string, measure: string): string {
	const found = comparisons.filter(({a, measure: of, significant}) => significant && a === condition && of === measure);
	return [...new Set(found.map(({mark}) => mark))].join('');
}
