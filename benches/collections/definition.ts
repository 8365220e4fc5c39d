// What a run of benches/collections measures (`definitions/<name>.json`), and its results.
import type {Figure} from '../qps/statistics/statistics.ts';

export interface Definition {
	readonly about: string;
	/** Folders of `systems/`. */
	readonly systems: readonly string[];
	/** Number of documents of the loads and of the collection that is searched. */
	readonly documents: number;
	readonly queries: number;
	readonly rounds: number;
	/** Number of rounds of the loads, which take long. */
	readonly loadRounds: number;
	/** Number of documents per call of a bulk load. */
	readonly bulkBatch: number;
	/** Number of documents per commit of an incremental load. */
	readonly incrementalBatch: number;
	/** Sizes of the collections to which documents are committed. */
	readonly commitSizes: readonly number[];
	/** Numbers of documents per commit, and how many such commits are made. */
	readonly commits: ReadonlyArray<{readonly count: number; readonly times: number}>;
	/** Filters `price < limit`, which match `limit / 1000` of the documents; 1000 stands for no filter. */
	readonly priceLimits: readonly number[];
	readonly k: number;
	/** Each system searches with the lowest effort whose recall of the k nearest vectors is at least this. */
	readonly recall: number;
	/** Seconds of searches per filter, kind and round. */
	readonly seconds: number;
	/** Searches while documents are added: documents per second, documents per commit, and seconds. */
	readonly mixed: {readonly rate: number; readonly batch: number; readonly seconds: number};
}

export type Kind = 'text' | 'vector' | 'hybrid';

/** The time of a load, from creating the collection. */
export interface LoadResult {
	/** Seconds until all documents are on the disk. */
	readonly durableSeconds: Figure;
	/** Seconds until the indexes are complete, too. */
	readonly completeSeconds: Figure;
	/** CPU seconds of the process until the indexes are complete. */
	readonly cpuSeconds: Figure;
	/** Bytes of files after the process has ended. */
	readonly fileBytes: Figure;
	readonly peakBytes: Figure;
}

export interface CommitResult {
	/** Number of documents before the first commit. */
	readonly size: number;
	/** Number of documents per commit. */
	readonly count: number;
	/** Milliseconds from the call that adds the documents until they are on the disk. */
	readonly ms: Figure;
}

export interface SearchResult {
	readonly kind: Kind;
	/** The filter `price < priceLimit`; 1000 stands for no filter. */
	readonly priceLimit: number;
	/** The system's parameter; undefined if it has none. */
	readonly effort?: unknown;
	/** Share of the k nearest matching vectors that vector search finds with this effort. */
	readonly recall?: number;
	readonly queriesPerSecond: Figure;
	/** Milliseconds. */
	readonly p50: Figure;
	readonly p99: Figure;
	/** Resident memory after the searches. */
	readonly residentBytes: Figure;
}

export interface MixedResult {
	readonly kind: Kind;
	/** Documents per second that were added. */
	readonly documentsPerSecond: Figure;
	readonly queriesPerSecond: Figure;
	/** Milliseconds. */
	readonly p50: Figure;
	readonly p99: Figure;
}

export interface SystemResult {
	readonly system: string;
	readonly version?: string;
	readonly load?: LoadResult;
	readonly incremental?: LoadResult;
	readonly commits: readonly CommitResult[];
	readonly searches: readonly SearchResult[];
	readonly mixed?: MixedResult;
	/** What failed, and why. */
	readonly failures: readonly string[];
}
