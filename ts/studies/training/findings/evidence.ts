/** Evidence of findings: the tests of pairs of conditions, and sentences about them. */
import {listed, points, unsignedPoints} from '../../../drawing/format.ts';
import {type Comparison, findComparison} from '../../statistics/comparison.ts';
import {largestPossible, largestPossibleLoss} from '../../statistics/equivalence.ts';
import {significanceClause, withoutUndefined} from '../../statistics/finding.ts';
import {labelOf} from '../labels.ts';

/** Returns the tests of these pairs on these measures. Tests that the study does not have are left out. */
export const evidenceOf = (
	comparisons: readonly Comparison[],
	pairs: ReadonlyArray<readonly [a: string, b: string]>,
	measures: readonly string[],
): readonly Comparison[] =>
	withoutUndefined(pairs.flatMap(([a, b]) => measures.map(measure => findComparison(comparisons, a, b, measure))));

/** Returns a sentence with all differences: "In-batch 32 − In-batch 8: +1.2 points at top-5 and +0.3 at top-20; …". */
export function differences(evidence: readonly Comparison[]): string {
	const byPair = new Map<string, string[]>();
	for (const {a, b, measure, difference} of evidence) {
		const pair = `${labelOf(a)} − ${labelOf(b)}`;
		byPair.set(pair, [...(byPair.get(pair) ?? []), `${points(difference)} points at ${measure}`]);
	}
	return `${[...byPair].map(([pair, each]) => `${pair}: ${listed(each)}`).join('; ')}; ${significanceClause(evidence)}.`;
}

/** Returns sentences on confidence intervals and on how they decide the verdict of `verdictOfSmallDifference`. `margin` is the paper's. */
export const differenceRule = (evidence: readonly Comparison[], margin: number): string =>
	`The confidence intervals include differences of up to ${unsignedPoints(largestPossible(evidence))} points. ${ruleSentence('difference', 'differences', margin, 'the largest such difference in the paper')}`;

/** Like `differenceRule`, for `verdictOfSmallLoss`. `name` and `names` say what a loss is, in the singular and the plural. */
export const lossRule = (
	evidence: readonly Comparison[],
	margin: number,
	{name, names, source}: {readonly name: string; readonly names: string; readonly source: string},
): string =>
	`The confidence intervals include ${names} of up to ${unsignedPoints(largestPossibleLoss(evidence))} points. ${ruleSentence(name, names, margin, source)}`;

function ruleSentence(name: string, names: string, margin: number, source: string): string {
	const points = unsignedPoints(margin);
	return `The claim holds if they include no ${name} above ${points} points, ${source}; it is contradicted if one of them includes only ${names} above ${points} points.`;
}

/**
Returns the largest difference of two of the paper's rows at some measures, as a share, for claims that such differences are
small.
*/
export function publishedMargin(
	pairs: ReadonlyArray<readonly [Readonly<Record<string, number>>, Readonly<Record<string, number>>]>,
	measures: readonly string[],
): number {
	const all = pairs.flatMap(([a, b]) => measures.map(measure => Math.abs(a[measure]! - b[measure]!)));
	// Rounded, because differences of decimal fractions have rounding errors.
	return Number((Math.max(...all) / 100).toFixed(3));
}
