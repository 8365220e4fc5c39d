// Statistics of repeated measurements. A `Figure` summarizes the rounds of a benchmark: the median with the minimum
// (`least`) and the maximum (`most`). Records store figures with these keys.
import {type Figure, percentile as percentileOfSorted, spread} from '../../../ts/bench/statistics.ts';

export {type Figure, figure, median, spread} from '../../../ts/bench/statistics.ts';

/** Returns the nearest-rank percentile: the smallest value such that at least `share` of all values are at most this value. */
export const percentile = (values: readonly number[], share: number): number =>
	percentileOfSorted(
		values.toSorted((a, b) => a - b),
		share,
	);

/**
The largest spread (±: half the range between minimum and maximum, as a share of the median) that reports do not mark
as wide.
*/
export const MAX_SPREAD = 0.1;

/** Returns whether the spread of a figure is above `MAX_SPREAD`. */
export const isWide = (figure: Figure): boolean => spread(figure) > MAX_SPREAD;
