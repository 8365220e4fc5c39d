/** The types that all parts of this package share. */

/** A unit of text that can be retrieved; about 100 words after splitting. */
export interface Passage {
	/** Unique in its corpus, without lone surrogates. White space is allowed, except in TREC files. */
	readonly id: string;
	readonly text: string;
	/** Title of the document that it was split from. */
	readonly title?: string;
	/** Values to filter by and to read back. A BM25 index stores them; files and passage stores do not. */
	readonly fields?: PassageFields | undefined;
}

/**
Fields of a passage, by name: at most 256 fields, with names of 1 to 255 bytes. Every name adds some overhead to an index, so use
few different names.
*/
export type PassageFields = Readonly<Record<string, FieldValue>>;

/**
A string, a finite number, a boolean, or up to 10,000 strings, whose order is kept. −0 is stored as 0. A string has at most 32,000
bytes of UTF-8.
*/
export type FieldValue = string | number | boolean | readonly string[];

export interface Query {
	readonly id: string;
	readonly text: string;
}

/** A question with its accepted answers. */
export interface Question extends Query {
	/** Accepted answers; empty for an unanswerable question. */
	readonly answers: readonly string[];
	/** The passage that the question was written for, if the file has it. */
	readonly context?: Passage;
}

/** A retrieved passage. Its rank is its position in the list, from 1. */
export interface Hit {
	/** The id of the passage. */
	readonly id: string;
	/** Higher is better. Scores are comparable within one list only, unless they are calibrated. */
	readonly score: number;
}

/** The hits of one query by columns, best first: `scores[i]` is the score of `ids[i]`. */
export interface HitColumns {
	readonly ids: string[];
	readonly scores: Float32Array;
}

/** Query id → hits, best first. Each passage occurs once, and scores are finite as 32-bit floats. */
export type Run = ReadonlyMap<string, readonly Hit[]>;

/** Query id → passage id → grade, an integer; 0 means judged as not relevant. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A matrix of vectors. */
export interface Vectors {
	/** `[rows, dim]`, row-major. */
	readonly data: Float32Array;
	readonly rows: number;
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
	Cancels the call. The promise then rejects with the signal's reason once the work has stopped. A signal from another realm or a
	polyfill works too if it has `throwIfAborted`.
	*/
	readonly signal?: AbortSignal | undefined;
	/**
	Called about ten times per second while the call runs, and once at its end. If it throws, or returns a promise that rejects,
	the work stops as if it had been aborted, `onProgress` is not called again, and the call rejects with that error. Its promises
	are awaited only before the call settles. An error in the last call also rejects, although the work is done by then.
	*/
	readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface SearchOptions extends CallOptions {
	/** Maximum number of hits per query. @default 100 */
	readonly k?: number | undefined;
}

export interface SearchManyOptions extends SearchOptions {
	/** Number of threads. @default all cores */
	readonly threads?: number | undefined;
}

/** Ranks passages for a query text. Implement it to use your own ranking, also a remote one, in hybrids and evaluations. */
export interface Searcher {
	/** Returns the best passages for one query, best first; of equal scores, the passage that was added earlier comes first. */
	search(query: string, options?: SearchOptions): Promise<Hit[]>;
	/** Returns the hits of many queries: the same lists as those of `search`. Progress counts queries. */
	searchMany(queries: readonly Query[], options?: SearchManyOptions): Promise<Run>;
}

/** A text, or a passage with its title. */
export type EncoderInput = string | Pick<Passage, 'text' | 'title'>;

export interface EncodeOptions extends CallOptions {
	/**
	Maximum number of tokens per batch of the model, padding included. Texts are sorted by length first. With 1, every text is encoded
	alone, and its vector does not depend on the other texts. @default 2048
	*/
	readonly batchTokens?: number | undefined;
}

/** Encodes texts as vectors. Implement it to use your own model. */
export interface Encoder {
	/** Length of the vectors. */
	readonly dim: number;
	/** Identifies the encoder and its settings. An index stores it and rejects searches with another encoder. */
	readonly identity?: string;
	/** Returns finite vectors `[inputs.length, dim]`, in the order of the inputs. Progress counts inputs. */
	encode(inputs: readonly EncoderInput[], options?: EncodeOptions): Promise<Vectors>;
}

/** Whether accepted answers are texts, or regular expressions as in CuratedTREC. */
export type AnswerKind = 'text' | 'pattern';
