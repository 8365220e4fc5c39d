// What the rounds of a system come to.
import {type Figure, figure, percentile} from '../statistics.ts';
import type {Round} from './system.ts';

/** One system at one k. */
export interface Speed {
	/** Queries per second of wall time. */
	readonly wall: Figure;
	/** Queries per second that the thread ran. */
	readonly cpu: Figure;
	/** Wall time of a query in µs; not of a batch's. Records from before there were five have p50 and p99. */
	readonly p50?: Figure;
	readonly p90?: Figure;
	readonly p95?: Figure;
	readonly p99?: Figure;
	readonly p999?: Figure;
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
		...(rounds[0]!.queryNanos.length > 0 && latencies(rounds)),
		...(reference && {wallRatio: ratio(round => round.wallNanos), cpuRatio: ratio(round => round.cpuNanos)}),
		rounds: rounds.map(({wallNanos, cpuNanos}) => ({wallNanos, cpuNanos})),
	};
}

function latencies(rounds: readonly Round[]): Pick<Speed, 'p50' | 'p90' | 'p95' | 'p99' | 'p999'> {
	const of = (part: number): Figure => figure(rounds.map(round => percentile(round.queryNanos, part) / 1000));
	return {p50: of(0.5), p90: of(0.9), p95: of(0.95), p99: of(0.99), p999: of(0.999)};
}
