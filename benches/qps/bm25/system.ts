// A BM25 system under test (README.md has the requests).
import {join} from 'node:path';
import {System, here} from '../system.ts';

/** A line of a definition's table: a system, how it is started, and how it is asked. */
export interface Entry {
	readonly name: string;
	/** A folder of systems/. */
	readonly system: string;
	readonly arguments?: readonly string[];
	/** All queries in one call. */
	readonly batch?: boolean;
	/** Asked in place of all, from the first: for a system that is slow. */
	readonly queries?: number;
	/** Whether its hits and the bits of their scores must be the reference's. */
	readonly exact?: boolean;
}

/** The folder of an entry's system, below benches/qps. */
export const folderOf = ({system}: Pick<Entry, 'system'>): string => `bm25/systems/${system}`;

/** What a passage file holds: tokens, or raw text for the system's own english analyzer. */
export type Analysis = 'tokens' | 'english';

export interface Round {
	readonly wallNanos: number;
	/** Of the thread that searched; where there may be several, of the process. */
	readonly cpuNanos: number;
	/** Wall time of each query; empty in a batch. */
	readonly queryNanos: readonly number[];
}

export interface QueryRequest {
	readonly folder: string;
	readonly queries: string;
	readonly k: number;
	readonly rounds: number;
	readonly batch: boolean;
	/** That search at once, where the system can. */
	readonly threads: number;
	/** A file to write the last round's hits to, as `query<TAB>passage<TAB>score`. */
	readonly hits?: string;
}

/** A running system. */
export class Bm25System extends System {
	/** On as many cores as it may have threads. */
	constructor(entry: Entry, threads = 1) {
		super(join(here, folderOf(entry)), {words: entry.arguments ?? [], threads});
	}

	/** Seconds that an index takes. The folder is there, and empty. */
	async build(passages: string, folder: string, analysis: Analysis): Promise<number> {
		return (await this.ask<{seconds: number}>({verb: 'build', passages, folder, analysis})).seconds;
	}

	async query(request: QueryRequest): Promise<readonly Round[]> {
		return (await this.ask<{rounds: readonly Round[]}>({verb: 'query', ...request})).rounds;
	}
}
