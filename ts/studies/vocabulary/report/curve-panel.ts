/**
Draws the panels of the report's Figures 3 and 4, as in Ram et al. (2023): shares as functions of k, where only the
first k tokens of a projection count. The axis of k is logarithmic.
*/
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {type Point, apart, line, polyline, scale, spot, text} from '../../../drawing/svg.ts';
import {withCommas, percent} from '../../../drawing/format.ts';

export interface Curve {
	readonly name: string;
	/** The CSS class of the curve and of its printed name. */
	readonly style: string;
	/** Shares from 0 to 1, one for each k. */
	readonly values: readonly number[];
}

const [width, height] = [330, 272];
const [left, right, top, bottom] = [40, width - 14, 12, height - 42];
/** Percentages at which the panel has horizontal lines. */
const levels = [0, 20, 40, 60, 80, 100] as const;

/** Draws a panel. `ks` are the values of k, in ascending order. */
export function curvePanel(id: string, title: string, ks: readonly number[], curves: readonly Curve[]): string {
	const x = scale([Math.log10(ks[0]!), Math.log10(ks.at(-1)!)], [left, right]);
	const y = scale([0, 100], [bottom, top]);
	const place = (k: number, value: number): Point => [x(Math.log10(k)), y(100 * value)];
	const powersOfTen = ks.filter(k => Number.isInteger(Math.log10(k)));
	const middle = Math.floor(ks.length / 2);
	// The name of a curve is above the middle of the curve. `apart` moves names that would overlap.
	const nameYs = apart(
		curves.map(({values}) => place(ks[middle]!, values[middle]!)[1] - 8),
		15,
		[top + 10, bottom - 6],
	);
	return [
		...drawingStart({id, width, height, title, description: described(ks, curves)}),
		...horizontalGrid({values: levels, y, left, right, gap: 6}),
		...powersOfTen.map(k => line([x(Math.log10(k)), bottom], [x(Math.log10(k)), bottom + 4], 'axis')),
		...powersOfTen.map(k => text([x(Math.log10(k)), bottom + 17], withCommas(k), `tick ${k === ks.at(-1) ? 'end' : 'middle'}`)),
		text([(left + right) / 2, height - 6], 'first k tokens', 'title middle'),
		verticalTitle((top + bottom) / 2, 'percent'),
		...curves.map(({name, style, values}, i) =>
			[
				`<g class="${style}">`,
				polyline(
					ks.map((k, j) => place(k, values[j]!)),
					'curve',
				),
				...ks.map((k, j) => spot(place(k, values[j]!), `${name}, first ${withCommas(k)}: ${percent(values[j]!)}%`, '')),
				text([place(ks[middle]!, 0)[0] - 6, nameYs[i]!], name, 'label halo end'),
				'</g>',
			].join('\n'),
		),
		'</svg>',
	].join('\n');
}

/** Returns the description of a panel for screen readers. */
function described(ks: readonly number[], curves: readonly Curve[]): string {
	const [first, last] = [ks[0]!, ks.at(-1)!];
	return curves
		.map(
			({name, values}) =>
				`${name}: from ${percent(values[0]!)} percent at ${withCommas(first)} to ${percent(values.at(-1)!)} at ${withCommas(last)}`,
		)
		.join('; ');
}
