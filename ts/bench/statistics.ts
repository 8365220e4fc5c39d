/** Statistics of repeated measurements. */

/** The median of the rounds, with the minimum (`least`) and the maximum (`most`). */
export interface Figure {
	readonly median: number;
	readonly least: number;
	readonly most: number;
}

/** Summarizes the values of the rounds, rounded to four digits. */
export function figure(values: readonly number[]): Figure {
	const digits = (value: number): number => Number(value.toPrecision(4));
	return {median: digits(median(values)), least: digits(Math.min(...values)), most: digits(Math.max(...values))};
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** Returns a percentile by nearest rank. `sorted` must be in ascending order, and `part` is between 0 and 1. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
	return sorted[Math.ceil(part * sorted.length) - 1]!;
}

/** Returns half the range as a share of the median. */
export const spread = ({median, least, most}: Figure): number => (most - least) / 2 / median;
