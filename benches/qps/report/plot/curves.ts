// A chart of queries per second (vertical) at each recall (horizontal), with a line per entry. Both axes are
// logarithmic; the recall axis is logarithmic in 1 − recall.
import type {Figure} from '../../statistics/statistics.ts';
import {
	type Drawn,
	type Entry,
	type Spot,
	type View,
	coordinate,
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
	/** For each k, the recalls at which speeds are compared. */
	readonly targets: Readonly<Record<string, readonly number[]>>;
	/** The entries, with data points for each k. */
	readonly entries: ReadonlyArray<Entry & {readonly points: Readonly<Record<string, readonly CurvePoint[]>>}>;
}

/** What was measured at one effort, which is the search parameter that trades speed for recall, such as `efSearch`. */
export interface CurvePoint {
	readonly effort: number;
	readonly recall: number;
	/** Queries per second of wall time. */
	readonly wall: Figure;
	/** Queries per second of CPU time. */
	readonly cpu: Figure;
}

/** Recalls that the axis may label. The axis is linear in −log₁₀(1 − recall), so .99 is halfway between .90 and .999. */
const RECALLS = [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999];
/** The end of the recall axis. Points with a higher recall are drawn at this recall. */
const MAX_RECALL = 0.999;
/** Points whose recall is more than this below the smallest target are not drawn. */
const MAX_BELOW_TARGETS = 0.2;

/** Draws the curves of one k through the medians over the rounds. */
export function drawCurves({targets: targetsOfK, entries}: Curves, {k, by, hidden, width}: View): Drawn {
	const targets = targetsOfK[k] ?? [];
	const shown = entries.map(({name, points}) =>
		hidden.has(name) ? [] : (points[k] ?? []).filter(({recall}) => recall >= Math.min(...targets) - MAX_BELOW_TARGETS),
	);
	const height = width < 560 ? 350 : 440;
	const box = {left: 52, right: width - 14, top: 8, bottom: height - 42};
	const allShown = shown.flat();
	if (allShown.length === 0) {
		return {width, height, inside: text([width / 2, height / 2], 'No entry is selected.', 'middle'), spots: []};
	}
	const speeds = allShown.map(point => point[by].median);
	// The axes extend beyond the data: by a factor of 1.25 for speeds, and by 0.06 on the scale of `nines` for recalls.
	const low = Math.min(...speeds) / 1.25;
	const high = Math.max(...speeds) * 1.25;
	const recalls = allShown.map(({recall}) => Math.min(recall, MAX_RECALL));
	const [first, last] = [
		nines(Math.min(...recalls, Math.min(...targets))) - 0.06,
		nines(Math.max(...recalls, Math.max(...targets))) + 0.06,
	];
	const x = (recall: number): number =>
		box.left + ((nines(Math.min(recall, MAX_RECALL)) - first) / (last - first)) * (box.right - box.left);
	const y = logScale([low, high], [box.bottom, box.top]);
	const parts: string[] = [text([(box.left + box.right) / 2, height - 6], `recall@${k}`, 'middle')];
	for (const speed of logTicks(low, high)) {
		parts.push(line([box.left, y(speed)], [box.right, y(speed)], 'grid'), text([box.left - 8, y(speed) + 4], tick(speed), 'end'));
	}
	for (const recall of recallTicks(targets, [first, last], x)) {
		const target = targets.includes(recall);
		const label = recall === MAX_RECALL ? '≥ .999' : recall.toString().slice(1);
		parts.push(
			line([x(recall), box.top], [x(recall), box.bottom], target ? 'target' : 'grid'),
			text([x(recall), box.bottom + 17], label, `middle${target ? ' strong' : ''}`),
		);
	}
	parts.push(line([box.left, box.bottom], [box.right, box.bottom], 'axis'));
	const spots: Spot[] = [];
	// passagekit's entries are drawn last, so that they are on top of the others.
	const order = entries.map((_, index) => index).toSorted((a, b) => Number(entries[a]!.look.ours) - Number(entries[b]!.look.ours));
	for (const index of order) {
		const entry = entries[index]!;
		const points = shown[index]!;
		if (points.length === 0) {
			continue;
		}
		const places = points.map(point => [x(point.recall), y(point[by].median)] as const);
		const inside = [
			`<polyline points="${places.map(([px, py]) => `${coordinate(px)},${coordinate(py)}`).join(' ')}" class="curve"/>`,
			...points.map((point, i) => line([places[i]![0], y(point[by].least)], [places[i]![0], y(point[by].most)], 'range')),
			...places.map(place => mark(entry.look.mark, place, entry.look.ours ? 4.2 : 3.1)),
		];
		parts.push(group(entry, index, inside));
		for (const [i, point] of points.entries()) {
			spots.push({x: places[i]![0], y: places[i]![1], entry: index, name: entry.name, lines: tooltipLines(point, by)});
		}
	}
	return {width, height, inside: parts.join('\n'), spots};
}

function tooltipLines({effort, recall, wall, cpu}: CurvePoint, by: 'wall' | 'cpu'): readonly string[] {
	const figure = by === 'wall' ? wall : cpu;
	return [
		`${number(figure.median)} queries per second, ${by} (${range(figure)})`,
		`recall ${recall}${effort > 0 ? `, effort ${effort}` : ''}`,
	];
}

/**
Returns the recalls to label: the targets, and other recalls whose labels do not overlap those already chosen. `first` and
`last` are the ends of the axis on the scale of `nines`. `x` returns the horizontal coordinate of a recall.
*/
function recallTicks(
	targets: readonly number[],
	[first, last]: readonly [number, number],
	x: (recall: number) => number,
): readonly number[] {
	const chosen: number[] = [...targets];
	// 1e-9 allows for rounding errors.
	for (const recall of RECALLS.filter(value => nines(value) >= first && nines(value) <= last + 1e-9)) {
		// In pixels. The label of the maximum, `≥ .999`, is wider than the others.
		const minDistance = recall === MAX_RECALL ? 44 : 34;
		if (chosen.every(other => Math.abs(x(other) - x(recall)) >= minDistance)) {
			chosen.push(recall);
		}
	}
	return chosen;
}

/** Converts a recall to its position on the axis, which is its number of nines: 0.9 to 1, 0.99 to 2, and 0.999 to 3. */
const nines = (recall: number): number => -Math.log10(1 - recall);
