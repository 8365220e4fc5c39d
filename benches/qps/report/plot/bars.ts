// A bar chart: each entry (a system and the way in which it is called) has a horizontal bar. The bar ends at the median
// over the rounds, and a whisker goes from the minimum to the maximum. All lengths are in pixels.
import {scale, ticks} from '../../../../ts/drawing/svg.ts';
import type {Figure} from '../../statistics/statistics.ts';
import {
	type Drawn,
	type Entry,
	type Spot,
	type View,
	coordinate,
	escaped,
	group,
	line,
	number,
	range,
	text,
	tick,
	whisker,
	widthOf,
} from './pieces.ts';

export interface Bars {
	readonly kind: 'bars';
	/** The values of k; for encoding, the tasks instead. Build times depend on neither, so their only value is `''`. */
	readonly ks: readonly string[];
	readonly unit: 'queries per second' | 'texts per second' | 'seconds';
	/** Part of the title if other entries are in another chart: what these entries have in common, such as `one query at a time`. */
	readonly about?: string;
	/** Which value is the best. The best entry is drawn at the top. */
	readonly best: 'highest' | 'lowest';
	/** The entries, each with its bars by k. */
	readonly entries: ReadonlyArray<Entry & {readonly bars: Readonly<Record<string, Bar>>}>;
}

/** The speed or the build time of an entry at one k, by wall time and by CPU time. */
export interface Bar {
	readonly wall: Figure;
	readonly cpu: Figure;
	/** Text after the value, for each clock. */
	readonly note?: Readonly<Record<'wall' | 'cpu', string>>;
	/** Further lines of the tooltip. */
	readonly details?: readonly string[];
}

/** In a chart narrower than this, in pixels, the names of entries are above their bars or markers instead of to the left. */
export const NARROW = 560;

/** Draws the bars of one k. The axis starts at 0. */
export function drawBars({entries, unit, best}: Bars, {k, by, hidden, width}: View): Drawn {
	const rows = entries
		.map((entry, index) => ({entry, index, bar: entry.bars[k]}))
		.filter((row): row is typeof row & {bar: Bar} => row.bar !== undefined && !hidden.has(row.entry.name))
		.toSorted((a, b) => (best === 'highest' ? b.bar[by].median - a.bar[by].median : a.bar[by].median - b.bar[by].median));
	const narrow = width < NARROW;
	const notes = rows.map(({bar}) => `${number(bar[by].median)} ${bar.note?.[by] ?? ''}`);
	const left = narrow ? 0 : Math.min(240, widthOf(rows.map(({entry}) => entry.name)) + 14);
	const right = width - widthOf(notes) - 26;
	const top = 4;
	const rowHeight = narrow ? 36 : 27;
	const bottom = top + rows.length * rowHeight + 2;
	const height = bottom + 24;
	// Above 0, so that the scale is defined even without rows.
	const high = Math.max(...rows.map(({bar}) => bar[by].most), Number.MIN_VALUE);
	const x = scale([0, high], [left, right]);
	const parts: string[] = [];
	for (const value of ticks(0, high, narrow ? 3 : 5).filter(value => value <= high)) {
		parts.push(line([x(value), top - 2], [x(value), bottom], value === 0 ? 'axis' : 'grid'));
		parts.push(text([x(value), bottom + 16], tick(value), value === 0 && narrow ? '' : 'middle'));
	}
	const spots: Spot[] = [];
	for (const [i, {entry, index, bar}] of rows.entries()) {
		const figure = bar[by];
		const middle = top + i * rowHeight + (narrow ? 25 : rowHeight / 2);
		const halfBar = narrow ? 7 : 8;
		const name = narrow
			? text([2, middle - 11], entry.name, nameStyle(entry))
			: text([left - 8, middle + 4], entry.name, `end ${nameStyle(entry)}`);
		const note = bar.note?.[by] ? `<tspan dx="7">${escaped(bar.note[by])}</tspan>` : '';
		const value = `<text x="${coordinate(x(figure.most) + 8)}" y="${coordinate(middle + 4)}"><tspan class="strong">${number(figure.median)}</tspan>${note}</text>`;
		const inside = [
			`<rect x="${coordinate(left)}" y="${coordinate(middle - halfBar)}" width="${coordinate(Math.max(1, x(figure.median) - left))}" height="${2 * halfBar}" rx="1.5" class="bar"/>`,
			whisker([x(figure.least), middle], x(figure.most), 4),
			name,
			value,
		];
		parts.push(group(entry, index, inside));
		const lines = [`${number(figure.median)} ${unit}, ${by} (${range(figure)})`, ...(bar.details ?? [])];
		spots.push({x: x(figure.median), y: middle, entry: index, name: entry.name, lines});
	}
	return {width, height, inside: parts.join('\n'), spots};
}

const nameStyle = ({look}: Entry): string => (look.ours ? 'strong' : 'name');
