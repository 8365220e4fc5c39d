/** Figure 2: accuracy of MUF by the temperature from which the paper's descent starts. It is drawn twice, for wide and for narrow pages. */
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {type Drawing, type Point, at, dot, line, polyline, scale, spot, text, ticks} from '../../../drawing/svg.ts';
import {percent} from '../../../drawing/format.ts';
import type {ProtocolStudy} from '../study.ts';

const margin = {left: 46, right: 16, top: 16, bottom: 44};

export function temperatureFigure({curve, rows}: ProtocolStudy, {name, width, height}: Drawing): string {
	const searched = rows.find(({condition}) => condition === 'mufSearch')!.values[0]!;
	const all = [...curve.map(({accuracy}) => accuracy), searched].map(share => 100 * share);
	const levels = ticks(Math.min(...all), Math.max(...all), 5);
	const [left, right] = [margin.left, width - margin.right];
	const [top, bottom] = [margin.top, height - margin.bottom];
	const powers = [-3, -2, -1, 0, 1];
	const x = scale([-3, 1], [left, right]);
	const y = scale([levels[0]!, levels.at(-1)!], [bottom, top]);
	const place = ({start, accuracy}: {start: number; accuracy: number}): Point => [x(Math.log10(start)), y(100 * accuracy)];
	const best = curve.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
	const level = y(100 * searched);
	return [
		...drawingStart({
			id: name,
			width,
			height,
			style: name,
			title: 'Accuracy of MUF by the initial temperature of the descent',
			description: `Highest from T0 = ${shown(best.start)}: ${percent(best.accuracy)} per cent; with the temperature by search, ${percent(searched)}. The table below has all values.`,
		}),
		...horizontalGrid({values: levels, y, left, right, gap: 7}),
		...powers.map(power => line([x(power), bottom], [x(power), bottom + 4], 'axis')),
		...powers.map(power => text([x(power), bottom + 18], shown(10 ** power), `tick ${power === 1 ? 'end' : 'middle'}`)),
		text([(left + right) / 2, height - 6], 'initial temperature (T0)', 'title middle'),
		verticalTitle((top + bottom) / 2, 'accuracy, per cent'),
		'<g class="before">',
		`<line x1="${at(left)}" y1="${at(level)}" x2="${at(right)}" y2="${at(level)}" class="searched"/>`,
		text([left + 6, level > top + 18 ? level - 6 : level + 15], `by search: ${percent(searched)}`, 'label halo'),
		'</g>',
		'<g class="after">',
		polyline(curve.map(place), 'curve'),
		...curve.map(point => dot(place(point), 2.4, 'most')),
		...curve.map(point => spot(place(point), `T0 = ${shown(point.start)}: ${percent(point.accuracy)}`, '')),
		'</g>',
		'</svg>',
	].join('\n');
}

const shown = (temperature: number): string => String(Number(temperature.toPrecision(3)));
