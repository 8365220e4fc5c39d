/**
Figure 2 of Yang et al. (2023): accuracy of MUF (model uncertainty fusion) by T0, the initial temperature of the paper's
gradient descent. The figure is drawn twice, for wide and for narrow pages.
*/
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {type Drawing, type Point, coordinate, dot, line, polyline, scale, spot, text, ticks} from '../../../drawing/svg.ts';
import {percent} from '../../../drawing/format.ts';
import type {ProtocolStudy} from '../study.ts';

const margin = {left: 46, right: 16, top: 16, bottom: 44};

/** Draws the figure in one of its two sizes. The dashed line is the accuracy with the temperature found by search. */
export function temperatureFigure({curve, rows}: ProtocolStudy, {name, width, height}: Drawing): string {
	const searchAccuracy = rows.find(({condition}) => condition === 'mufSearch')!.values[0]!;
	const accuracies = [...curve.map(({accuracy}) => accuracy), searchAccuracy].map(share => 100 * share);
	const levels = ticks(Math.min(...accuracies), Math.max(...accuracies), 5);
	const [left, right] = [margin.left, width - margin.right];
	const [top, bottom] = [margin.top, height - margin.bottom];
	// The horizontal axis is logarithmic: initial temperatures from 0.001 to 10.
	const powers = [-3, -2, -1, 0, 1];
	const x = scale([-3, 1], [left, right]);
	const y = scale([levels[0]!, levels.at(-1)!], [bottom, top]);
	const pointOf = ({start, accuracy}: {start: number; accuracy: number}): Point => [x(Math.log10(start)), y(100 * accuracy)];
	const best = curve.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
	const searchY = y(100 * searchAccuracy);
	return [
		...drawingStart({
			id: name,
			width,
			height,
			style: name,
			title: 'Accuracy of MUF by the initial temperature of the descent',
			description: `Highest from T0 = ${shownTemperature(best.start)}: ${percent(best.accuracy)} percent; with the temperature found by search, ${percent(searchAccuracy)}. The table below has all values.`,
		}),
		...horizontalGrid({values: levels, y, left, right, gap: 7}),
		...powers.map(power => line([x(power), bottom], [x(power), bottom + 4], 'axis')),
		...powers.map(power => text([x(power), bottom + 18], shownTemperature(10 ** power), `tick ${power === 1 ? 'end' : 'middle'}`)),
		text([(left + right) / 2, height - 6], 'initial temperature (T0)', 'title middle'),
		verticalTitle((top + bottom) / 2, 'accuracy, percent'),
		'<g class="before">',
		`<line x1="${coordinate(left)}" y1="${coordinate(searchY)}" x2="${coordinate(right)}" y2="${coordinate(searchY)}" class="searched"/>`,
		// The label is above the line, or below it if there is no space above.
		text([left + 6, searchY > top + 18 ? searchY - 6 : searchY + 15], `by search: ${percent(searchAccuracy)}`, 'label halo'),
		'</g>',
		'<g class="after">',
		polyline(curve.map(pointOf), 'curve'),
		...curve.map(point => dot(pointOf(point), 2.4, 'dot')),
		...curve.map(point => spot(pointOf(point), `T0 = ${shownTemperature(point.start)}: ${percent(point.accuracy)}`, '')),
		'</g>',
		'</svg>',
	].join('\n');
}

const shownTemperature = (temperature: number): string => String(Number(temperature.toPrecision(3)));
