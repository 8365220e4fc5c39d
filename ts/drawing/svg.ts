/**
Parts of SVG drawings: scales, round values for axes, positions of labels that must not overlap, and elements. All
coordinates are in the units of the drawing, with y increasing downward.
*/
import {escaped} from './html.ts';

/** The name and the size of a drawing. */
export interface Drawing {
	/** CSS class of the drawing, and part of the ids of its elements. */
	readonly name: string;
	readonly width: number;
	readonly height: number;
}

/** Returns a linear function that maps values from `[low, high]` to coordinates in `[from, to]`. */
export function scale([low, high]: readonly [number, number], [from, to]: readonly [number, number]): (value: number) => number {
	return value => (high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from));
}

/**
Returns about `count` values for an axis, from at most `low` to at least `high`. The distance between neighboring values
is 1, 2 or 5 times a power of ten.
*/
export function ticks(low: number, high: number, count: number): readonly number[] {
	const exactStep = (high - low || Math.abs(high) || 1) / count;
	const power = 10 ** Math.floor(Math.log10(exactStep));
	// The factor 0.999 and the constants 1e-9 allow for rounding errors.
	const step = power * ([1, 2, 5].find(times => times * power >= exactStep * 0.999) ?? 10);
	const first = Math.floor(low / step + 1e-9);
	const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
	return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
Returns the coordinates of labels, moved apart so that they differ by at least `gap` and lie within `[top, bottom]`. If
there is not enough space, labels go beyond `bottom`. Labels keep the order of their `wanted` coordinates, and the sum
of squared distances from these is minimal: this is isotonic regression by pooling adjacent violators, applied to the
coordinates minus `rank · gap`.
*/
export function apart(wanted: readonly number[], gap: number, [top, bottom]: readonly [number, number]): readonly number[] {
	const order = wanted.map((_, i) => i).sort((a, b) => wanted[a]! - wanted[b]! || a - b);
	const pools: Array<{sum: number; count: number}> = [];
	for (const [rank, i] of order.entries()) {
		pools.push({sum: wanted[i]! - rank * gap, count: 1});
		while (pools.length > 1 && mean(pools.at(-2)!) > mean(pools.at(-1)!)) {
			const {sum, count} = pools.pop()!;
			pools.at(-1)!.sum += sum;
			pools.at(-1)!.count += count;
		}
	}
	const maxBase = Math.max(top, bottom - (wanted.length - 1) * gap);
	const bases = pools.flatMap(pool => Array.from({length: pool.count}, () => Math.min(maxBase, Math.max(top, mean(pool)))));
	const places = Array.from({length: wanted.length}, () => 0);
	for (const [rank, i] of order.entries()) {
		places[i] = bases[rank]! + rank * gap;
	}
	return places;
}

const mean = ({sum, count}: {sum: number; count: number}): number => sum / count;

/** Formats a coordinate, rounded to a tenth. */
export const coordinate = (value: number): string => String(Math.round(value * 10) / 10);

/** Returns a `line` element. `className` is its CSS class, here and in the functions below. */
export function line([x1, y1]: Point, [x2, y2]: Point, className: string): string {
	return `<line x1="${coordinate(x1)}" y1="${coordinate(y1)}" x2="${coordinate(x2)}" y2="${coordinate(y2)}" class="${className}"/>`;
}

export function text([x, y]: Point, words: string, className: string): string {
	return `<text x="${coordinate(x)}" y="${coordinate(y)}" class="${className}">${escaped(words)}</text>`;
}

export function polyline(points: readonly Point[], className: string): string {
	return `<polyline points="${points.map(([x, y]) => `${coordinate(x)},${coordinate(y)}`).join(' ')}" class="${className}"/>`;
}

export function dot([x, y]: Point, radius: number, className: string): string {
	return `<circle cx="${coordinate(x)}" cy="${coordinate(y)}" r="${radius}" class="${className}"/>`;
}

/** Returns a circle with a tooltip. The circle is visible only under the pointer. */
export function spot([x, y]: Point, words: string, className: string): string {
	return `<circle cx="${coordinate(x)}" cy="${coordinate(y)}" r="5" class="spot ${className}"><title>${escaped(words)}</title></circle>`;
}

export type Point = readonly [x: number, y: number];
