// The types that all parts of this package share.
import type {Filter} from './filters/filter.ts';

/** A unit of text that can be retrieved; about 100 words after splitting. */
export interface Passage {
	/** Unique in the corpus, and well-formed Unicode (no lone surrogates). White space is allowed, except in TREC files. */
	readonly id: string;
	readonly text: string;
	/** Title of the document that the passage was split from. */
	readonly title?: string;
	/** Values to filter searches by. A BM25 index stores them and returns them (`Bm25Index.fields`); files and passage stores do not. */
	readonly fields?: PassageFields | undefined;
}

/**
Fields of a passage, by name: at most 256 fields, with names of 1 to 255 bytes. Every name adds some overhead to an index, so use
few different names.
*/
export type PassageFields = Readonly<Record<string, FieldValue>>;

/**
A string, a finite number, a boolean, a date, or an array of up to 10,000 strings and dates, which keep their order. −0 is stored as 0. A
string has at most 32,000 bytes of UTF-8. A `Date` is stored as its ISO 8601 string (`toISOString()`), so that code point order is
chronological order; its year must be from 0000 to 9999.
*/
export type FieldValue = string | number | boolean | Date | readonly (string | Date)[];

/** The fields of a passage as an index returns them, by name. */
export type StoredFields = Readonly<Record<string, StoredFieldValue>>;

/** A stored value: a `FieldValue` in which strings have replaced dates. */
export type StoredFieldValue = string | number | boolean | readonly string[];

/** A text to search for. Ids must be unique in a list of queries; otherwise, calls fail with `ERR_DUPLICATE_ID`. */
export interface Query {
	readonly id: string;
	readonly text: string;
}

/** A question with its accepted answers. */
export interface Question extends Query {
	/** Accepted answers; empty for an unanswerable question. */
	readonly answers: readonly string[];
	/** The passage that the question was written for, if the file of questions has it. */
	readonly context?: Passage;
	/** Ids of the passages that answer the question (gold passages), if it was read with the option `goldField`. */
	readonly positives?: readonly string[];
}

/** A retrieved passage. Its rank is its position in the list, from 1. */
export interface Hit {
	/** The id of the passage. */
	readonly id: string;
	/** Higher is better. Compare scores within one list only: their scale depends on the query and on the searcher. */
	readonly score: number;
}

/** The hits of one query as columns, best first: `scores[i]` is the score of `ids[i]`. */
export interface HitColumns {
	readonly ids: string[];
	readonly scores: Float32Array;
}

/** Maps each query id to its hits, best first. A passage occurs at most once in a list, and scores are finite 32-bit floats. */
export type Run = ReadonlyMap<string, readonly Hit[]>;

/** Relevance judgments: query id → passage id → grade, a 32-bit integer. A grade above 0 means relevant, 0 means judged as not relevant. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A matrix of vectors. */
export interface Vectors {
	/** The numbers, `[rows, dim]`, row-major. */
	readonly data: Float32Array;
	/** Number of vectors. */
	readonly rows: number;
	/** Number of dimensions of each vector. */
	readonly dim: number;
}

/** The progress of a long call. */
export interface Progress {
	/** Number of units done. The call documents its unit: passages, queries, vectors or bytes. */
	readonly done: number;
	/** Total number of units; 0 while unknown. */
	readonly total: number;
}

/** The options of every long call. */
export interface CallOptions {
	/**
	Cancels the call. The promise then rejects with the signal's reason once the work has stopped. Signals of another realm or of a
	polyfill also work if they have `throwIfAborted`.
	*/
	readonly signal?: AbortSignal | undefined;
	/**
	Called about ten times per second while the call runs, and once at its end. If it throws, or returns a promise that rejects,
	the work stops, `onProgress` is not called again, and the call rejects with that error, even if the work was already complete.
	The work does not wait for promises that `onProgress` returns, but the call settles only after they have settled.
	*/
	readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** The options of a search. */
export interface SearchOptions extends CallOptions {
	/** Maximum number of hits per query. @default 100 */
	readonly k?: number | undefined;
}

/** The options of a search for many queries. */
export interface SearchManyOptions extends SearchOptions {
	/** Number of threads. @default all cores */
	readonly threads?: number | undefined;
}

/** The options of a search with a filter. */
export interface FilteredSearchOptions extends SearchOptions {
	/** Restricts the search to passages that match, before the best ones are chosen. @default every passage */
	readonly filter?: Filter | undefined;
}

/** The options of a search for many queries with a filter. */
export interface FilteredSearchManyOptions extends SearchManyOptions {
	/** Restricts the search to passages that match, before the best ones are chosen. @default every passage */
	readonly filter?: Filter | undefined;
}

/** Ranks passages for a query text. Implement it to use your own ranking, for example a remote service, in hybrids and evaluations. */
export interface Searcher {
	/** Returns the best passages for one query, best first. If two scores are equal, the passage that was added earlier comes first. */
	search(query: string, options?: SearchOptions): Promise<Hit[]>;
	/**
	Returns the hits of many queries: for each query, the list that `search` returns. There is one exception: for 64 or more queries without a
	filter, an `HnswIndex` may scan the quantized codes of all vectors instead of the graph. The lists can then differ from those of `search`,
	and usually have a higher recall. Progress counts queries.
	*/
	searchMany(queries: readonly Query[], options?: SearchManyOptions): Promise<Run>;
	/**
	Declares that both searches take the option `filter`, and fails with `ERR_ARGUMENT` if they could not apply this filter. It does no
	search. A searcher without this method takes no filters: `HybridSearcher` and `ConfidenceSearcher` then refuse them, because a searcher
	that does not know the option would ignore it.
	*/
	checkFilter?(filter: Filter): void;
}

/** A searcher that takes filters. All searchers of this package do, but some only if all of their parts do. */
export interface FilterableSearcher extends Searcher {
	search(query: string, options?: FilteredSearchOptions): Promise<Hit[]>;
	searchMany(queries: readonly Query[], options?: FilteredSearchManyOptions): Promise<Run>;
	checkFilter(filter: Filter): void;
}

/**
Selects passages by their fields for the searchers of other indexes, which have ids but no fields: `DenseSearcher` and `PhraseSearcher`.
`Bm25Index` implements it.
*/
export interface FieldIndex {
	/**
	A number that changes whenever `matching` may return different ids than before. Searchers reuse the results of earlier calls while the
	number stays the same. @default results are not reused
	*/
	readonly generation?: number;
	/**
	Returns the given ids whose passages match a filter, in the order of `ids`. An unknown id is treated as the id of a passage without
	fields. Fails with `ERR_ARGUMENT` for a filter that a search would refuse.
	*/
	matching(ids: readonly string[], filter: Filter, options?: Pick<CallOptions, 'signal'>): Promise<string[]>;
}

/** A text, or a passage with its title. */
export type EncoderInput = string | Pick<Passage, 'text' | 'title'>;

/** The options of `Encoder.encode`. */
export interface EncodeOptions extends CallOptions {
	/**
	Maximum number of tokens that the model encodes in one batch, padding included. Texts are sorted by length first, so that little
	padding is needed. With 1, every text is encoded alone, and its vector does not depend on the other texts. Models that passagekit itself
	runs need neither: their batches have at least 2048 tokens and no padding, and vectors never depend on other texts. @default 2048
	*/
	readonly batchTokens?: number | undefined;
}

/** Encodes texts as vectors. Implement it to use your own model. */
export interface Encoder {
	/** Number of dimensions of the vectors. */
	readonly dim: number;
	/** Identifies the model and its settings. If the metadata of an index has an identity, searches with a different encoder are rejected. */
	readonly identity?: string;
	/**
	For a question encoder that was trained for the vectors of a passage encoder, such as one that `trainQuestionEncoder` has trained: the
	`identity` of that encoder, whose indexes then accept this one.
	*/
	readonly passageEncoder?: string | undefined;
	/**
	Whether all vectors have length 1. By default, a collection that is created with such an encoder uses the fusion method `hybridNorm`, and
	`ask` adds retrieval scores to the reader's scores (evidence fusion). @default false
	*/
	readonly normalized?: boolean | undefined;
	/** Returns one vector per input, in the order of the inputs: `[inputs.length, dim]`, finite. Progress counts inputs. */
	encode(inputs: readonly EncoderInput[], options?: EncodeOptions): Promise<Vectors>;
}

/** Whether accepted answers are texts (`text`), or regular expressions (`pattern`) as in the data set CuratedTREC. */
export type AnswerKind = 'text' | 'pattern';
