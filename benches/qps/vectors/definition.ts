// The definition of one vector benchmark (definitions/<name>.json): which vectors are searched, at which efforts, and
// which systems are compared. The effort is the parameter that trades speed for recall, such as `efSearch`.
import type {Efforts, Entry, Similarity} from './system.ts';

/** The content of definitions/<name>.json. */
export interface Definition {
	/** What is measured, in one line. */
	readonly about: string;
	/** The highest level of CPU instruction sets that systems should use (`harness/level.ts`). By default, each one chooses its own. */
	readonly level?: string;
	/** The name of a data set in data/data.json. */
	readonly data: string;
	/** The number of rows, taken from the start of the data set. */
	readonly rows: number;
	/** The number of queries, taken from the start of the data set. */
	readonly queries: number;
	readonly similarity: Similarity;
	/** For each k, the recalls at which speeds are compared. For exact search, these lists are empty. */
	readonly targets: Readonly<Record<string, readonly number[]>>;
	/** The efforts to try, unless an entry has its own. Without efforts, search is exact. */
	readonly efforts?: Efforts;
	/** The efforts to try for passagekit, whose effort may be below k. By default, the same as `efforts`. */
	readonly passagekitEfforts?: Efforts;
	/** The number of rounds. In each round, every entry is measured once. */
	readonly rounds: number;
	/** Restricts searches to a random subset with this share of the rows. */
	readonly filter?: number;
	/**
	The number of threads that build and search, each on its own core; 1 by default. The file may say `all`, which `run.ts`
	replaces with the number of cores.
	*/
	readonly threads?: number;
	/** Whether an index is open only while its entry is measured, because all indexes together do not fit in memory. */
	readonly reopen?: boolean;
	/** The entries: systems, each with the options of its index and the way in which it is called. */
	readonly systems: readonly Entry[];
}
