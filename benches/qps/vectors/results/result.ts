// What has been measured so far for one entry of a definition. `summary.ts` converts it to the form that records store. An
// entry is a system, the options of its index, and the way in which it is called.
import type {Built} from '../indexes.ts';
import type {Entry} from '../system.ts';
import type {Point} from './curve.ts';

export interface Result {
	readonly entry: Entry;
	/** Why the entry was not measured. */
	readonly failed?: string;
	readonly built?: Built;
	/** The peak memory of the process that searched. */
	readonly peakBytes?: number | undefined;
	/** The peaks of the process's anonymous memory and of the memory mapped from files. */
	readonly anonBytes?: number;
	readonly fileBytes?: number;
	/** For each k, what was measured at each effort, in ascending order of effort. */
	readonly points?: Readonly<Record<string, readonly Point[]>>;
	/** The number of queries per round. */
	readonly queries?: number;
	/** The number of threads that searched: 1 if the system cannot use more for the entry's calls (single queries or a batch). */
	readonly threads?: number;
	/** The number of queries for which an exact entry returned wrong hits. */
	readonly wrongQueries?: number;
}
