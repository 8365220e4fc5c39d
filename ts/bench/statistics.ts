/** Statistics of repeated measurements. */

/** The median of the values of the rounds, with their minimum (`least`) and maximum (`most`). */
export interface Figure {
	readonly median: number;
	readonly least: number;
	readonly most: number;
}

/** Summarizes the values of the rounds, rounded to four significant digits. */
export function figure(values: readonly number[]): Figure {
	const digits = (value: number): number => Number(value.toPrecision(4));
	return {median: digits(median(values)), least: digits(Math.min(...values)), most: digits(Math.max(...values))};
}

/** Returns the median. For an even number of values, it is the mean of the middle two. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** Returns a percentile by the nearest-rank method. `sorted` must be in ascending order; `share` is above 0 and up to 1. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
	return sorted[Math.ceil(share * sorted.length) - 1]!;
}

/** Returns half of the range (maximum − minimum), as a share of the median. */
export const spread = ({median, least, most}: Figure): number => (most - least) / 2 / median;
