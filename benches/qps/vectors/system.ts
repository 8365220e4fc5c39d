// A vector system under test, and the requests that it answers. README.md describes the protocol.
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {qpsFolder} from '../harness/folders.ts';
import {System} from '../harness/system.ts';

/** An entry of a definition: a system, the index that it builds, and how queries are sent to it. */
export interface Entry {
	readonly name: string;
	/** The name of a folder in systems/. */
	readonly system: string;
	/**
	Options of the system for building and opening an index. If they have `threads`, the process that builds is not pinned
	to cores.
	*/
	readonly options: Readonly<Record<string, unknown>>;
	/** Whether all queries are sent in one call. */
	readonly batch?: boolean;
	/** Whether the system is called from Node. */
	readonly node?: boolean;
	/** Whether the system must return the true hits, in order. */
	readonly exact?: boolean;
	/**
	Whether the entry does not search, but estimates a limit on the speed of searches, such as by reading all rows once per
	query.
	*/
	readonly limit?: boolean;
	/** Replaces the definition's similarity with another one that ranks rows in the same order. */
	readonly similarity?: Similarity;
	/** Replaces the definition's number of queries with a smaller one, for a slow system. */
	readonly queries?: number;
	/** Replaces the definition's efforts. */
	readonly efforts?: Efforts;
}

/** Returns whether an entry is one of passagekit's. */
export const isOurs = ({system}: Entry): boolean => system.startsWith('passagekit');

/** Returns the folder of an entry's system, relative to benches/qps. */
export const folderOf = ({system}: Pick<Entry, 'system'>): string => `vectors/systems/${system}`;

export type Similarity = 'dot' | 'l2';

/**
For each k, the efforts to try, in ascending order. The effort is the parameter that trades speed for recall: for graph
indexes the size of the candidate list (`efSearch`), for ScaNN the number of leaves to search.
*/
export type Efforts = Readonly<Record<string, readonly number[]>>;

/** The place of an index: the rows that it indexes, its options, and its folder. */
export interface Place {
	/** A file of little-endian f32 rows without a header; for passagekit, it may also be a flat index. */
	readonly rows: string;
	/** The number of rows, taken from the start of the file. */
	readonly count: number;
	readonly dim: number;
	readonly similarity: Similarity;
	readonly options: Readonly<Record<string, unknown>>;
	readonly folder: string;
	/** The number of threads that build and search, if the system supports it. */
	readonly threads: number;
}

export interface QueryRequest {
	/** A file of queries, in the same format as the rows. */
	readonly queries: string;
	/** The number of queries, taken from the start of the file. */
	readonly asked: number;
	readonly k: number;
	readonly effort: number;
	readonly batch: boolean;
	/** A file with one byte per row, 1 if the row is allowed. Without this file, all rows are allowed. */
	readonly filter?: string;
	/** A file to write row numbers `[asked, k]` to, as little-endian i32, best first, padded with -1. */
	readonly found?: string;
}

/** The times of the queries of one request. */
export interface QueryTimes {
	/** The wall time of all queries. */
	readonly wallNanos: number;
	/** The CPU time that the process used for all queries. */
	readonly cpuNanos: number;
	/** The wall time of each query; empty for a batch. */
	readonly queryNanos: readonly number[];
}

/** A running vector system. */
export class VectorSystem extends System {
	/** Starts the system, pinned to `threads` cores unless `pinned` is false. */
	constructor(entry: Entry, {threads = 1, pinned = true} = {}) {
		super(join(qpsFolder, folderOf(entry)), {threads, pinned});
	}

	/** Fails if the system cannot restrict a search to a subset of the rows. */
	async checkFilters(): Promise<void> {
		const {filters} = await this.describe();
		if (!filters) {
			throw new Error('cannot filter');
		}
	}

	/**
	Builds an index in an existing, empty folder. The times do not include saving the index. They include reading the rows
	only for passagekit's Rust server.
	*/
	async build(place: Place): Promise<{readonly seconds: number; readonly cpuSeconds: number}> {
		return this.ask({verb: 'build', ...place});
	}

	/** Answers queries, after opening the index if it is not open. */
	async query(place: Place, request: QueryRequest): Promise<QueryTimes> {
		return this.ask({verb: 'query', ...place, ...request});
	}
}

/** Runs a task of passagekit's server program on all cores: finds the ground truth, or makes synthetic vectors. Returns the reply. */
export function vectorsServer(task: 'truth' | 'synthesize', request: object): unknown {
	const program = join(qpsFolder, 'vectors', 'systems', 'passagekit', 'start');
	return JSON.parse(execFileSync(program, [task, JSON.stringify(request)], {encoding: 'utf8'}));
}
