// Latencies of single queries: a row of each entry, a mark of each percentile.
import type {Percentile} from '../../latencies.ts';
import type {Figure} from '../../statistics.ts';
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

export interface Ladder {
	readonly kind: 'ladder';
	readonly ks: readonly string[];
	/** Of each k, the recall at which searches are not exact. */
	readonly recalls?: Readonly<Record<string, number>>;
	/** Of each k, µs of wall time of each percentile that there is, ascending. */
	readonly entries: ReadonlyArray<Entry & {readonly of: Readonly<Record<string, ReadonlyArray<readonly [Percentile, Figure]>>>}>;
}

/** The half of the queries that are faster are below a full circle, … */
const RUNGS = {
	p50: {label: 'p50', kind: 'circle', style: 'mark'},
	p90: {label: 'p90', kind: 'circle', style: 'mark open'},
	p95: {label: 'p95', kind: 'triangle', style: 'mark open'},
	p99: {label: 'p99', kind: 'diamond', style: 'mark'},
	p999: {label: 'p99.9', kind: 'diamond', style: 'mark open'},
} as const satisfies Readonly<Record<Percentile, {label: string; kind: Mark; style: string}>>;

export const labelOf = (percentile: Percentile): string => RUNGS[percentile].label;

/** One k, the entry of the least median first, on a logarithmic axis. */
export function drawLadder({entries}: Ladder, {k, hidden, width}: View): Drawn {
	const rows = entries
		.map((entry, index) => ({entry, index, rungs: entry.of[k] ?? []}))
		.filter(({entry, rungs}) => rungs.length > 0 && !hidden.has(entry.name))
		.toSorted((a, b) => a.rungs[0]![1].median - b.rungs[0]![1].median);
	const narrow = width < NARROW;
	const left = narrow ? 6 : Math.min(240, widthOf(rows.map(({entry}) => entry.name)) + 20);
	const right = width - 12;
	const top = 28;
	const step = narrow ? 36 : 27;
	const bottom = top + rows.length * step + 2;
	const height = bottom + 24;
	if (rows.length === 0) {
		return {width, height, inside: '', spots: []};
	}
	const values = rows.flatMap(({rungs}) => rungs.flatMap(([, {least, most}]) => [least, most]));
	const [low, high] = [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
	const x = logScale([low, high], [left, right]);
	const parts = [
		legend(
			rows[0]!.rungs.map(([percentile]) => percentile),
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
	for (const [i, {entry, index, rungs}] of rows.entries()) {
		const middle = top + i * step + (narrow ? 24 : step / 2);
		const style = entry.look.ours ? 'strong' : 'name';
		const name = narrow ? text([2, middle - 10], entry.name, style) : text([left - 14, middle + 4], entry.name, `end ${style}`);
		const from = x(rungs[0]![1].median);
		const to = x(rungs.at(-1)![1].median);
		const inside = [
			name,
			`<line x1="${from.toFixed(1)}" y1="${middle}" x2="${to.toFixed(1)}" y2="${middle}" class="curve"/>`,
			...rungs.map(([percentile, {median}]) => mark(RUNGS[percentile].kind, [x(median), middle], 4.4, RUNGS[percentile].style)),
		];
		parts.push(group(entry, index, inside));
		const lines = rungs.map(([percentile, figure]) => `${labelOf(percentile)} ${number(figure.median)} µs (${range(figure)})`);
		for (const [, {median}] of rungs) {
			spots.push({x: x(median), y: middle, entry: index, name: entry.name, lines});
		}
	}
	return {width, height, inside: parts.join('\n'), spots};
}

/** What marks mean. */
function legend(percentiles: readonly Percentile[], left: number, y: number): string {
	const parts = percentiles.map((percentile, i) => {
		const x = left + i * 56 + 6;
		return `${mark(RUNGS[percentile].kind, [x, y - 4], 4.4, RUNGS[percentile].style)}${text([x + 9, y], labelOf(percentile), '')}`;
	});
	return `<g class="limit">${parts.join('')}</g>`;
}

const time = (micros: number): string =>
	micros >= 1e6 ? `${tick(micros / 1e6)} s` : micros >= 1000 ? `${tick(micros / 1000)} ms` : `${tick(micros)} µs`;
