/** Parts of drawings: scales, round values for axes, labels that do not overlap. */
import {escaped} from './html.ts';

export interface Drawing {
	/** Prefix of the ids of title and description. */
	readonly name: string;
	readonly width: number;
	readonly height: number;
}

/** Maps values `[low, high]` to coordinates `[from, to]`. */
export function scale([low, high]: readonly [number, number], [from, to]: readonly [number, number]): (value: number) => number {
	return value => (high === low ? (from + to) / 2 : from + ((value - low) / (high - low)) * (to - from));
}

/** Values of 1, 2 or 5 times a power of ten, about `count` of them, from the last at or below `low` to the first at or above `high`. */
export function ticks(low: number, high: number, count: number): readonly number[] {
	const rough = (high - low || Math.abs(high) || 1) / count;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = power * ([1, 2, 5].find(times => times * power >= rough * 0.999) ?? 10);
	const first = Math.floor(low / step + 1e-9);
	const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
	return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
Places labels at least `gap` apart and within `[top, bottom]`, in the order of the coordinates that are `wanted`. The sum of squared
distances from these is minimal: isotonic regression by pooling adjacent violators.
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
	const room = Math.max(top, bottom - (wanted.length - 1) * gap);
	const bases = pools.flatMap(pool => Array.from({length: pool.count}, () => Math.min(room, Math.max(top, mean(pool)))));
	const places = Array.from({length: wanted.length}, () => 0);
	for (const [rank, i] of order.entries()) {
		places[i] = bases[rank]! + rank * gap;
	}
	return places;
}

const mean = ({sum, count}: {sum: number; count: number}): number => sum / count;

/** A coordinate, rounded to a tenth. */
export const at = (value: number): string => String(Math.round(value * 10) / 10);

export function line([x1, y1]: Point, [x2, y2]: Point, style: string): string {
	return `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" class="${style}"/>`;
}

export function text([x, y]: Point, words: string, style: string): string {
	return `<text x="${at(x)}" y="${at(y)}" class="${style}">${escaped(words)}</text>`;
}

export function polyline(points: readonly Point[], style: string): string {
	return `<polyline points="${points.map(([x, y]) => `${at(x)},${at(y)}`).join(' ')}" class="${style}"/>`;
}

export function dot([x, y]: Point, radius: number, style: string): string {
	return `<circle cx="${at(x)}" cy="${at(y)}" r="${radius}" class="${style}"/>`;
}

/** A circle that is visible only under the pointer, with a tooltip. */
export function spot([x, y]: Point, words: string, style: string): string {
	return `<circle cx="${at(x)}" cy="${at(y)}" r="5" class="spot ${style}"><title>${escaped(words)}</title></circle>`;
}

export type Point = readonly [x: number, y: number];
