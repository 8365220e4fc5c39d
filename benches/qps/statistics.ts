// Statistics of repeated measurements.
import {type Figure, percentile as percentileOfSorted, spread} from '../../ts/bench/statistics.ts';

export {type Figure, figure, median, spread} from '../../ts/bench/statistics.ts';

/** The nearest-rank percentile: the smallest value such that at least this share of all values is less than or equal to it. */
export const percentile = (values: readonly number[], share: number): number =>
	percentileOfSorted(
		values.toSorted((a, b) => a - b),
		share,
	);

/** Rounds disagree if their spread (±) exceeds this share of the median. */
export const MAX_SPREAD = 0.1;

export const isWide = (figure: Figure): boolean => spread(figure) > MAX_SPREAD;
