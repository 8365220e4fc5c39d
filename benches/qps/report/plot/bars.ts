// A bar of each entry, with least and most of the rounds.
import {scale, ticks} from '../../../../ts/drawing/svg.ts';
import type {Figure} from '../../statistics.ts';
import {
	type Drawn,
	type Entry,
	type Spot,
	type View,
	at,
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
	readonly ks: readonly string[];
	readonly unit: 'queries per second' | 'texts per second' | 'seconds';
	/** Which of the entries, where there are others in another drawing. */
	readonly about?: string;
	/** The longest bar first, or the shortest. */
	readonly best: 'most' | 'least';
	readonly entries: ReadonlyArray<Entry & {readonly of: Readonly<Record<string, Bar>>}>;
}

export interface Bar {
	readonly wall: Figure;
	readonly cpu: Figure;
	/** Beside the value. */
	readonly note?: Readonly<Record<'wall' | 'cpu', string>>;
	/** What else there is to say when it is pointed at. */
	readonly more?: readonly string[];
}

/** Below this width, in pixels, names stand above their bars. */
export const NARROW = 560;

/** One k, the best first, from 0. */
export function drawBars({entries, unit, best}: Bars, {k, by, hidden, width}: View): Drawn {
	const rows = entries
		.map((entry, index) => ({entry, index, bar: entry.of[k]}))
		.filter((row): row is typeof row & {bar: Bar} => row.bar !== undefined && !hidden.has(row.entry.name))
		.toSorted((a, b) => (best === 'most' ? b.bar[by].median - a.bar[by].median : a.bar[by].median - b.bar[by].median));
	const narrow = width < NARROW;
	const notes = rows.map(({bar}) => `${number(bar[by].median)} ${bar.note?.[by] ?? ''}`);
	const left = narrow ? 0 : Math.min(240, widthOf(rows.map(({entry}) => entry.name)) + 14);
	const right = width - widthOf(notes) - 26;
	const top = 4;
	const step = narrow ? 36 : 27;
	const bottom = top + rows.length * step + 2;
	const height = bottom + 24;
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
		const middle = top + i * step + (narrow ? 25 : step / 2);
		const half = narrow ? 7 : 8;
		const name = narrow
			? text([2, middle - 11], entry.name, nameStyle(entry))
			: text([left - 8, middle + 4], entry.name, `end ${nameStyle(entry)}`);
		const note = bar.note?.[by] ? `<tspan dx="7">${escaped(bar.note[by])}</tspan>` : '';
		const value = `<text x="${at(x(figure.most) + 8)}" y="${at(middle + 4)}"><tspan class="strong">${number(figure.median)}</tspan>${note}</text>`;
		const inside = [
			`<rect x="${at(left)}" y="${at(middle - half)}" width="${at(Math.max(1, x(figure.median) - left))}" height="${2 * half}" rx="1.5" class="bar"/>`,
			whisker([x(figure.least), middle], x(figure.most), 4),
			name,
			value,
		];
		parts.push(group(entry, index, inside));
		const lines = [`${number(figure.median)} ${unit}, ${by} (${range(figure)})`, ...(bar.more ?? [])];
		spots.push({x: x(figure.median), y: middle, entry: index, name: entry.name, lines});
	}
	return {width, height, inside: parts.join('\n'), spots};
}

const nameStyle = ({look}: Entry): string => (look.ours ? 'strong' : 'name');
