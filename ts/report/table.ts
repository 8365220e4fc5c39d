/** A table as data, which both reports lay out. */
import type {Comparison} from './comparisons.ts';
import {type Label, pValue, points} from './words.ts';

export interface ReportTable {
	readonly name: string;
	readonly caption: string;
	/** Heading of the column of row headings. */
	readonly stub: string;
	readonly columns: readonly Column[];
	readonly blocks: readonly Block[];
}

export interface Column {
	/** Columns of one group that stand beside each other share a heading. */
	readonly group?: string;
	readonly heading: string;
	/** `paper`: others' numbers. */
	readonly kind?: 'paper' | 'words';
}

export interface Block {
	readonly heading?: string;
	readonly rows: readonly Row[];
}

export interface Row {
	readonly heading: Label;
	readonly cells: readonly Cell[];
}

export interface Cell {
	readonly text: string;
	readonly marks?: string;
}

/** What stands where there is no value. */
export const none: Cell = {text: '–'};

export const cell = (value: number | undefined, shown: (value: number) => string): Cell =>
	value === undefined ? none : {text: shown(value)};

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
