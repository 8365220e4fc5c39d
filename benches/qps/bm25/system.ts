// A BM25 system under test, and the requests that it answers. README.md describes the protocol.
import {join} from 'node:path';
import {qpsFolder} from '../harness/folders.ts';
import {System} from '../harness/system.ts';

/** An entry of a definition: a system, how it is started, and how queries are sent to it. */
export interface Entry {
	readonly name: string;
	/** The name of a folder in systems/. */
	readonly system: string;
	/** Arguments of the system's `start` program. */
	readonly arguments?: readonly string[];
	/** Whether all queries are sent in one call. */
	readonly batch?: boolean;
	/** For a slow system: the number of queries to send, taken from the start of the list. */
	readonly queries?: number;
	/** Whether the hits and all bits of their scores must equal the reference's. */
	readonly exact?: boolean;
}

/** Returns the folder of an entry's system, relative to benches/qps. */
export const folderOf = ({system}: Pick<Entry, 'system'>): string => `bm25/systems/${system}`;

/** The content of a passage file: tokens, or raw text, which each system analyzes with its own English analyzer. */
export type Analysis = 'tokens' | 'english';

/** The times of answering all queries once. */
export interface Round {
	readonly wallNanos: number;
	/** The CPU time of the searching thread, or of the whole process if several threads search or the system runs in Node. */
	readonly cpuNanos: number;
	/** The wall time of each query; empty for a batch. */
	readonly queryNanos: readonly number[];
}

/** A request to answer queries. */
export interface QueryRequest {
	/** The folder of the index. */
	readonly folder: string;
	/** A file of queries, as lines of `id<TAB>tokens` or, for an index of raw text, `id<TAB>text`. */
	readonly queries: string;
	/** The number of hits per query. */
	readonly k: number;
	/** The number of times to run all queries. */
	readonly rounds: number;
	/** Whether all queries are searched in one call. */
	readonly batch: boolean;
	/** The number of threads that search, if the system can use several. */
	readonly threads: number;
	/** A file to write the last round's hits to, as lines of `query id<TAB>passage id<TAB>score`. */
	readonly hits?: string;
}

/** A running BM25 system. */
export class Bm25System extends System {
	/** Starts the system, pinned to `threads` cores. */
	constructor(entry: Entry, threads = 1) {
		super(join(qpsFolder, folderOf(entry)), {args: entry.arguments ?? [], threads});
	}

	/** Builds an index in an existing, empty folder. Returns the time in seconds. */
	async build(passages: string, folder: string, analysis: Analysis): Promise<number> {
		return (await this.ask<{seconds: number}>({verb: 'build', passages, folder, analysis})).seconds;
	}

	/** Answers queries. Returns the times of each round. */
	async query(request: QueryRequest): Promise<readonly Round[]> {
		return (await this.ask<{rounds: readonly Round[]}>({verb: 'query', ...request})).rounds;
	}
}
