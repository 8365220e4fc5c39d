// Latencies of queries asked one by one.
import {type Figure, figure, percentile} from './statistics.ts';

const PARTS = {p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99, p999: 0.999};

export type Percentile = keyof typeof PARTS;

/** Ascending. */
export const PERCENTILES = Object.keys(PARTS) as readonly Percentile[];

/** Of each percentile, µs of wall time. */
export type Latencies<T> = Readonly<Record<Percentile, T>>;

/** Of the queries of one round; none of a batch, whose queries have no times of their own. */
export function latencies(queryNanos: readonly number[]): Latencies<number> | undefined {
	return queryNanos.length === 0 ? undefined : ofEach(name => percentile(queryNanos, PARTS[name]) / 1000);
}

/** Of all rounds; none where a round has none. */
export function latencyFigures(rounds: ReadonlyArray<Latencies<number> | undefined>): Latencies<Figure> | undefined {
	const all = rounds.flatMap(round => round ?? []);
	return all.length < rounds.length || all.length === 0 ? undefined : ofEach(name => figure(all.map(round => round[name])));
}

/** What each percentile of two comes to. */
export const between = <T, U>(low: Latencies<T>, high: Latencies<T>, of: (low: T, high: T) => U): Latencies<U> =>
	ofEach(name => of(low[name], high[name]));

function ofEach<T>(value: (name: Percentile) => T): Latencies<T> {
	return Object.fromEntries(PERCENTILES.map(name => [name, value(name)])) as Record<Percentile, T>;
}
