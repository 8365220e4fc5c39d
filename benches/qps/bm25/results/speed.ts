// Summarizes the rounds of one entry of a definition at one k (the number of hits): queries per second, latencies, and
// ratios to the reference. An entry is a system and the way in which it is called, for example one query at a time. The
// reference is the entry that all others are compared with.
import {type Latencies, latencies, latencyFigures} from '../../statistics/latencies.ts';
import {type Figure, figure} from '../../statistics/statistics.ts';
import type {Round} from '../system.ts';

/**
The speed of one entry at one k. The latencies of single queries are in µs of wall time; older records have only p50 and
p99.
*/
export interface Speed extends Partial<Latencies<Figure>> {
	/** Queries per second of wall time. */
	readonly wall: Figure;
	/** Queries per second of CPU time. */
	readonly cpu: Figure;
	/** How many times as fast as the reference, by the wall time per query in the same round. */
	readonly wallRatio?: Figure;
	/** How many times as fast as the reference, by the CPU time per query in the same round. */
	readonly cpuRatio?: Figure;
	/** For each round, the time of all queries. */
	readonly rounds: ReadonlyArray<Pick<Round, 'wallNanos' | 'cpuNanos'>>;
}

/** The rounds of an entry at one k. */
export interface Measured {
	readonly rounds: readonly Round[];
	/** The number of queries per round. */
	readonly queries: number;
}

/** Summarizes rounds. `reference` was measured in the same rounds, possibly with more queries. */
export function speed({rounds, queries}: Measured, reference?: Measured): Speed {
	const ratio = (nanos: (round: Round) => number): Figure =>
		figure(rounds.map((round, i) => nanos(reference!.rounds[i]!) / reference!.queries / (nanos(round) / queries)));
	return {
		wall: figure(rounds.map(round => (queries * 1e9) / round.wallNanos)),
		cpu: figure(rounds.map(round => (queries * 1e9) / round.cpuNanos)),
		...latencyFigures(rounds.map(({queryNanos}) => latencies(queryNanos))),
		...(reference && {wallRatio: ratio(round => round.wallNanos), cpuRatio: ratio(round => round.cpuNanos)}),
		rounds: rounds.map(({wallNanos, cpuNanos}) => ({wallNanos, cpuNanos})),
	};
}
