/** The options of the methods of `Collection`. */
import type {Filter} from '../core/filters/filter.ts';
import {type OptionNames, optionNames} from '../core/options.ts';
import type {FieldName} from '../core/typed-fields.ts';
import type {CallOptions} from '../core/types.ts';
import type {FusionMethod} from '../fusion/index.ts';
import type {Answer, ReadOptions} from '../reader/index.ts';
import {type BuildOptions, buildNames} from './build.ts';
import {type LiveOptions, liveNames} from './live/create.ts';
import type {CountOptions, FacetOptions, FoundPassage, Retriever} from './live/types.ts';

/** The options of `Collection.open`. */
export interface CollectionOptions extends LiveOptions {
	/** The model of the reader for `ask`, as for `ExtractiveReader.load`. @default 'minilm-reader' */
	readonly reader?: string | undefined;
}

/** The options of `Collection.attach`. */
export type AttachOptions = Pick<
	CollectionOptions,
	'encoder' | 'passageEncoder' | 'questionEncoder' | 'encoderOptions' | 'autoCommit' | 'refreshMs' | 'reader' | 'k1' | 'b'
>;

/** The options of `Collection.searcher`. */
export interface SearcherOptions {
	/**
	The vector index of dense searches. In an updatable collection, 'flat' scores all vectors, and 'hnsw' searches the graph.
	@default 'hnsw'; for a collection that `Collection.build` made, 'flat' if it has up to 50,000 passages or no graph
	*/
	readonly vectorIndex?: 'flat' | 'hnsw' | undefined;
	/**
	How a hybrid search fuses the BM25 list and the dense list.
	@default {method: 'hybridNorm', alpha: 0.05} for vectors of unit length, else {method: 'dprHybrid'}
	*/
	readonly fusion?: FusionMethod | undefined;
	/**
	Number of hits taken from the BM25 list and from the dense list before a hybrid search fuses them.
	@default 1000; for `Collection.ask` in an updatable collection, 100, or if `passages` is larger, the next of 1,000, 10,000, …
	*/
	readonly depth?: number | undefined;
}

/** An answer of `ask`. */
export interface FoundAnswer extends Answer {
	/** The id of the document that has the passage. */
	readonly document: string;
}

/** The options of `Collection.ask`. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface AskOptions<Fields = any> extends Omit<ReadOptions, 'k' | 'onProgress' | 'evidence'>, SearcherOptions {
	/** Weights of evidence fusion, which adds retrieval scores to relevances. @default those of `defaultEvidence` for the retriever */
	readonly evidence?: ReadOptions['evidence'];
	/** How passages are retrieved. @default 'hybrid', or 'bm25' for a collection without vectors */
	readonly retriever?: Retriever | undefined;
	/** Number of passages that are retrieved and read. @default 20 */
	readonly passages?: number | undefined;
	/** Maximum number of answers. @default 3 */
	readonly answers?: number | undefined;
	/** Restricts retrieval to passages that match. @default all */
	readonly filter?: Filter<Fields> | undefined;
}

/** The options of `Collection.optimize`. */
export interface OptimizeOptions extends CallOptions {
	/** Number of threads that insert the remaining vectors into the graph. @default all cores */
	readonly threads?: number | undefined;
}

/** The options of `Collection.neighbors`. */
export interface NeighborOptions {
	/** Maximum number of passages before the given one. @default 1 */
	readonly before?: number | undefined;
	/** Maximum number of passages after the given one. @default 1 */
	readonly after?: number | undefined;
}

/** The options of `Collection.list`. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface ListOptions<Fields = any> {
	/** Which passages are returned. @default all */
	readonly filter?: Filter<Fields> | undefined;
	/** The field to sort by. Passages without it come last. */
	readonly sortBy: FieldName<Fields>;
	/** The order of the field's values. @default 'ascending' */
	readonly order?: 'ascending' | 'descending' | undefined;
	/** Number of passages to skip at the start of the list. @default 0 */
	readonly offset?: number | undefined;
	/** Maximum number of passages. @default 10 */
	readonly k?: number | undefined;
}

/** The options of `Collection.build`: those of the build, and those of the collection that is then opened. */
export type CollectionBuildOptions = BuildOptions & Pick<CollectionOptions, 'reader' | 'k1' | 'b'>;

export const buildOptions: OptionNames = optionNames<CollectionBuildOptions>({...buildNames, reader: true, k1: true, b: true});
export const openOptions: OptionNames = optionNames<CollectionOptions>({...liveNames, reader: true});
export const attachOptions: OptionNames = optionNames<AttachOptions>({
	encoder: true,
	passageEncoder: true,
	questionEncoder: true,
	encoderOptions: true,
	autoCommit: true,
	refreshMs: true,
	reader: true,
	k1: true,
	b: true,
});
const searcherNames = {vectorIndex: true, fusion: true, depth: true} as const;
export const searcherOptions: OptionNames = optionNames<SearcherOptions>(searcherNames);
export const optimizeOptions: OptionNames = optionNames<OptimizeOptions>({signal: true, onProgress: true, threads: true});
export const neighborOptions: OptionNames = optionNames<NeighborOptions>({before: true, after: true});
export const listOptions: OptionNames = optionNames<ListOptions>({filter: true, sortBy: true, order: true, offset: true, k: true});
export const facetOptions: OptionNames = optionNames<FacetOptions>({filter: true, limit: true, groupBy: true});
export const countOptions: OptionNames = optionNames<CountOptions>({filter: true, groupBy: true});
export const filterOption: OptionNames = optionNames<{readonly filter?: Filter}>({filter: true});
export const discardOption: OptionNames = optionNames<{readonly discard?: boolean}>({discard: true});
export const askOptions: OptionNames = optionNames<AskOptions>({
	...searcherNames,
	signal: true,
	scoring: true,
	spansPerPassage: true,
	maxAnswerTokens: true,
	evidence: true,
	merge: true,
	retriever: true,
	passages: true,
	answers: true,
	filter: true,
});

/** The result of `Collection.ask`. */
export interface AskResult {
	/** The answers, best first. */
	readonly answers: readonly FoundAnswer[];
	/** The passages that were read, with their retrieval scores, best first. */
	readonly passages: readonly FoundPassage[];
	/** How the passages were retrieved: with BM25, with vectors, or with both. */
	readonly retriever: Retriever;
}
