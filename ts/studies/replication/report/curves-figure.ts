/**
Two figures of the replication study: exact match by number of passages read, and top-k accuracy by k. Each is drawn
twice, for wide and for narrow pages. The label of a curve is to the right of its end, and a dot marks its maximum.
*/
import {drawingStart, horizontalGrid, verticalTitle} from '../../../drawing/axes.ts';
import {type Drawing, type Point, apart, dot, line, polyline, scale, spot, text, ticks} from '../../../drawing/svg.ts';
import {withCommas, percent} from '../../../drawing/format.ts';
import {labelOf, readingCondition} from '../labels.ts';
import type {ReadingStudy, RetrievalCondition, RetrievalStudy} from '../study.ts';

/** A curve of a figure. */
export interface Curve {
	readonly label: string;
	/**
	CSS classes, defined in `drawing/page-style.ts`: one for the color of the retriever and one for the dashes of the
	scoring or hybrid.
	*/
	readonly style: string;
	/** A share, from 0 to 1, for each k. */
	readonly values: readonly number[];
}

/** The content of a figure, which can be drawn in several sizes. */
export interface CurvesFigure {
	/** Prefix of the ids in its drawings. */
	readonly id: string;
	readonly title: string;
	/** Title of the horizontal axis. */
	readonly x: string;
	/** Title of the vertical axis. */
	readonly y: string;
	readonly ks: readonly number[];
	readonly curves: readonly Curve[];
}

/** Figure 1 of Ma et al. (2021). */
export const exactMatchFigure = ({ks, curves}: ReadingStudy): CurvesFigure => ({
	id: 'read',
	title: 'Exact match by passages read',
	x: 'passages read (k)',
	y: 'exact match, percent',
	ks,
	curves: curves.map(({retriever, scoring, exactMatch}) => ({
		label: labelOf(readingCondition(retriever, scoring)),
		style: `${retriever} ${scoring.toLowerCase().replace('*', '-fused')}`,
		values: exactMatch,
	})),
});

/** The value of `Curve.style` for each condition. Here `repl` and `repl-fused` only select the dashes. */
const retrievalStyles: Readonly<Record<RetrievalCondition, string>> = {
	dense: 'dense',
	bm25: 'bm25',
	dprHybrid: 'hybrid repl',
	hybridNorm: 'hybrid repl-fused',
	hybrid: 'hybrid',
};

/** Accuracy by k, as in Figure 1 of Karpukhin et al. (2020). */
export const accuracyFigure = ({curves: {ks, lines}}: RetrievalStudy): CurvesFigure => ({
	id: 'accuracy',
	title: 'Top-k accuracy by k',
	x: 'retrieved passages (k)',
	y: 'accuracy, percent',
	ks,
	curves: lines.map(({condition, accuracy}) => ({
		label: labelOf(condition),
		style: retrievalStyles[condition],
		values: accuracy,
	})),
});

/** Draws a figure in two sizes. A page shows the one that fits its width. */
export const drawings = (figure: CurvesFigure): readonly string[] => [
	drawing(figure, {name: 'wide', width: 760, height: 440}),
	drawing(figure, {name: 'narrow', width: 360, height: 440}),
];

const margin = {left: 46, top: 14, bottom: 42, label: 96};
const labelHeight = 15;

function drawing({id, title, x: xTitle, y: yTitle, ks, curves}: CurvesFigure, {name, width, height}: Drawing): string {
	const values = curves.flatMap(({values}) => values).map(share => 100 * share);
	const rows = ticks(Math.min(...values), Math.max(...values), 6);
	const columns = ticks(0, ks.at(-1)!, width < 500 ? 3 : 5).filter(value => value <= ks.at(-1)!);
	const [left, right] = [margin.left, width - margin.label];
	const [top, bottom] = [margin.top, height - margin.bottom];
	const x = scale([0, ks.at(-1)!], [left, right]);
	const y = scale([rows[0]!, rows.at(-1)!], [bottom, top]);
	const place = (curve: Curve, i: number): Point => [x(ks[i]!), y(100 * curve.values[i]!)];
	const last = ks.length - 1;
	// Curves that end lower are drawn first, so that better curves cover worse ones.
	const ordered = curves.toSorted((a, b) => a.values[last]! - b.values[last]!);
	const labelYs = apart(
		ordered.map(curve => place(curve, last)[1]),
		labelHeight,
		[top, bottom],
	);
	return [
		...drawingStart({id: `${id}-${name}`, width, height, style: name, title, description: descriptionOf(ks, curves)}),
		...horizontalGrid({values: rows, y, left, right, gap: 7}),
		...columns.map(value => line([x(value), bottom], [x(value), bottom + 4], 'axis')),
		...columns.map(value => text([x(value), bottom + 18], withCommas(value), 'tick middle')),
		text([(left + right) / 2, height - 6], xTitle, 'title middle'),
		verticalTitle((top + bottom) / 2, yTitle),
		...ordered.map((curve, i) => {
			const end = place(curve, last);
			const peak = curve.values.indexOf(Math.max(...curve.values));
			return [
				`<g class="${curve.style}">`,
				polyline(
					ks.map((_, k) => place(curve, k)),
					'curve',
				),
				dot(place(curve, peak), 3.2, 'dot'),
				line([end[0] + 4, end[1]], [right + 13, labelYs[i]!], 'leader'),
				text([right + 16, labelYs[i]! + 4], curve.label, 'label'),
				'</g>',
			].join('\n');
		}),
		...ordered.map(
			curve =>
				`<g class="${curve.style}">${ks.map((k, i) => spot(place(curve, i), `${curve.label}, k = ${withCommas(k)}: ${percent(curve.values[i]!)}`, '')).join('')}</g>`,
		),
		'</svg>',
	].join('\n');
}

/** Returns the description of a figure for screen readers. */
function descriptionOf(ks: readonly number[], curves: readonly Curve[]): string {
	const peaks = curves.map(({label, values}) => {
		const highest = Math.max(...values);
		return `${label} ${percent(highest)} at ${withCommas(ks[values.indexOf(highest)]!)}`;
	});
	return `${curves.length} lines, from ${withCommas(ks[0]!)} to ${withCommas(ks.at(-1)!)} passages. Maxima: ${peaks.join('; ')}. The table below has the values.`;
}
