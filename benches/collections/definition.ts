// The types of benches/collections: `Definition` says what a run of the benchmark measures (`definitions/<name>.json`), and
// `SystemResult` has the results of one system.
import type {Figure} from '../qps/statistics/statistics.ts';

/** What a run of the benchmark measures, and with which systems. */
export interface Definition {
	/** One sentence about the data, printed before the measurements. */
	readonly about: string;
	/** Names of folders in `systems/`. */
	readonly systems: readonly string[];
	/** Number of documents that each load adds. The searches use the collection of the bulk load. */
	readonly documents: number;
	/** Number of different queries. */
	readonly queries: number;
	/** Number of rounds of the searches, including the searches during additions. */
	readonly rounds: number;
	/** Number of rounds of the loads; small because loads take long. */
	readonly loadRounds: number;
	/** Number of documents per call in a bulk load. */
	readonly bulkBatch: number;
	/** Number of documents per commit in an incremental load. */
	readonly incrementalBatch: number;
	/** Sizes, in documents, of the collections to which the measured commits add documents. */
	readonly commitSizes: readonly number[];
	/** The measured commits: `count` documents per commit, and up to `times` commits (fewer if they take long, but at least two). */
	readonly commits: ReadonlyArray<{readonly count: number; readonly times: number}>;
	/** Filters `price < limit`, which match `limit / 1000` of the documents; 1000 stands for no filter, and must be the first value. */
	readonly priceLimits: readonly number[];
	/** Number of hits per search. */
	readonly k: number;
	/**
	The recall that vector search must reach: the share of the k nearest vectors that it finds. A system's *effort* is its own parameter that
	trades speed for recall, such as `efSearch`. Each system searches with its lowest effort that reaches this recall, or else with its
	highest effort.
	*/
	readonly recall: number;
	/** Seconds of searching per filter, kind of search and round, after warming up. */
	readonly seconds: number;
	/** Searches while documents are added: `rate` documents per second, `batch` documents per commit, for `seconds` seconds. */
	readonly mixed: {readonly rate: number; readonly batch: number; readonly seconds: number};
}

/** The kind of a search. */
export type Kind = 'text' | 'vector' | 'hybrid';

/** Time and memory of a load. The clocks start before the collection is created. */
export interface LoadResult {
	/** Seconds until the last commit returns, without the time of reading the data set. */
	readonly durableSeconds: Figure;
	/** Seconds until the indexes are complete as well (for example, until the graph is built), also without the time of reading. */
	readonly completeSeconds: Figure;
	/** CPU seconds of the process until the indexes are complete, including those of reading the data set. */
	readonly cpuSeconds: Figure;
	/** Size of the collection's files after the process has ended. */
	readonly fileBytes: Figure;
	/** Peak resident memory of the process. */
	readonly peakBytes: Figure;
}

/** The time of commits of one size to a collection. */
export interface CommitResult {
	/** Number of documents before the first commit. */
	readonly size: number;
	/** Number of documents per commit. */
	readonly count: number;
	/** Milliseconds from the call that adds the documents until the commit returns. */
	readonly ms: Figure;
}

/** Searches of one kind with one filter, while nothing is added. */
export interface SearchResult {
	readonly kind: Kind;
	/** The filter `price < priceLimit`; 1000 stands for no filter. */
	readonly priceLimit: number;
	/** The system's effort (see `Definition.recall`); undefined for text search, and for systems that have no such parameter. */
	readonly effort?: unknown;
	/** Share of the k nearest matching vectors that vector search finds with this effort; undefined for text search. */
	readonly recall?: number;
	readonly queriesPerSecond: Figure;
	/** Median latency in milliseconds. */
	readonly p50: Figure;
	/** 99th percentile of the latency in milliseconds. */
	readonly p99: Figure;
	/** Resident memory after the searches. */
	readonly residentBytes: Figure;
}

/** Searches while documents are added. */
export interface MixedResult {
	readonly kind: Kind;
	/** Number of documents that were added per second. */
	readonly documentsPerSecond: Figure;
	readonly queriesPerSecond: Figure;
	/** Median latency in milliseconds. */
	readonly p50: Figure;
	/** 99th percentile of the latency in milliseconds. */
	readonly p99: Figure;
}

/** All results of one system. A result is undefined if it was not measured or failed. */
export interface SystemResult {
	readonly system: string;
	readonly version?: string;
	/** The bulk load: a few calls with many documents each, and one commit after the last call. */
	readonly load?: LoadResult;
	/** The incremental load, with a commit after every `incrementalBatch` documents. */
	readonly incremental?: LoadResult;
	readonly commits: readonly CommitResult[];
	readonly searches: readonly SearchResult[];
	readonly mixed?: MixedResult;
	/** The measurements that failed, each with its error message. */
	readonly failures: readonly string[];
}
