// The definition of one BM25 benchmark (definitions/<name>.json): what is measured, and which systems are compared.
import type {Analysis, Entry} from './system.ts';

/** The content of definitions/<name>.json. */
export interface Definition {
	readonly about: string;
	/** The level of instruction sets that systems are held to (`harness/level.ts`); by default, each system chooses its own. */
	readonly level?: string;
	/** The name of a corpus in data/data.json. */
	readonly corpus: string;
	/** The name of a list of queries in data/data.json. Without queries, the time to build indexes is measured. */
	readonly queries?: string;
	readonly analysis: Analysis;
	/** The numbers of hits per query. Searches are measured for each of them. */
	readonly k?: readonly number[];
	/** The number of rounds. In each round, every entry is measured once. */
	readonly rounds: number;
	/**
	The untimed rounds before the first timed one. If queries are measured, each k is warmed up separately: by at least
	`rounds` rounds, which take at least `seconds` seconds, and by one round even without this field. If building is
	measured, `seconds` is ignored.
	*/
	readonly warmUp?: {readonly rounds: number; readonly seconds: number};
	/**
	The number of threads that search, each on its own core; 1 by default. The file may say `all`, which `run.ts` replaces
	with the number of cores. Indexes are always built by one thread, which keeps passages in order.
	*/
	readonly threads?: number;
	/** The name of the entry that all others are compared with. */
	readonly reference: string;
	/** The entries: systems, each with the way in which it is called. */
	readonly systems: readonly Entry[];
}
