// What repeated measurements come to.
import {type Figure, percentile as ofSorted, spread} from '../../ts/bench/statistics.ts';

export {type Figure, figure, median, spread} from '../../ts/bench/statistics.ts';

/** The smallest value that at least this part of the values does not exceed. */
export const percentile = (values: readonly number[], part: number): number =>
	ofSorted(
		values.toSorted((a, b) => a - b),
		part,
	);

/** Rounds whose spread (±) is above this share of the median disagree. */
export const WIDE = 0.1;

export const isWide = (of: Figure): boolean => spread(of) > WIDE;
