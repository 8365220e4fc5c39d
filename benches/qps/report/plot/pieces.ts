// Pieces that drawings of benchmarks share. Nothing here needs Node: the page draws with it too.
import {escaped} from '../../../../ts/drawing/html.ts';
import {type Point, at, line} from '../../../../ts/drawing/svg.ts';
import type {Figure} from '../../statistics.ts';
import type {Look, Mark} from './colors.ts';

export {escaped} from '../../../../ts/drawing/html.ts';
export {at, line, text} from '../../../../ts/drawing/svg.ts';

/** A drawing without its `svg` element, and what can be pointed at in it. */
export interface Drawn {
	readonly width: number;
	readonly height: number;
	readonly inside: string;
	readonly spots: readonly Spot[];
}

/** A place that says something when it is pointed at. */
export interface Spot {
	readonly x: number;
	readonly y: number;
	/** Which of the entries. */
	readonly entry: number;
	readonly name: string;
	readonly lines: readonly string[];
}

/** What of a record is shown. */
export interface View {
	readonly k: string;
	readonly by: 'wall' | 'cpu';
	/** Entries that are not shown. */
	readonly hidden: ReadonlySet<string>;
	/** Of the drawing, in pixels. */
	readonly width: number;
}

export interface Entry {
	readonly name: string;
	readonly look: Look;
}

/** As an element of a page. */
export function svg({width, height, inside}: Drawn, label: string): string {
	return `<svg class="plot" viewBox="0 0 ${width} ${at(height)}" width="${width}" height="${at(height)}" role="img" aria-label="${escaped(label)}">${inside}</svg>`;
}

/** Groups the shapes of one entry, in its color; the browser shows its name as a tooltip. */
export function group({name, look}: Entry, index: number, inside: readonly string[]): string {
	return `<g class="entry ${look.style}" data-entry="${index}"><title>${escaped(name)}</title>${inside.join('')}</g>`;
}

export function mark(kind: Mark, [x, y]: Point, size: number, style = 'mark'): string {
	const path = (...points: ReadonlyArray<readonly [number, number]>): string =>
		`<path d="M${points.map(([dx, dy]) => `${at(x + dx * size)} ${at(y + dy * size)}`).join('L')}Z" class="${style}"/>`;
	switch (kind) {
		case 'circle':
			return `<circle cx="${at(x)}" cy="${at(y)}" r="${size}" class="${style}"/>`;
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

/** Least and most as a line with ends. */
export function whisker([x1, y]: Point, x2: number, half: number): string {
	const ends = [x1, x2].map(x => line([x, y - half], [x, y + half], 'whisker'));
	return line([x1, y], [x2, y], 'whisker') + ends.join('');
}

/** 1, 2 and 5 times powers of ten within `[low, high]`; where there are many, fewer of them. */
export function logTicks(low: number, high: number, most = 10): readonly number[] {
	for (const steps of [[1, 2, 5], [1, 3], [1]]) {
		const found = Array.from({length: 16}, (_, power) => steps.map(step => Number((step * 10 ** (power - 4)).toPrecision(3))))
			.flat()
			.filter(value => value >= low && value <= high);
		if (found.length <= most || steps.length === 1) {
			return found;
		}
	}
	return [];
}

/** From values `[low, high]`, both above 0, to places `[from, to]`. */
export function logScale([low, high]: readonly [number, number], [from, to]: readonly [number, number]): (value: number) => number {
	return value => from + (Math.log(value / low) / Math.log(high / low)) * (to - from);
}

/** With separators of thousands, to three digits and more. */
export function number(value: number): string {
	const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
	return value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

/** Without digits that say nothing: for axes. */
export const tick = (value: number): string => value.toLocaleString('en', {maximumSignificantDigits: 4});

export const range = ({least, most}: Figure): string => `${number(least)}–${number(most)}`;

/** Room for the longest of some words in 12 px type. */
export const widthOf = (words: readonly string[]): number => Math.ceil(6.7 * Math.max(0, ...words.map(({length}) => length)));
