// Computes the speed of an entry (a system with its options) at a given recall, by interpolation between the points of its
// curve. A point is what was measured at one effort (the search parameter that trades speed for recall): a recall, and the
// speed per round.
import {type Latencies, combined} from '../../statistics/latencies.ts';

/** What was measured at one effort and one k. */
export interface Point {
	readonly effort: number;
	readonly recall: number;
	/** Queries per second of wall time, per round. */
	readonly wall: readonly number[];
	/** Queries per second of CPU time, per round. */
	readonly cpu: readonly number[];
	/** Latencies per round, if queries were sent one at a time. */
	readonly latencies?: ReadonlyArray<Latencies<number>>;
}

/** The speed at a recall. */
export interface SpeedAtRecall {
	/** Whether the speed is a lower bound: even the smallest effort has a higher recall, and a smaller effort would be faster. */
	readonly atLeast: boolean;
	/** Queries per second of wall time, per round. */
	readonly wall: readonly number[];
	/** Queries per second of CPU time, per round. */
	readonly cpu: readonly number[];
	readonly latencies?: ReadonlyArray<Latencies<number>>;
}

/**
Returns the speed at a recall, or undefined if no effort reaches it. `points` must be in ascending order of recall.

In each round, the logarithms of speed and latencies are taken to be linear in recall between the two nearest efforts.
*/
export function speedAt(points: readonly Point[], recall: number): SpeedAtRecall | undefined {
	const above = points.findIndex(point => point.recall >= recall);
	if (above === -1) {
		return undefined;
	}
	const high = points[above]!;
	const low = points[above - 1];
	const weight = low ? (recall - low.recall) / (high.recall - low.recall) : 1;
	const interpolate = (low: number, high: number): number => low ** (1 - weight) * high ** weight;
	const speeds = (clock: 'wall' | 'cpu'): readonly number[] =>
		high[clock].map((speed, round) => (low ? interpolate(low[clock][round]!, speed) : speed));
	const latencies = high.latencies?.map((highLatencies, round) =>
		low ? combined(low.latencies![round]!, highLatencies, interpolate) : highLatencies,
	);
	return {atLeast: !low && high.recall > recall, wall: speeds('wall'), cpu: speeds('cpu'), ...(latencies && {latencies})};
}

/**
Returns the points that are needed to interpolate at all targets: the points between the smallest and the largest target,
the next point below and the next point above. If no target is reached, returns the last two points, for which reports show
no speed at a target. `tried` must be in ascending order of effort.
*/
export function around<T extends {readonly recall: number}>(tried: readonly T[], targets: readonly number[]): readonly T[] {
	const first = tried.findIndex(({recall}) => recall >= Math.min(...targets));
	const last = tried.findIndex(({recall}) => recall >= Math.max(...targets));
	return tried.slice(first === -1 ? -2 : Math.max(0, first - 1), last === -1 ? undefined : last + 1);
}
