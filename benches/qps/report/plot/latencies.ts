// A chart of the latencies of single queries: a row per entry with a marker per percentile, on a logarithmic axis. All
// lengths are in pixels.
import type {Percentile} from '../../statistics/latencies.ts';
import type {Figure} from '../../statistics/statistics.ts';
import {NARROW} from './bars.ts';
import type {Mark} from './colors.ts';
import {
	type Drawn,
	type Entry,
	type Spot,
	type View,
	group,
	line,
	logScale,
	logTicks,
	mark,
	number,
	range,
	text,
	tick,
	widthOf,
} from './pieces.ts';

/** Latencies in µs of wall time, from the lowest percentile to the highest. Some percentiles may be missing. */
export type PercentileFigures = ReadonlyArray<readonly [Percentile, Figure]>;

export interface LatencyChart {
	readonly kind: 'latencies';
	readonly ks: readonly string[];
	/** For each k, the recall at which latencies are shown. Missing for exact search and for BM25. */
	readonly recalls?: Readonly<Record<string, number>>;
	/** The entries, with percentiles for each k. */
	readonly entries: ReadonlyArray<Entry & {readonly percentiles: Readonly<Record<string, PercentileFigures>>}>;
}

/** The label and the marker of each percentile. */
const MARKERS = {
	p50: {label: 'p50', kind: 'circle', style: 'mark'},
	p90: {label: 'p90', kind: 'circle', style: 'mark open'},
	p95: {label: 'p95', kind: 'triangle', style: 'mark open'},
	p99: {label: 'p99', kind: 'diamond', style: 'mark'},
	p999: {label: 'p99.9', kind: 'diamond', style: 'mark open'},
} as const satisfies Readonly<Record<Percentile, {label: string; kind: Mark; style: string}>>;

export const labelOf = (percentile: Percentile): string => MARKERS[percentile].label;

/** Draws the latencies of one k. The entry with the lowest p50 is at the top. */
export function drawLatencies({entries}: LatencyChart, {k, hidden, width}: View): Drawn {
	const rows = entries
		.map((entry, index) => ({entry, index, percentiles: entry.percentiles[k] ?? []}))
		.filter(({entry, percentiles}) => percentiles.length > 0 && !hidden.has(entry.name))
		.toSorted((a, b) => a.percentiles[0]![1].median - b.percentiles[0]![1].median);
	const narrow = width < NARROW;
	const left = narrow ? 6 : Math.min(240, widthOf(rows.map(({entry}) => entry.name)) + 20);
	const right = width - 12;
	const top = 28;
	const rowHeight = narrow ? 36 : 27;
	const bottom = top + rows.length * rowHeight + 2;
	const height = bottom + 24;
	if (rows.length === 0) {
		return {width, height, inside: '', spots: []};
	}
	const values = rows.flatMap(({percentiles}) => percentiles.flatMap(([, {least, most}]) => [least, most]));
	const [low, high] = [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
	const x = logScale([low, high], [left, right]);
	const parts = [
		legend(
			rows[0]!.percentiles.map(([percentile]) => percentile),
			left,
			12,
		),
	];
	for (const value of logTicks(low, high, narrow ? 5 : 9)) {
		parts.push(
			line([x(value), top - 4], [x(value), bottom], 'grid'),
			text([x(value), bottom + 16], time(value), x(value) < 24 ? '' : 'middle'),
		);
	}
	const spots: Spot[] = [];
	for (const [i, {entry, index, percentiles}] of rows.entries()) {
		const middle = top + i * rowHeight + (narrow ? 24 : rowHeight / 2);
		const style = entry.look.ours ? 'strong' : 'name';
		const name = narrow ? text([2, middle - 10], entry.name, style) : text([left - 14, middle + 4], entry.name, `end ${style}`);
		const from = x(percentiles[0]![1].median);
		const to = x(percentiles.at(-1)![1].median);
		const inside = [
			name,
			`<line x1="${from.toFixed(1)}" y1="${middle}" x2="${to.toFixed(1)}" y2="${middle}" class="curve"/>`,
			...percentiles.map(([percentile, {median}]) => mark(MARKERS[percentile].kind, [x(median), middle], 4.4, MARKERS[percentile].style)),
		];
		parts.push(group(entry, index, inside));
		const lines = percentiles.map(([percentile, figure]) => `${labelOf(percentile)} ${number(figure.median)} µs (${range(figure)})`);
		for (const [, {median}] of percentiles) {
			spots.push({x: x(median), y: middle, entry: index, name: entry.name, lines});
		}
	}
	return {width, height, inside: parts.join('\n'), spots};
}

/** Draws the legend: one row of markers, each followed by its label. */
function legend(percentiles: readonly Percentile[], left: number, y: number): string {
	const parts = percentiles.map((percentile, i) => {
		const x = left + i * 56 + 6;
		return `${mark(MARKERS[percentile].kind, [x, y - 4], 4.4, MARKERS[percentile].style)}${text([x + 9, y], labelOf(percentile), '')}`;
	});
	// The class `limit` makes the markers gray.
	return `<g class="limit">${parts.join('')}</g>`;
}

/** Formats a latency for the axis. */
const time = (micros: number): string =>
	micros >= 1e6 ? `${tick(micros / 1e6)} s` : micros >= 1000 ? `${tick(micros / 1000)} ms` : `${tick(micros)} µs`;
