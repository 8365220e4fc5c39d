import type {Comparison} from './study.ts';

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
