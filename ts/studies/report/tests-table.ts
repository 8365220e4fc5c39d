/** Tests as a table, and as the last sentence of a caption. */
import {pValue, points} from '../../drawing/format.ts';
import type {ReportTable} from '../../drawing/table.ts';
import type {Comparison} from '../statistics/comparison.ts';

/** Every test of a table of the paper; `nameOf` is what a condition is called. */
export function testsTable(
	of: string,
	comparisons: readonly Comparison[],
	significance: number,
	nameOf: (condition: string) => string,
): ReportTable {
	return {
		name: `Tests of ${of}`,
		caption: `Differences in points, and p-values of paired t-tests, uncorrected and corrected for ${comparisons.length} tests. A corrected p below ${significance} is significant.`,
		stub: 'Comparison',
		columns: [
			{heading: 'measure', kind: 'words'},
			{heading: 'difference'},
			{heading: 'p'},
			{heading: 'corrected p'},
			{heading: 'significant', kind: 'words'},
		],
		blocks: [
			{
				rows: comparisons.map(({a, b, measure, difference, p, corrected, significant}) => ({
					heading: {text: `${nameOf(a)} − ${nameOf(b)}`},
					cells: [
						{text: measure},
						{text: points(difference)},
						{text: pValue(p)},
						{text: pValue(corrected)},
						{text: significant ? 'yes' : 'no'},
					],
				})),
			},
		],
	};
}

/** The end of a caption whose marks are of tests. */
export function tested({length}: readonly Comparison[], significance: number): string {
	return `Paired t-tests, p < ${significance} after Bonferroni’s correction for ${length} tests.`;
}
