// Recall against queries per second: a line of each entry.
import type {Figure} from '../../statistics.ts';
import {
	type Drawn,
	type Entry,
	type Spot,
	type View,
	at,
	group,
	line,
	logScale,
	logTicks,
	mark,
	number,
	range,
	text,
	tick,
} from './pieces.ts';

export interface Curves {
	readonly kind: 'curves';
	readonly ks: readonly string[];
	/** Of each k, the recalls at which speeds are compared. */
	readonly targets: Readonly<Record<string, readonly number[]>>;
	readonly entries: ReadonlyArray<Entry & {readonly points: Readonly<Record<string, readonly CurvePoint[]>>}>;
}

export interface CurvePoint {
	readonly effort: number;
	readonly recall: number;
	readonly wall: Figure;
	readonly cpu: Figure;
}

/** Recalls on the axis, which is linear in −log₁₀(1 − recall): .90 to .99 is as far as .99 to .999. */
const RECALLS = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];
/** Recalls above are drawn there. */
const MOST = 0.999;
/** Points so far below the least target are not drawn. */
const BELOW = 0.2;

/** One k; medians over rounds, on logarithmic axes. */
export function drawCurves({targets: all, entries}: Curves, {k, by, hidden, width}: View): Drawn {
	const targets = all[k] ?? [];
	const shown = entries.map(({name, points}) =>
		hidden.has(name) ? [] : (points[k] ?? []).filter(({recall}) => recall >= Math.min(...targets) - BELOW),
	);
	const height = width < 560 ? 350 : 440;
	const box = {left: 52, right: width - 14, top: 8, bottom: height - 42};
	const every = shown.flat();
	if (every.length === 0) {
		return {width, height, inside: text([width / 2, height / 2], 'Nothing is shown.', 'middle'), spots: []};
	}
	const speeds = every.flatMap(point => [point[by].median]);
	const low = Math.min(...speeds) / 1.25;
	const high = Math.max(...speeds) * 1.25;
	const recalls = every.map(({recall}) => Math.min(recall, MOST));
	const [first, last] = [
		nines(Math.min(...recalls, Math.min(...targets))) - 0.06,
		nines(Math.max(...recalls, Math.max(...targets))) + 0.06,
	];
	const x = (recall: number): number => box.left + ((nines(Math.min(recall, MOST)) - first) / (last - first)) * (box.right - box.left);
	const y = logScale([low, high], [box.bottom, box.top]);
	const parts: string[] = [text([(box.left + box.right) / 2, height - 6], `recall@${k}`, 'middle')];
	for (const speed of logTicks(low, high)) {
		parts.push(line([box.left, y(speed)], [box.right, y(speed)], 'grid'), text([box.left - 8, y(speed) + 4], tick(speed), 'end'));
	}
	for (const recall of recallTicks(targets, [first, last], x)) {
		const target = targets.includes(recall);
		const label = recall === MOST ? '≥ .999' : recall.toString().slice(1);
		parts.push(
			line([x(recall), box.top], [x(recall), box.bottom], target ? 'target' : 'grid'),
			text([x(recall), box.bottom + 17], label, `middle${target ? ' strong' : ''}`),
		);
	}
	parts.push(line([box.left, box.bottom], [box.right, box.bottom], 'axis'));
	const spots: Spot[] = [];
	// Passagekit's last, for they lie above the others.
	const order = entries.map((_, index) => index).toSorted((a, b) => Number(entries[a]!.look.ours) - Number(entries[b]!.look.ours));
	for (const index of order) {
		const entry = entries[index]!;
		const points = shown[index]!;
		if (points.length === 0) {
			continue;
		}
		const places = points.map(point => [x(point.recall), y(point[by].median)] as const);
		const inside = [
			`<polyline points="${places.map(([px, py]) => `${at(px)},${at(py)}`).join(' ')}" class="curve"/>`,
			...points.map((point, i) => line([places[i]![0], y(point[by].least)], [places[i]![0], y(point[by].most)], 'range')),
			...places.map(place => mark(entry.look.mark, place, entry.look.ours ? 4.2 : 3.1)),
		];
		parts.push(group(entry, index, inside));
		for (const [i, point] of points.entries()) {
			spots.push({x: places[i]![0], y: places[i]![1], entry: index, name: entry.name, lines: words(point, by)});
		}
	}
	return {width, height, inside: parts.join('\n'), spots};
}

function words({effort, recall, wall, cpu}: CurvePoint, by: 'wall' | 'cpu'): readonly string[] {
	const figure = by === 'wall' ? wall : cpu;
	return [
		`${number(figure.median)} queries per second, ${by} (${range(figure)})`,
		`recall ${recall}${effort > 0 ? `, effort ${effort}` : ''}`,
	];
}

/** Targets, and of the others those that leave room for their labels. */
function recallTicks(
	targets: readonly number[],
	[first, last]: readonly [number, number],
	x: (recall: number) => number,
): readonly number[] {
	const kept: number[] = [...targets];
	for (const recall of RECALLS.filter(value => nines(value) >= first && nines(value) <= last + 1e-9)) {
		const room = recall === MOST ? 44 : 34;
		if (kept.every(other => Math.abs(x(other) - x(recall)) >= room)) {
			kept.push(recall);
		}
	}
	return kept;
}

const nines = (recall: number): number => -Math.log10(1 - recall);
