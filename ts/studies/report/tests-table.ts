/** Significance tests in reports: tables of all tests, and the sentence that explains the markers in other tables. */
import {pValue, points} from '../../drawing/format.ts';
import type {ReportTable} from '../../drawing/table.ts';
import type {Comparison} from '../statistics/comparison.ts';

/** Tests whose p-values are corrected together: each one for the number of tests in the family. */
export interface TestFamily {
	/** What the tests are about, such as "Table 1" or "claims about projections". */
	readonly name: string;
	readonly comparisons: readonly Comparison[];
}

/** Returns a table with all tests of a family. `labelOf` returns the name that the report shows for a condition. */
export function testsTable({name, comparisons}: TestFamily, significance: number, labelOf: (condition: string) => string): ReportTable {
	return {
		name: `Tests of ${name}`,
		caption: `Differences in percentage points, and p-values of paired t-tests, uncorrected and corrected for ${comparisons.length} tests. A difference is significant if its corrected p is below ${significance}.`,
		firstHeading: 'Comparison',
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

/** Returns the sentence of a table's caption that says which tests its significance markers come from. */
export function testsSentence({length}: readonly Comparison[], significance: number): string {
	return `Significance is by paired t-tests, p < ${significance} after Bonferroni’s correction for ${length} tests.`;
}
