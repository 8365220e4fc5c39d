/**
Draws the panels of the report's Figure 1: the accuracy of trained encoders by the number of training examples, on a
logarithmic axis. Horizontal lines are BM25 and the model before training.
*/
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {percent, withCommas} from '../../../drawing/format.ts';
import {type Point, apart, coordinate, dot, line, polyline, scale, spot, text, ticks} from '../../../drawing/svg.ts';

/** The content of a panel. Values are shares, from 0 to 1. */
export interface CurvePanel {
	/** Prefix of the ids in the drawing. */
	readonly id: string;
	readonly title: string;
	/** By increasing number of examples. */
	readonly points: ReadonlyArray<{readonly examples: number; readonly value: number}>;
	/** The horizontal lines. `style` is the CSS class of a line and its name. */
	readonly levels: ReadonlyArray<{readonly name: string; readonly style: string; readonly value: number}>;
}

const [width, height] = [330, 272];
const [left, right, top, bottom] = [40, width - 14, 12, height - 42];

export function curvePanel({id, title, points, levels}: CurvePanel): string {
	const percentages = [...points, ...levels].map(({value}) => 100 * value);
	const rows = ticks(Math.min(...percentages), Math.max(...percentages), 5);
	const [first, last] = [points[0]!.examples, points.at(-1)!.examples];
	const x = scale([Math.log10(first), Math.log10(last)], [left + 14, right - 14]);
	const y = scale([rows[0]!, rows.at(-1)!], [bottom, top]);
	const place = ({examples, value}: (typeof points)[number]): Point => [x(Math.log10(examples)), y(100 * value)];
	// The names of the lines are above their left ends, or below them if there is no space above. `apart` moves names that
	// would overlap.
	const nameYs = apart(
		levels.map(({value}) => aboveOrBelow(y(100 * value), 5)),
		15,
		[top + 10, bottom - 5],
	);
	const [endX] = place(points.at(-1)!);
	const nameY = curveNameY(
		points.slice(-2).map(point => place(point)[1]),
		levels.map(({value}) => y(100 * value)),
	);
	return [
		...drawingStart({id, width, height, title, description: described(points, levels)}),
		...horizontalGrid({values: rows, y, left, right, gap: 6}),
		...labeledCounts(
			points.map(({examples}) => examples),
			count => x(Math.log10(count)),
		).map(({count, at}) => text([at, bottom + 17], withCommas(count), 'tick middle')),
		...points.map(point => line([place(point)[0], bottom], [place(point)[0], bottom + 4], 'axis')),
		text([(left + right) / 2, height - 6], 'training examples', 'title middle'),
		verticalTitle((top + bottom) / 2, 'percent'),
		...levels.map(({name, style, value}, i) =>
			[
				`<g class="${style}">`,
				`<line x1="${coordinate(left)}" y1="${coordinate(y(100 * value))}" x2="${coordinate(right)}" y2="${coordinate(y(100 * value))}" class="level"><title>${name}: ${percent(value)}%</title></line>`,
				text([left + 4, nameYs[i]!], name, 'label halo'),
				'</g>',
			].join('\n'),
		),
		'<g class="trained">',
		polyline(points.map(place), 'curve'),
		...points.map(point => dot(place(point), 3, 'dot')),
		text([endX, nameY], 'trained', 'label halo end'),
		...points.map(point => spot(place(point), `${withCommas(point.examples)} examples: ${percent(point.value)}%`, '')),
		'</g>',
		'</svg>',
	].join('\n');
}

/** Returns the baseline of a label that is `gap` above a line or, if there is no space, below it. */
const aboveOrBelow = (lineY: number, gap: number): number => (lineY - gap >= top + 10 ? lineY - gap : lineY + gap + 10);

/** Distance within which a horizontal line would cross the name of the curve. */
const NAME_HEIGHT = 26;

/**
Returns the baseline of the curve's name, given the vertical coordinates of the last points: above the end of the curve,
or below it if a line or the curve itself is above and there is space.
*/
function curveNameY(lastYs: readonly number[], lines: readonly number[]): number {
	const end = lastYs.at(-1)!;
	const isFalling = lastYs[0]! < end - 6;
	const isBlocked = isFalling || lines.some(line => line <= end && line > end - NAME_HEIGHT);
	return isBlocked && end + 18 <= bottom - 4 ? end + 18 : aboveOrBelow(end, 9);
}

/** Minimum horizontal distance between the labels of two counts. */
const LABEL_DISTANCE = 44;

/** Returns the counts that get a label, with its horizontal coordinate: from the last one down, those with enough space. */
function labeledCounts(counts: readonly number[], x: (count: number) => number): ReadonlyArray<{count: number; at: number}> {
	const labeled: Array<{count: number; at: number}> = [];
	for (const count of counts.toReversed()) {
		const at = x(count);
		if (labeled.every(other => other.at - at >= LABEL_DISTANCE)) {
			labeled.push({count, at});
		}
	}
	return labeled;
}

/** Returns the description of a panel for screen readers. */
function described(points: CurvePanel['points'], levels: CurvePanel['levels']): string {
	return [
		...points.map(({examples, value}) => `${withCommas(examples)} examples: ${percent(value)} percent`),
		...levels.map(({name, value}) => `${name}: ${percent(value)} percent`),
	].join('; ');
}
