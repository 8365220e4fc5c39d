/** Statistical tests in reports: as tables, and in the captions of tables whose markers they explain. */
import {pValue, points} from '../../drawing/format.ts';
import type {ReportTable} from '../../drawing/table.ts';
import type {Comparison} from '../statistics/comparison.ts';

/** Tests that are corrected together. */
export interface TestFamily {
	/** What is tested, such as "Table 1". */
	readonly name: string;
	readonly comparisons: readonly Comparison[];
}

/** All tests of a family; `labelOf` is how tables name a condition. */
export function testsTable({name, comparisons}: TestFamily, significance: number, labelOf: (condition: string) => string): ReportTable {
	return {
		name: `Tests of ${name}`,
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
					heading: {text: `${labelOf(a)} − ${labelOf(b)}`},
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

/** The sentence of a caption that says which tests its significance markers are from. */
export function testsSentence({length}: readonly Comparison[], significance: number): string {
	return `Paired t-tests, p < ${significance} after Bonferroni’s correction for ${length} tests.`;
}
