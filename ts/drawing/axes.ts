/** What most drawings start with: a title and a description for screen readers, horizontal grid lines, and titles of axes. */
import {escaped} from './html.ts';
import {at, line, text} from './svg.ts';

export interface DrawingFrame {
	/** Prefix of the ids of title and description. */
	readonly id: string;
	readonly width: number;
	readonly height: number;
	/** CSS class. */
	readonly style?: string;
	readonly title: string;
	readonly description: string;
}

/** The opening tag of an `svg` element, with its title and description. */
export function drawingStart({id, width, height, style, title, description}: DrawingFrame): readonly string[] {
	const className = style === undefined ? '' : ` class="${style}"`;
	return [
		`<svg viewBox="0 0 ${width} ${height}"${className} role="img" aria-labelledby="${id}-title ${id}-desc">`,
		`<title id="${id}-title">${escaped(title)}</title>`,
		`<desc id="${id}-desc">${escaped(description)}</desc>`,
	];
}

export interface HorizontalGrid {
	/** Values of the lines; the first one is the axis. */
	readonly values: readonly number[];
	/** Maps a value to a coordinate. */
	readonly y: (value: number) => number;
	/** Horizontal extent of the lines. */
	readonly left: number;
	readonly right: number;
	/** Distance of the labels from the lines. */
	readonly gap: number;
	readonly labelOf?: (value: number) => string;
}

/** Lines across a drawing, with their values to the left. */
export const horizontalGrid = ({values, y, left, right, gap, labelOf = String}: HorizontalGrid): readonly string[] => [
	...values.map((value, i) => line([left, y(value)], [right, y(value)], i === 0 ? 'axis' : 'grid')),
	...values.map(value => text([left - gap, y(value) + 4], labelOf(value), 'tick end')),
];

/** The title of the vertical axis, at the left edge. */
export const verticalTitle = (middle: number, title: string): string =>
	`<text transform="translate(11 ${at(middle)}) rotate(-90)" class="title middle">${escaped(title)}</text>`;
