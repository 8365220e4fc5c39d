// A definition of vectors (definitions/<name>.json), and what is known of each of its entries while they are measured.
import type {Point} from './curve.ts';
import type {Built} from './indexes.ts';
import type {Efforts, Entry, Similarity} from './system.ts';

/** definitions/<name>.json. */
export interface Definition {
	readonly about: string;
	/** Of data.json. */
	readonly data: string;
	/** The first so many. */
	readonly rows: number;
	readonly queries: number;
	readonly similarity: Similarity;
	/** Of each k, the recalls at which speeds are compared; none where search is exact. */
	readonly targets: Readonly<Record<string, readonly number[]>>;
	/** Unless an entry has its own. Without, search is exact. */
	readonly efforts?: Efforts;
	/** In place of these for passagekit, which may be given less than k. */
	readonly ownEfforts?: Efforts;
	/** In each, every entry has its turn. */
	readonly rounds: number;
	/** A share of the rows, drawn at random, among which is searched. */
	readonly filter?: number;
	/** That build and search, each on a core of its own. 1 where there is none. */
	readonly threads?: number;
	/** Opens indexes for each turn and closes them after it: for those that do not fit in memory side by side. */
	readonly reopen?: boolean;
	readonly systems: readonly Entry[];
}

/** What came of one entry. */
export interface Result {
	readonly entry: Entry;
	/** Why there is nothing else. */
	readonly failed?: string;
	readonly built?: Built;
	/** The most memory of the process that searched, of that its own, and what was mapped from files. */
	readonly peakBytes?: number | undefined;
	readonly anonBytes?: number;
	readonly fileBytes?: number;
	/** Of each k, by effort. */
	readonly points?: Readonly<Record<string, readonly Point[]>>;
	readonly queries?: number;
	/** That searched: one where the system has no more for such queries. */
	readonly threads?: number;
	/** Queries of an exact entry whose hits are not the true ones. */
	readonly untrue?: number;
}
