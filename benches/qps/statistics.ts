// What repeated measurements come to.
import {percentile as ofSorted} from '../../ts/bench/statistics.ts';

export {type Figure, figure, median, spread} from '../../ts/bench/statistics.ts';

/** The smallest value that at least this part of the values does not exceed. */
export const percentile = (values: readonly number[], part: number): number =>
	ofSorted(
		values.toSorted((a, b) => a - b),
		part,
	);
