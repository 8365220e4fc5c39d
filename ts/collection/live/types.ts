/** The public types of the searches of a collection, of their results, and of its statistics. */
import type {Filter} from '../../core/filters/filter.ts';
import type {StoredFieldsOf} from '../../core/typed-fields.ts';
import type {Hit, Passage} from '../../core/types.ts';
import type {FusionMethod} from '../../fusion/method.ts';
import type {SplitSetting} from './documents.ts';
import type {StoredEncoder} from './settings.ts';
import type {VectorInput} from './vector-rows.ts';

/** How a collection retrieves passages: with BM25, with vectors, or with both fused. */
export type Retriever = 'bm25' | 'dense' | 'hybrid';

/** The parts of a hit that are returned on request. */
export type Include = 'text' | 'title' | 'fields' | 'highlights' | 'sentence';

/** The options of `Collection.search`. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface CollectionSearchOptions<Part extends Include = Include, Fields = any> {
	/** How passages are retrieved. @default 'hybrid', or 'bm25' for a collection without vectors */
	readonly retriever?: Retriever | undefined;
	/** Maximum number of hits. @default 10 */
	readonly k?: number | undefined;
	/** Number of best hits to skip: `offset: 20, k: 10` is the third page. @default 0 */
	readonly offset?: number | undefined;
	/** Restricts the search to passages that match. A hybrid search filters both lists before it fuses them. @default all */
	readonly filter?: Filter<Fields> | undefined;
	/**
	What hits have besides ids and scores. Only 'sentence' is slow: the passage encoder encodes each sentence of each hit.
	@default []
	*/
	readonly include?: readonly Part[] | undefined;
	/** With 'document', each document is returned once, with its best passage. @default every passage */
	readonly groupBy?: 'document' | undefined;
	/**
	How a hybrid search fuses the BM25 list and the dense list.
	@default {method: 'hybridNorm', alpha: 0.05} for vectors of unit length, else {method: 'dprHybrid'}
	*/
	readonly fusion?: FusionMethod | undefined;
	/**
	Number of hits taken from each list of a hybrid search; at least `offset + k` are taken. A larger number can change the order of the hits.
	Set it to read pages beyond the default, so that all pages have the same order.
	@default 100, or if `offset + k` is larger, the next of 1,000, 10,000, …
	*/
	readonly depth?: number | undefined;
	/** The vector of the query. @default the one that the question encoder computes */
	readonly vector?: VectorInput | undefined;
	/**
	Number of candidates that a search of the graph expands. A larger number raises recall and takes longer. To read many pages, set it to the
	number of hits that users can reach, so that all pages come from the same list.
	@default 128; with `offset` and the retriever 'dense', if `offset + k` is larger than 100, the next of 1,000, 10,000, …
	*/
	readonly efSearch?: number | undefined;
	/** Scores all vectors, so that none of the best passages is missed. @default false */
	readonly exact?: boolean | undefined;
	/** Cancels the search. */
	readonly signal?: AbortSignal | undefined;
}

/** A range of a text in UTF-16 code units, from `start` (included) to `end` (excluded). */
export interface Highlight {
	readonly start: number;
	readonly end: number;
}

/** A passage of a collection. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface StoredPassage<Fields = any> {
	/** The id of the passage: `<id of the document>#<number of the passage, from 0>`. */
	readonly id: string;
	/** The id of the document. */
	readonly document: string;
	readonly title?: string;
	readonly text: string;
	/** The fields of the document; empty without fields. */
	readonly fields: StoredFieldsOf<Fields>;
}

/** A passage that was found, with its text and the id of its document. */
export interface FoundPassage extends Passage, Hit {
	/** The id of the document. */
	readonly document: string;
}

/** The parts of a hit that a search can ask for. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface HitParts<Fields = any> {
	readonly text: string;
	/** `undefined` if the passage has no title. */
	readonly title?: string;
	readonly fields: StoredFieldsOf<Fields>;
	/** The words of the text that match words of the query, in order. */
	readonly highlights: readonly Highlight[];
	/**
	The sentence of the text that is closest in meaning to the query: the one whose vector is most similar to the vector of the query, or the
	first of several such sentences. A sentence is encoded like a passage, with the title. `start` and `end` are 0 for a blank text. Only for
	the retrievers 'dense' and 'hybrid', in a collection with a passage encoder.
	*/
	readonly sentence: Highlight;
}

/**
A passage that was found, with the parts that the search asked for. In `CollectionHit<'text'>`, the text is always there. If the compiler
does not know which parts a search asks for, all of them are optional.
*/
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export type CollectionHit<Part extends Include = Include, Fields = any> = {
	/** The id of the passage. */
	readonly id: string;
	/** The id of the document. */
	readonly document: string;
	/** Higher is better. Compare scores within one search only. */
	readonly score: number;
} & (Include extends Part ? Partial<HitParts<Fields>> : Pick<HitParts<Fields>, Part>);

/** The result of `Collection.search`. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface SearchResult<Part extends Include = Include, Fields = any> {
	/** The hits, best first. If two scores are equal, the passage that was added earlier comes first. */
	readonly hits: ReadonlyArray<CollectionHit<Part, Fields>>;
	/** How the passages were retrieved. */
	readonly retriever: Retriever;
}

/** The counts and settings of a collection after its last commit. */
export interface CollectionStats {
	/** Number of commits so far. */
	readonly generation: number;
	readonly documents: number;
	readonly passages: number;
	/** Number of segments of the BM25 index. */
	readonly segments: number;
	/** Dimension of the vectors; `undefined` without vectors. */
	readonly dim: number | undefined;
	/** Number of vectors that are not in the graph yet. They are inserted in the background; searches scan them until then. */
	readonly pendingVectors: number;
	/** Memory that vectors and graph take, in bytes, without the parts that are mapped from files. */
	readonly memoryBytes: number;
	/** Whether there are uncommitted changes. */
	readonly hasChanges: boolean;
	/** How the texts of documents are split into passages; `false` if each is one passage. */
	readonly split: SplitSetting;
	/** The passage encoder; `undefined` without one. */
	readonly encoder: StoredEncoder | undefined;
	/** The question encoder, if it is not the passage encoder. */
	readonly questionEncoder: StoredEncoder | undefined;
}

/** The options of `Collection.count`. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface CountOptions<Fields = any> {
	/** Which passages are counted. @default all */
	readonly filter?: Filter<Fields> | undefined;
	/** With 'document', each document that has a matching passage counts once. @default every passage counts */
	readonly groupBy?: 'document' | undefined;
}

/** The options of `Collection.facets`. */
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export interface FacetOptions<Fields = any> extends CountOptions<Fields> {
	/** Maximum number of values. @default 100 */
	readonly limit?: number | undefined;
}

/** One value of a field, and the number of passages or documents that have it. */
export interface ValueCount<Value = string | number | boolean> {
	readonly value: Value;
	readonly count: number;
}

/**
Identifies an open collection for another thread of the same process. A handle is plain data: `collection.share()` returns it, `postMessage`
sends it, and `Collection.attach` accepts it. A handle does not keep the collection open: close a collection only after the other threads
have attached to it.
*/
export interface CollectionHandle {
	readonly kind: 'Collection';
	/** The folder. */
	readonly path: string;
	/** Identifies the open collection within the process. */
	readonly token: string;
}
