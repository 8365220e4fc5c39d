/** Numbers in tables, and tables of the values of a figure. */
import type {ReportTable} from '../../../drawing/table.ts';
import {grouped, percent} from '../../../drawing/format.ts';

/** A number with one decimal. */
export const decimal = (value: number): string => value.toFixed(1);
/** A weight with two to four decimals. */
export const hundredths = (value: number): string => value.toFixed(4).replace(/0{1,2}$/u, '');

/** The values of a figure: a column for each curve, a row for each k. */
export function curveTable(
	{name, caption, stub}: Pick<ReportTable, 'name' | 'caption' | 'stub'>,
	ks: readonly number[],
	curves: ReadonlyArray<{readonly heading: string; readonly values: readonly number[]}>,
): ReportTable {
	return {
		name,
		caption,
		stub,
		columns: curves.map(({heading}) => ({heading})),
		blocks: [
			{
				rows: ks.map((k, i) => ({
					heading: {text: grouped(k)},
					cells: curves.map(({values}) => ({text: percent(values[i]!)})),
				})),
			},
		],
	};
}
