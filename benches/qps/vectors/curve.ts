// Curves of speed over recall, and what they say at a recall.
import {type Latencies, between} from '../latencies.ts';

/** One effort at one k. */
export interface Point {
	readonly effort: number;
	readonly recall: number;
	/** Queries per second, round by round. */
	readonly wall: readonly number[];
	readonly cpu: readonly number[];
	/** Round by round, where queries are asked one by one. */
	readonly latencies?: ReadonlyArray<Latencies<number>>;
}

/** Speed at a recall. */
export interface At {
	/** The least effort is above that recall already: with less, it would be faster. */
	readonly atLeast: boolean;
	/** Queries per second, round by round. */
	readonly wall: readonly number[];
	readonly cpu: readonly number[];
	readonly latencies?: ReadonlyArray<Latencies<number>>;
}

/**
The speed at a recall, or none where no effort reaches it.

Between the two efforts around it, the logarithms of speed and latencies are taken to be linear in recall; within each round.
*/
export function speedAt(points: readonly Point[], recall: number): At | undefined {
	const above = points.findIndex(point => point.recall >= recall);
	if (above === -1) {
		return undefined;
	}
	const high = points[above]!;
	const low = points[above - 1];
	const part = low ? (recall - low.recall) / (high.recall - low.recall) : 1;
	const mean = (low: number, high: number): number => low ** (1 - part) * high ** part;
	const speeds = (of: 'wall' | 'cpu'): readonly number[] => high[of].map((speed, round) => (low ? mean(low[of][round]!, speed) : speed));
	const latencies = high.latencies?.map((of, round) => (low ? between(low.latencies![round]!, of, mean) : of));
	return {atLeast: !low && high.recall > recall, wall: speeds('wall'), cpu: speeds('cpu'), ...(latencies && {latencies})};
}

/** Of the efforts tried, those that speeds at the targets are between: one below the least of them, one above the greatest. */
export function around<T extends {readonly recall: number}>(tried: readonly T[], targets: readonly number[]): readonly T[] {
	const first = tried.findIndex(({recall}) => recall >= Math.min(...targets));
	const last = tried.findIndex(({recall}) => recall >= Math.max(...targets));
	return tried.slice(first === -1 ? -2 : Math.max(0, first - 1), last === -1 ? undefined : last + 1);
}
