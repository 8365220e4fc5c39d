// Latency percentiles of queries that are sent one at a time.
import {type Figure, figure, percentile} from './statistics.ts';

/** The share of queries that are at most as slow as each percentile. */
const QUANTILES = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999};

export type Percentile = keyof typeof QUANTILES;

/** From p50 to p999. */
export const PERCENTILES = Object.keys(QUANTILES) as readonly Percentile[];

/** Wall time in µs, for each percentile. */
export type Latencies<T> = Readonly<Record<Percentile, T>>;

/** Returns the percentiles of one round, or undefined for a batch: its queries are not timed individually. */
export function latencies(queryNanos: readonly number[]): Latencies<number> | undefined {
	return queryNanos.length === 0 ? undefined : mapPercentiles(name => percentile(queryNanos, QUANTILES[name]) / 1000);
}

/** Summarizes each percentile over all rounds. Returns undefined unless every round has percentiles. */
export function latencyFigures(rounds: ReadonlyArray<Latencies<number> | undefined>): Latencies<Figure> | undefined {
	const all = rounds.flatMap(round => round ?? []);
	return all.length < rounds.length || all.length === 0 ? undefined : mapPercentiles(name => figure(all.map(round => round[name])));
}

/** Combines two sets of latencies, percentile by percentile. */
export const between = <T, U>(low: Latencies<T>, high: Latencies<T>, combine: (low: T, high: T) => U): Latencies<U> =>
	mapPercentiles(name => combine(low[name], high[name]));

function mapPercentiles<T>(value: (name: Percentile) => T): Latencies<T> {
	return Object.fromEntries(PERCENTILES.map(name => [name, value(name)])) as Record<Percentile, T>;
}
