/** Converts the curves of a figure to a table, and formats numbers in tables. */
import type {ReportTable} from '../../../drawing/table.ts';
import {withCommas, percent} from '../../../drawing/format.ts';

/** Formats a number with one decimal. */
export const decimal = (value: number): string => value.toFixed(1);
/** Formats a weight with two to four decimals. */
export const decimalWeight = (value: number): string => value.toFixed(4).replace(/0{1,2}$/u, '');

/** Returns a table with a column for each curve of a figure and a row for each k. Values are shown in percent. */
export function curveTable(
	{name, caption, firstHeading}: Pick<ReportTable, 'name' | 'caption' | 'firstHeading'>,
	ks: readonly number[],
	curves: ReadonlyArray<{readonly heading: string; readonly values: readonly number[]}>,
): ReportTable {
	return {
		name,
		caption,
		firstHeading,
		columns: curves.map(({heading}) => ({heading})),
		blocks: [
			{
				rows: ks.map((k, i) => ({
					heading: {text: withCommas(k)},
					cells: curves.map(({values}) => ({text: percent(values[i]!)})),
				})),
			},
		],
	};
}
