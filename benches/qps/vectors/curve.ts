// Curves of speed over recall, and what they say at a recall.

/** One effort at one k. */
export interface Point {
	readonly effort: number;
	readonly recall: number;
	/** Queries per second, round by round. */
	readonly wall: readonly number[];
	readonly cpu: readonly number[];
}

/** Speed at a recall. */
export interface At {
	/** The least effort is above that recall already: with less, it would be faster. */
	readonly atLeast: boolean;
	/** Queries per second, round by round. */
	readonly wall: readonly number[];
	readonly cpu: readonly number[];
}

/**
The speed at a recall, or none where no effort reaches it.

Between the two efforts around it, the logarithm of speed is taken to be linear in recall; within each round.
*/
export function speedAt(points: readonly Point[], recall: number): At | undefined {
	const above = points.findIndex(point => point.recall >= recall);
	if (above === -1) {
		return undefined;
	}
	const high = points[above]!;
	const low = points[above - 1];
	const part = low ? (recall - low.recall) / (high.recall - low.recall) : 1;
	const between = (of: 'wall' | 'cpu'): readonly number[] =>
		high[of].map((speed, round) => (low ? low[of][round]! ** (1 - part) * speed ** part : speed));
	return {atLeast: !low && high.recall > recall, wall: between('wall'), cpu: between('cpu')};
}

/** Of the efforts tried, those that speeds at the targets are between: one below the least of them, one above the greatest. */
export function around<T extends {readonly recall: number}>(tried: readonly T[], targets: readonly number[]): readonly T[] {
	const first = tried.findIndex(({recall}) => recall >= Math.min(...targets));
	const last = tried.findIndex(({recall}) => recall >= Math.max(...targets));
	return tried.slice(first === -1 ? -2 : Math.max(0, first - 1), last === -1 ? undefined : last + 1);
}
