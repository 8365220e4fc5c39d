// What the rounds of a system come to.
import {type Latencies, latencies, latencyFigures} from '../latencies.ts';
import {type Figure, figure} from '../statistics.ts';
import type {Round} from './system.ts';

/**
One system at one k. Latencies are of single queries, µs of wall time; records from before there were five have p50 and p99.
*/
export interface Speed extends Partial<Latencies<Figure>> {
	/** Queries per second of wall time. */
	readonly wall: Figure;
	/** Queries per second that the thread ran. */
	readonly cpu: Figure;
	/** To the reference, round by round: of what a query takes. */
	readonly wallRatio?: Figure;
	readonly cpuRatio?: Figure;
	/** Of each round, for all queries asked. */
	readonly rounds: ReadonlyArray<Pick<Round, 'wallNanos' | 'cpuNanos'>>;
}

/** The rounds of an entry at one k. */
export interface Measured {
	readonly rounds: readonly Round[];
	/** Asked in each round. */
	readonly queries: number;
}

/** `reference` was run alternately with this, maybe with more queries. */
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
