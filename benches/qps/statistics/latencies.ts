// Latency percentiles of queries that are sent one at a time.
import {type Figure, figure, percentile} from './statistics.ts';

/** For each percentile, the share of queries that take at most that long. */
const QUANTILES = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999};

export type Percentile = keyof typeof QUANTILES;

/** The names of the percentiles in ascending order: p50 to p999. */
export const PERCENTILES = Object.keys(QUANTILES) as readonly Percentile[];

/** A value for each percentile, in µs of wall time. */
export type Latencies<T> = Readonly<Record<Percentile, T>>;

/**
Returns the percentiles of one round in µs, given the wall time of each query in ns. Returns undefined if there are no
times. This is the case for a batch, because its queries are not timed individually.
*/
export function latencies(queryNanos: readonly number[]): Latencies<number> | undefined {
	return queryNanos.length === 0 ? undefined : mapPercentiles(name => percentile(queryNanos, QUANTILES[name]) / 1000);
}

/** Summarizes each percentile over all rounds. Returns undefined if there are no rounds or if a round lacks percentiles. */
export function latencyFigures(rounds: ReadonlyArray<Latencies<number> | undefined>): Latencies<Figure> | undefined {
	const all = rounds.flatMap(round => round ?? []);
	return all.length < rounds.length || all.length === 0 ? undefined : mapPercentiles(name => figure(all.map(round => round[name])));
}

/** Combines two sets of latencies, percentile by percentile. */
export const combined = <T, U>(first: Latencies<T>, second: Latencies<T>, combine: (first: T, second: T) => U): Latencies<U> =>
	mapPercentiles(name => combine(first[name], second[name]));

function mapPercentiles<T>(value: (name: Percentile) => T): Latencies<T> {
	return Object.fromEntries(PERCENTILES.map(name => [name, value(name)])) as Record<Percentile, T>;
}
