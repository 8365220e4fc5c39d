/** Figure 1: exact match by passages read, drawn for wide pages and for narrow ones. */
import {escaped} from '../report/html.ts';
import {type Drawing, type Point, apart, at, dot, line, polyline, scale, spot, text, ticks} from '../report/svg.ts';
import {grouped, percent} from '../report/words.ts';
import {retrieverNames} from './names.ts';
import type {ReadingStudy, Retrieved, Scoring} from './study.ts';

type Curve = ReadingStudy['curves'][number];

export const curveName = ({retriever, scoring}: {retriever: Retrieved; scoring: Scoring}): string =>
	`${retrieverNames[retriever]}-${scoring}`;

/** The class of a line, which has colour by retriever and dashes by scoring. */
const classOf = ({retriever, scoring}: Curve): string => `${retriever} ${scoring.toLowerCase().replace('*', '-fused')}`;

const margin = {left: 46, top: 14, bottom: 42, label: 96};
const labelHeight = 15;

export function figure1({ks, curves}: ReadingStudy, {name, width, height}: Drawing): string {
	const values = curves.flatMap(({exactMatch}) => exactMatch).map(share => 100 * share);
	const rows = ticks(Math.min(...values), Math.max(...values), 6);
	const columns = ticks(0, ks.at(-1)!, width < 500 ? 3 : 5).filter(value => value <= ks.at(-1)!);
	const [left, right] = [margin.left, width - margin.label];
	const [top, bottom] = [margin.top, height - margin.bottom];
	const x = scale([0, ks.at(-1)!], [left, right]);
	const y = scale([rows[0]!, rows.at(-1)!], [bottom, top]);
	const place = (curve: Curve, i: number): Point => [x(ks[i]!), y(100 * curve.exactMatch[i]!)];
	const last = ks.length - 1;
	// Better lines over others.
	const drawn = curves.toSorted((a, b) => a.exactMatch[last]! - b.exactMatch[last]!);
	const heights = apart(
		drawn.map(curve => place(curve, last)[1]),
		labelHeight,
		[top, bottom],
	);
	return [
		`<svg viewBox="0 0 ${width} ${height}" class="${name}" role="img" aria-labelledby="${name}-title ${name}-desc">`,
		`<title id="${name}-title">Exact match by passages read</title>`,
		`<desc id="${name}-desc">${escaped(described(ks, curves))}</desc>`,
		...rows.map(value => line([left, y(value)], [right, y(value)], value === rows[0] ? 'axis' : 'grid')),
		...rows.map(value => text([left - 7, y(value) + 4], String(value), 'tick end')),
		...columns.map(value => line([x(value), bottom], [x(value), bottom + 4], 'axis')),
		...columns.map(value => text([x(value), bottom + 18], grouped(value), 'tick middle')),
		text([(left + right) / 2, height - 6], 'passages read (k)', 'title middle'),
		`<text transform="translate(11 ${at((top + bottom) / 2)}) rotate(-90)" class="title middle">exact match, per cent</text>`,
		...drawn.map((curve, i) => {
			const end = place(curve, last);
			const most = curve.exactMatch.indexOf(Math.max(...curve.exactMatch));
			const style = classOf(curve);
			return [
				`<g class="${style}">`,
				polyline(
					ks.map((_, k) => place(curve, k)),
					'curve',
				),
				dot(place(curve, most), 3.2, 'most'),
				line([end[0] + 4, end[1]], [right + 13, heights[i]!], 'leader'),
				text([right + 16, heights[i]! + 4], curveName(curve), 'label'),
				'</g>',
			].join('\n');
		}),
		...drawn.map(
			curve =>
				`<g class="${classOf(curve)}">${ks.map((k, i) => spot(place(curve, i), `${curveName(curve)}, ${grouped(k)} read: ${percent(curve.exactMatch[i]!)}`, '')).join('')}</g>`,
		),
		'</svg>',
	].join('\n');
}

function described(ks: readonly number[], curves: readonly Curve[]): string {
	const peaks = curves.map(curve => {
		const most = Math.max(...curve.exactMatch);
		return `${curveName(curve)} ${percent(most)} at ${grouped(ks[curve.exactMatch.indexOf(most)]!)}`;
	});
	return `A line for each retriever and span scoring, from ${grouped(ks[0]!)} to ${grouped(ks.at(-1)!)} passages. Maxima: ${peaks.join('; ')}. The table below has all values.`;
}
