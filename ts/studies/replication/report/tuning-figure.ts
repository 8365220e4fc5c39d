/** The tuning figure: a panel for each hybrid, with its accuracy on development questions by its weight. */
import {drawingStart, horizontalGrid} from '../../../drawing/axes.ts';
import {type Point, at, dot, line, polyline, scale, spot, text, ticks} from '../../../drawing/svg.ts';
import {percent, plain} from '../../../drawing/format.ts';
import {type TuningCurve, shownWeight} from './tuning.ts';
import {conditionLabels} from '../labels.ts';

const [width, height] = [340, 200];
const [left, right, top, bottom] = [40, width - 12, 26, height - 40];

/** `range`: the lowest and the highest accuracy of all hybrids, so that their panels can be compared. */
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
	const label = `${symbol} = ${shownWeight(best.weight)}: ${percent(best.accuracy)}`;
	// The label is above the point and inside the panel.
	const half = 3.4 * label.length;
	const labelX = Math.min(right - half, Math.max(left + half, bestX));
	const words = (weight: number, accuracy: number): string => `${symbol} = ${shownWeight(weight)}: ${percent(accuracy)}`;
	return [
		...drawingStart({
			id: `tuning-${condition}`,
			width,
			height,
			title: `${plain(conditionLabels[condition])}: accuracy by weight`,
			description: `Top-${tunedFor} accuracy on development questions by ${symbol}; the weight chosen is ${shownWeight(best.weight)}, with ${percent(best.accuracy)} per cent.`,
		}),
		...horizontalGrid({values: rows, y, left, right, gap: 7}),
		...columns.map(value => line([x(value), bottom], [x(value), bottom + 4], 'axis')),
		...columns.map(value => text([x(value), bottom + 18], String(value), 'tick middle')),
		text([(left + right) / 2, height - 5], symbol, 'title middle'),
		'<g class="hybrid gar-fused">',
		polyline(points.map(place), 'curve'),
		`<line x1="${at(bestX)}" y1="${at(bestY)}" x2="${at(bestX)}" y2="${at(bottom)}" class="leader"/>`,
		dot([bestX, bestY], 3.6, 'most'),
		text([labelX, bestY - 9], label, 'label middle'),
		...points.map(point => spot(place(point), words(point.weight, point.accuracy), '')),
		'</g>',
		'</svg>',
	].join('\n');
}
