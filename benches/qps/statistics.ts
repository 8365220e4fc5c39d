// What repeated measurements come to.

/** The median of the rounds, with the least and the most. */
export interface Figure {
	readonly median: number;
	readonly least: number;
	readonly most: number;
}

/** To four digits. */
export function figure(values: readonly number[]): Figure {
	const digits = (value: number): number => Number(value.toPrecision(4));
	return {median: digits(median(values)), least: digits(Math.min(...values)), most: digits(Math.max(...values))};
}

/** Half of what lies between least and most, as a share of the median: what tables show as ±. */
export const spread = ({median, least, most}: Figure): number => (most - least) / 2 / median;

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** The smallest value that at least this part of the values does not exceed. */
export function percentile(values: readonly number[], part: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.ceil(part * sorted.length) - 1]!;
}
