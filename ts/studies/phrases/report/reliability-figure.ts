/**
The panels of Figure 1 of Yang et al. (2023): accuracy by confidence, before calibration (at the temperature T = 1) and
after calibration (at a fitted T). MUF is the paper's model uncertainty fusion, and ECE the expected calibration error.
*/
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {type Point, coordinate, line, polyline, scale, spot, text} from '../../../drawing/svg.ts';
import {counted, percent} from '../../../drawing/format.ts';
import type {CalibratedFusion, Calibration} from '../study.ts';

const [width, height] = [300, 272];
const [left, right, top, bottom] = [40, width - 14, 12, height - 42];
/** The labeled values of both axes. */
const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1] as const;

/** Draws the panel of a model or of MUF, with one curve at T = 1 and one at the fitted common temperature. */
export function reliabilityPanel(name: string, {before, after}: CalibratedFusion, temperature: number): string {
	const id = `reliability-${name}`;
	const x = scale([0, 1], [left, right]);
	const y = scale([0, 1], [bottom, top]);
	const series = [
		{style: 'before', label: 'T = 1', calibration: before},
		{style: 'after', label: `T = ${Number(temperature.toPrecision(2))}`, calibration: after},
	];
	return [
		...drawingStart({
			id,
			width,
			height,
			title: `${name}: accuracy by confidence`,
			description: series.map(({label, calibration}) => `${label}: calibration error ${percent(calibration.absolute)} percent`).join('; '),
		}),
		...horizontalGrid({values: ticks, y, left, right, gap: 6}),
		...ticks.map(value => line([x(value), bottom], [x(value), bottom + 4], 'axis')),
		...ticks.map(value => text([x(value), bottom + 17], String(value), 'tick middle')),
		text([(left + right) / 2, height - 6], 'confidence', 'title middle'),
		verticalTitle((top + bottom) / 2, 'accuracy'),
		line([x(0), y(0)], [x(1), y(1)], 'ideal'),
		...series.map(({style, label, calibration}, i) => {
			const points = calibration.bins.map(({confidence, accuracy}): Point => [x(confidence), y(accuracy)]);
			return [
				`<g class="${style}">`,
				polyline(points, 'curve'),
				...points.map(
					([cx, cy], bin) =>
						`<circle cx="${coordinate(cx)}" cy="${coordinate(cy)}" r="${coordinate(radius(calibration, bin))}" class="bin"/>`,
				),
				...points.map((point, bin) => spot(point, tooltip(label, calibration, bin), '')),
				// The lower right corner, high confidence and low accuracy, has the most space.
				text([right - 6, bottom - 26 + 16 * i], `${label}: ECE ${percent(calibration.absolute)}%`, 'label halo end'),
				'</g>',
			].join('\n');
		}),
		'</svg>',
	].join('\n');
}

/**
Returns the radius of a bin's circle. Its area is proportional to the number of questions in the bin, except that very
small circles are enlarged to stay visible.
*/
function radius({bins}: Calibration, bin: number): number {
	const total = bins.reduce((sum, {count}) => sum + count, 0);
	return Math.max(1.6, 9 * Math.sqrt(bins[bin]!.count / total));
}

/** Returns the tooltip of a bin. */
function tooltip(label: string, {bins}: Calibration, bin: number): string {
	const {count, confidence, accuracy} = bins[bin]!;
	return `${label}: ${counted(count, 'question')}, confidence ${confidence.toFixed(2)}, accuracy ${percent(accuracy)}%`;
}
