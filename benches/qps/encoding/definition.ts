// A definition of encoding (definitions/<name>.json), and what is kept of each of its entries.
import type {Figure} from '../statistics.ts';
import type {Texts} from './data.ts';
import type {Entry, Task} from './system.ts';

/** What tasks are called. */
export const taskNames: Readonly<Record<Task, string>> = {
	tokenise: 'tokenising passages',
	one: 'encoding questions one at a time',
	batch: 'encoding passages together',
};

/** definitions/<name>.json. */
export interface Definition {
	readonly about: string;
	/** One of passagekit's own. */
	readonly model: string;
	/** Of a text, special tokens included. */
	readonly maxTokens: number;
	readonly tasks: Readonly<Record<Task, {readonly texts: Texts; readonly sample: number}>>;
	/** In each, every entry has its turn at every task, after one that does not count. */
	readonly rounds: number;
	/** The entry that others are compared with. */
	readonly reference: string;
	readonly systems: readonly Entry[];
}

/** One system at one task. */
export interface Speed {
	/** Texts per second of wall time, and of processor time. */
	readonly wall: Figure;
	readonly cpu: Figure;
	/** Wall time of a text in µs; not where they are done together. */
	readonly p50?: Figure;
	readonly p99?: Figure;
	/** To the reference, round by round. */
	readonly wallRatio?: Figure;
	readonly cpuRatio?: Figure;
	/** Cosines to the reference's vectors. */
	readonly cosines?: {readonly least: number; readonly mean: number};
	/** Texts with the reference's ids. */
	readonly sameTokens?: number;
	/** Of all texts together. */
	readonly tokens?: number;
}

export interface Result {
	readonly name: string;
	readonly version?: string;
	/** Why there is nothing else. */
	readonly failed?: string;
	readonly peakBytes?: number | undefined;
	/** Of each task, by its name in words. */
	readonly speed?: Readonly<Record<string, Speed>>;
}
