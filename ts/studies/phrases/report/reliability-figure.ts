/** Panels of Figure 1: accuracy by confidence, before and after calibration. */
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {type Point, at, line, polyline, scale, spot, text} from '../../../drawing/svg.ts';
import {grouped, percent} from '../../../drawing/format.ts';
import type {CalibratedFusion, Calibration} from '../study.ts';

const [width, height] = [300, 272];
const [left, right, top, bottom] = [40, width - 14, 12, height - 42];
const values = [0, 0.2, 0.4, 0.6, 0.8, 1] as const;

/** The panel of a model, or of MUF: at T = 1, and at the one fitted temperature. */
export function reliabilityPanel(name: string, {before, after}: CalibratedFusion, temperature: number): string {
	const id = `reliability-${name}`;
	const x = scale([0, 1], [left, right]);
	const y = scale([0, 1], [bottom, top]);
	const series = [
		{style: 'before', words: 'T = 1', of: before},
		{style: 'after', words: `T = ${Number(temperature.toPrecision(2))}`, of: after},
	];
	return [
		...drawingStart({
			id,
			width,
			height,
			title: `${name}: accuracy by confidence`,
			description: series.map(({words, of}) => `${words}: calibration error ${percent(of.absolute)} per cent`).join('; '),
		}),
		...horizontalGrid({values, y, left, right, gap: 6}),
		...values.map(value => line([x(value), bottom], [x(value), bottom + 4], 'axis')),
		...values.map(value => text([x(value), bottom + 17], String(value), 'tick middle')),
		text([(left + right) / 2, height - 6], 'confidence', 'title middle'),
		verticalTitle((top + bottom) / 2, 'accuracy'),
		line([x(0), y(0)], [x(1), y(1)], 'ideal'),
		...series.map(({style, words, of}, i) => {
			const places = of.bins.map(({confidence, accuracy}): Point => [x(confidence), y(accuracy)]);
			return [
				`<g class="${style}">`,
				polyline(places, 'curve'),
				...places.map(([cx, cy], bin) => `<circle cx="${at(cx)}" cy="${at(cy)}" r="${at(radius(of, bin))}" class="bin"/>`),
				...places.map((place, bin) => spot(place, described(words, of, bin), '')),
				// The lower right corner, high confidence and low accuracy, has the most space.
				text([right - 6, bottom - 26 + 16 * i], `${words}: ECE ${percent(of.absolute)} %`, 'label halo end'),
				'</g>',
			].join('\n');
		}),
		'</svg>',
	].join('\n');
}

/** The area of a circle is proportional to the number of questions in its bin. */
function radius({bins}: Calibration, bin: number): number {
	const all = bins.reduce((sum, {count}) => sum + count, 0);
	return Math.max(1.6, 9 * Math.sqrt(bins[bin]!.count / all));
}

function described(words: string, {bins}: Calibration, bin: number): string {
	const {count, confidence, accuracy} = bins[bin]!;
	return `${words}: ${grouped(count)} ${count === 1 ? 'question' : 'questions'}, confidence ${confidence.toFixed(2)}, right ${percent(accuracy)} %`;
}
