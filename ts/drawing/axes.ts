/**
Parts of SVG drawings that most figures share: the opening tag with a description for screen readers, grid lines, and
the title of an axis.
*/
import {escaped} from './html.ts';
import {coordinate, line, text} from './svg.ts';

/** The size of a drawing and the texts that describe it. */
export interface DrawingFrame {
	/** Prefix of the ids of the elements `title` and `desc`. */
	readonly id: string;
	readonly width: number;
	readonly height: number;
	/** CSS class of the `svg` element. */
	readonly style?: string;
	readonly title: string;
	/** Description of the drawing for screen readers. */
	readonly description: string;
}

/** Returns the opening tag of an `svg` element, with its title and description. */
export function drawingStart({id, width, height, style, title, description}: DrawingFrame): readonly string[] {
	const classAttribute = style === undefined ? '' : ` class="${style}"`;
	return [
		`<svg viewBox="0 0 ${width} ${height}"${classAttribute} role="img" aria-labelledby="${id}-title ${id}-desc">`,
		`<title id="${id}-title">${escaped(title)}</title>`,
		`<desc id="${id}-desc">${escaped(description)}</desc>`,
	];
}

/** Horizontal grid lines, each labeled with its value. */
export interface HorizontalGrid {
	/** Values at which lines are drawn. The line of the first value is the axis. */
	readonly values: readonly number[];
	/** Maps a value to a vertical coordinate. */
	readonly y: (value: number) => number;
	/** Horizontal extent of the lines. */
	readonly left: number;
	readonly right: number;
	/** Horizontal distance between the labels and the left ends of the lines. */
	readonly gap: number;
	/** Formats a value for its label. @default the value itself */
	readonly labelOf?: (value: number) => string;
}

/** Returns horizontal lines across a drawing, with the labels of their values to the left. */
export const horizontalGrid = ({values, y, left, right, gap, labelOf = String}: HorizontalGrid): readonly string[] => [
	...values.map((value, i) => line([left, y(value)], [right, y(value)], i === 0 ? 'axis' : 'grid')),
	// The baseline of a 12 px label is 4 px below its line, so that the label is vertically centered on the line.
	...values.map(value => text([left - gap, y(value) + 4], labelOf(value), 'tick end')),
];

/**
Returns the title of the vertical axis, rotated, at the left edge. `middle` is the vertical coordinate of its center.
*/
export const verticalTitle = (middle: number, title: string): string =>
	`<text transform="translate(11 ${coordinate(middle)}) rotate(-90)" class="title middle">${escaped(title)}</text>`;
