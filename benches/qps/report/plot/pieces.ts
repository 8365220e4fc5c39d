// Types and functions shared by all charts: views, markers, scales, and formats of numbers. Nothing here needs Node,
// because the script of the page uses it too.
import {escaped} from '../../../../ts/drawing/html.ts';
import {type Point, coordinate, line} from '../../../../ts/drawing/svg.ts';
import type {Figure} from '../../statistics/statistics.ts';
import type {Look, Mark} from './colors.ts';

export {escaped} from '../../../../ts/drawing/html.ts';
export {coordinate, line, text} from '../../../../ts/drawing/svg.ts';

/** A drawn chart: the SVG elements `inside` the `svg` element, and the points that have tooltips. */
export interface Drawn {
	readonly width: number;
	readonly height: number;
	readonly inside: string;
	readonly spots: readonly Spot[];
}

/** A point that has a tooltip. */
export interface Spot {
	readonly x: number;
	readonly y: number;
	/** The index of the entry in the chart. */
	readonly entry: number;
	/** The title of the tooltip. */
	readonly name: string;
	readonly lines: readonly string[];
}

/** How a chart is shown. */
export interface View {
	/** The k that is shown; for encoding, the task. */
	readonly k: string;
	/** The clock by which speeds are shown: wall time or CPU time. */
	readonly by: 'wall' | 'cpu';
	/** The names of entries that are not shown. */
	readonly hidden: ReadonlySet<string>;
	/** The width of the chart, in pixels. */
	readonly width: number;
}

/** A system and the way in which it is called. Each chart extends this with what was measured. */
export interface Entry {
	readonly name: string;
	readonly look: Look;
}

/** Returns a chart as an `svg` element of a page. */
export function svg({width, height, inside}: Drawn, label: string): string {
	return `<svg class="plot" viewBox="0 0 ${width} ${coordinate(height)}" width="${width}" height="${coordinate(height)}" role="img" aria-label="${escaped(label)}">${inside}</svg>`;
}

/** Groups the shapes of one entry in its color. The browser shows the entry's name as a tooltip. */
export function group({name, look}: Entry, index: number, inside: readonly string[]): string {
	return `<g class="entry ${look.style}" data-entry="${index}"><title>${escaped(name)}</title>${inside.join('')}</g>`;
}

/** Draws a marker around a point. `size` is about half the width of the marker. */
export function mark(kind: Mark, [x, y]: Point, size: number, style = 'mark'): string {
	const path = (...points: ReadonlyArray<readonly [number, number]>): string =>
		`<path d="M${points.map(([dx, dy]) => `${coordinate(x + dx * size)} ${coordinate(y + dy * size)}`).join('L')}Z" class="${style}"/>`;
	switch (kind) {
		case 'circle':
			return `<circle cx="${coordinate(x)}" cy="${coordinate(y)}" r="${size}" class="${style}"/>`;
		case 'square':
			return path([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]);
		case 'diamond':
			return path([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]);
		case 'triangle':
			return path([0, -1.25], [1.15, 0.9], [-1.15, 0.9]);
		case 'down':
			return path([0, 1.25], [1.15, -0.9], [-1.15, -0.9]);
	}
}

/** Draws a horizontal line from `[x1, y]` to `[x2, y]`. A vertical line at each end extends `capHeight` pixels up and down. */
export function whisker([x1, y]: Point, x2: number, capHeight: number): string {
	const ends = [x1, x2].map(x => line([x, y - capHeight], [x, y + capHeight], 'whisker'));
	return line([x1, y], [x2, y], 'whisker') + ends.join('');
}

/**
Returns the ticks of a logarithmic axis within `[low, high]`: 1, 2 and 5 times powers of ten. If there are more than
`maxCount` of these, returns 1 and 3 times powers of ten; if there are still too many, returns only powers of ten. The
powers go from 10⁻⁴ to 10¹¹.
*/
export function logTicks(low: number, high: number, maxCount = 10): readonly number[] {
	for (const steps of [[1, 2, 5], [1, 3], [1]]) {
		const found = Array.from({length: 16}, (_, power) => steps.map(step => Number((step * 10 ** (power - 4)).toPrecision(3))))
			.flat()
			.filter(value => value >= low && value <= high);
		if (found.length <= maxCount || steps.length === 1) {
			return found;
		}
	}
	return [];
}

/** Returns a function that maps values in `[low, high]`, both above 0, to coordinates in `[from, to]`. */
export function logScale([low, high]: readonly [number, number], [from, to]: readonly [number, number]): (value: number) => number {
	return value => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
}

/** Formats a number with thousands separators: no decimals from 100 on, one from 10 on, two from 1 on, and three below 1. */
export function number(value: number): string {
	const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
	return value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

/** Formats a number for an axis, without trailing zeros. */
export const tick = (value: number): string => value.toLocaleString('en', {maximumSignificantDigits: 4});

/** Formats the minimum and the maximum of a figure. */
export const range = ({least, most}: Figure): string => `${number(least)}–${number(most)}`;

/** Estimates the width in pixels of the longest of these texts, in 12 px type. */
export const widthOf = (texts: readonly string[]): number => Math.ceil(6.7 * Math.max(0, ...texts.map(({length}) => length)));
