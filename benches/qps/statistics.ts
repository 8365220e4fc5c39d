// What the rounds of a system come to.
import type {Round} from './system.ts';

/** The median of the rounds, with the least and the most. */
export interface Figure {
	readonly median: number;
	readonly least: number;
	readonly most: number;
}

/** One system at one k. */
export interface Speed {
	/** Queries per second of wall time. */
	readonly wall: Figure;
	/** Queries per second that the thread ran. */
	readonly cpu: Figure;
	/** Wall time of a query in µs; not of a batch's. */
	readonly p50?: Figure;
	readonly p99?: Figure;
	/** To the reference, round by round. */
	readonly wallRatio?: Figure;
	readonly cpuRatio?: Figure;
	/** Of each round, for all queries. */
	readonly rounds: ReadonlyArray<Pick<Round, 'wallNanos' | 'cpuNanos'>>;
}

/** `reference` has the rounds of the reference, run alternately with these. */
export function speed(rounds: readonly Round[], queries: number, reference?: readonly Round[]): Speed {
	const ratio = (nanos: (round: Round) => number): Figure => figure(rounds.map((round, i) => nanos(reference![i]!) / nanos(round)));
	const latency = (part: number): Figure => figure(rounds.map(round => percentile(round.queryNanos, part) / 1000));
	return {
		wall: figure(rounds.map(round => (queries * 1e9) / round.wallNanos)),
		cpu: figure(rounds.map(round => (queries * 1e9) / round.cpuNanos)),
		...(rounds[0]!.queryNanos.length > 0 && {p50: latency(0.5), p99: latency(0.99)}),
		...(reference && {wallRatio: ratio(round => round.wallNanos), cpuRatio: ratio(round => round.cpuNanos)}),
		rounds: rounds.map(({wallNanos, cpuNanos}) => ({wallNanos, cpuNanos})),
	};
}

/** To four digits. */
export function figure(values: readonly number[]): Figure {
	const digits = (value: number): number => Number(value.toPrecision(4));
	return {median: digits(median(values)), least: digits(Math.min(...values)), most: digits(Math.max(...values))};
}

function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length / 2;
	return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** The smallest value that at least this part of the values does not exceed. */
function percentile(values: readonly number[], part: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.ceil(part * sorted.length) - 1]!;
}
