// The result of one entry of a definition (a system with a name), as records store it.
import type {Figure} from '../../statistics/statistics.ts';

/** The speed of one system at one task. */
export interface Speed {
	/** Texts per second of wall time. */
	readonly wall: Figure;
	/** Texts per second of CPU time. */
	readonly cpu: Figure;
	/** The median wall time per text in µs, if texts are encoded one at a time. */
	readonly p50?: Figure;
	/** The 99th percentile of the wall time per text in µs, if texts are encoded one at a time. */
	readonly p99?: Figure;
	/** How many times as fast as the reference in the same round, by wall time. */
	readonly wallRatio?: Figure;
	/** How many times as fast as the reference in the same round, by CPU time. */
	readonly cpuRatio?: Figure;
	/** The minimum (`least`) and the mean cosine between this system's vectors and the reference's. */
	readonly cosines?: {readonly least: number; readonly mean: number};
	/** The number of texts with the same token ids as the reference's. */
	readonly sameTokens?: number;
	/** The number of tokens of all texts. */
	readonly tokens?: number;
}

export interface Result {
	readonly name: string;
	/** The version of the system. */
	readonly version?: string;
	/** Why the entry was not measured. */
	readonly failed?: string;
	/** The peak memory of the process. */
	readonly peakBytes?: number | undefined;
	/** The speed at each task. The keys are the names in `taskNames`. */
	readonly speed?: Readonly<Record<string, Speed>>;
}
