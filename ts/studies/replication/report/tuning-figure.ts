/** The panels of the tuning figure: one for each hybrid, with its accuracy on development questions by weight. */
import {drawingStart, horizontalGrid} from '../../../drawing/axes.ts';
import {type Point, coordinate, dot, line, polyline, scale, spot, text, ticks} from '../../../drawing/svg.ts';
import {percent, plainLabel} from '../../../drawing/format.ts';
import {type TuningCurve, shownWeight} from './tuning.ts';
import {conditionLabels} from '../labels.ts';

const [width, height] = [340, 200];
const [left, right, top, bottom] = [40, width - 12, 26, height - 40];

/**
Draws the panel of a hybrid. `range` has the lowest and the highest accuracy of all hybrids, so that all panels have the
same vertical axis. `tunedFor` is the k of the top-k accuracy.
*/
export function tuningPanel(curve: TuningCurve, range: readonly [number, number], tunedFor: number): string {
	const {condition, symbol, points, best} = curve;
	const weights = points.map(({weight}) => weight);
	const rows = ticks(100 * range[0], 100 * range[1], 4);
	const columns = ticks(Math.min(...weights), Math.max(...weights), 4).filter(
		value => value >= Math.min(...weights) && value <= Math.max(...weights),
	);
	const x = scale([Math.min(...weights), Math.max(...weights)], [left, right]);
	const y = scale([rows[0]!, rows.at(-1)!], [bottom, top]);
	const place = ({weight, accuracy}: {weight: number; accuracy: number}): Point => [x(weight), y(100 * accuracy)];
	const [bestX, bestY] = place(best);
	const labelOf = ({weight, accuracy}: {weight: number; accuracy: number}): string =>
		`${symbol} = ${shownWeight(weight)}: ${percent(accuracy)}`;
	const label = labelOf(best);
	// The label is centered above the point, but stays inside the panel. 3.4 is half the mean width of a character.
	const halfWidth = 3.4 * label.length;
	const labelX = Math.min(right - halfWidth, Math.max(left + halfWidth, bestX));
	return [
		...drawingStart({
			id: `tuning-${condition}`,
			width,
			height,
			title: `${plainLabel(conditionLabels[condition])}: accuracy by weight`,
			description: `Top-${tunedFor} accuracy on development questions by ${symbol}; the chosen weight is ${shownWeight(best.weight)}, with ${percent(best.accuracy)} percent.`,
		}),
		...horizontalGrid({values: rows, y, left, right, gap: 7}),
		...columns.map(value => line([x(value), bottom], [x(value), bottom + 4], 'axis')),
		...columns.map(value => text([x(value), bottom + 18], String(value), 'tick middle')),
		text([(left + right) / 2, height - 5], symbol, 'title middle'),
		// The class `gar-fused` stands for a solid line.
		'<g class="hybrid gar-fused">',
		polyline(points.map(place), 'curve'),
		`<line x1="${coordinate(bestX)}" y1="${coordinate(bestY)}" x2="${coordinate(bestX)}" y2="${coordinate(bottom)}" class="leader"/>`,
		dot([bestX, bestY], 3.6, 'dot'),
		text([labelX, bestY - 9], label, 'label middle'),
		...points.map(point => spot(place(point), labelOf(point), '')),
		'</g>',
		'</svg>',
	].join('\n');
}
