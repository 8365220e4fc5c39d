/** How tables write values, and the table of a figure's values. */
import type {ReportTable} from '../../../drawing/table.ts';
import {grouped, percent} from '../../../drawing/format.ts';

/** A number in per cent with a decimal. */
export const decimal = (value: number): string => value.toFixed(1);
/** Two decimals, or as many as it has up to four. */
export const hundredths = (value: number): string => value.toFixed(4).replace(/0{1,2}$/u, '');

/** Values of a figure: a column for each line, a row for each k. */
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
