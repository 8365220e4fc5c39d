// A vector system under test (README.md has the requests).
import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {System, here} from '../system.ts';

/** A line of a definition's table: a system, the index that it makes, and how it is asked. */
export interface Entry {
	readonly name: string;
	/** A folder of systems/. */
	readonly system: string;
	/** Of building and opening, as the system has them. With `threads` it builds on all cores. */
	readonly options: Readonly<Record<string, unknown>>;
	/** All queries in one call. */
	readonly batch?: boolean;
	/** Whether it is called from Node. */
	readonly node?: boolean;
	/** Whether its hits must be the true ones, in their order. */
	readonly exact?: boolean;
	/** No search, but what none can be faster than. */
	readonly limit?: boolean;
	/** In place of the definition's similarity, where it orders rows alike. */
	readonly similarity?: Similarity;
	/** In place of the definition's: fewer, for a system that is slow. */
	readonly queries?: number;
	readonly efforts?: Efforts;
}

/** Whether an entry is of passagekit. */
export const isOurs = ({system}: Entry): boolean => system.startsWith('passagekit');

/** The folder of an entry's system, below benches/qps. */
export const folderOf = ({system}: Pick<Entry, 'system'>): string => `vectors/systems/${system}`;

export type Similarity = 'dot' | 'l2';

/** Of each k, what a search is given to spend, ascending: candidates kept, leaves searched. */
export type Efforts = Readonly<Record<string, readonly number[]>>;

/** Rows, and where their index is. */
export interface Place {
	readonly rows: string;
	readonly count: number;
	readonly dim: number;
	readonly similarity: Similarity;
	readonly options: Readonly<Record<string, unknown>>;
	readonly folder: string;
	/** That build and search, where the system can. */
	readonly threads: number;
}

export interface Asked {
	readonly queries: string;
	/** How many of them, from the first. */
	readonly asked: number;
	readonly k: number;
	readonly effort: number;
	readonly batch: boolean;
	/** A byte for each row, not 0 where it may be found; without, all may. */
	readonly filter?: string;
	/** A file to write row numbers `[asked, k]` to, as little-endian i32, best first. */
	readonly found?: string;
}

/** Of all queries asked. */
export interface Spent {
	readonly wallNanos: number;
	/** Of the process. */
	readonly cpuNanos: number;
	/** Wall time of each; none of a batch. */
	readonly queryNanos: readonly number[];
}

/** A running system. */
export class VectorSystem extends System {
	/** On as many cores as it may have threads; on all where it is not `pinned`. */
	constructor(entry: Entry, {threads = 1, pinned = true} = {}) {
		super(join(here, folderOf(entry)), {threads, pinned});
	}

	/** Fails where it cannot search among some rows only. */
	async checkFilters(): Promise<void> {
		const {filters} = await this.describe();
		if (!filters) {
			throw new Error('cannot filter');
		}
	}

	/** Of building alone: the file is read before and the index saved after. The folder is there, and empty. */
	async build(place: Place): Promise<{readonly seconds: number; readonly cpuSeconds: number}> {
		return this.ask({verb: 'build', ...place});
	}

	async query(place: Place, asked: Asked): Promise<Spent> {
		return this.ask({verb: 'query', ...place, ...asked});
	}
}

/** Runs passagekit's server for one piece of work, on all cores. */
export function vectorsServer(work: 'truth' | 'synthesize', request: object): unknown {
	const program = join(here, 'vectors', 'systems', 'passagekit', 'start');
	return JSON.parse(execFileSync(program, [work, JSON.stringify(request)], {encoding: 'utf8'}));
}
