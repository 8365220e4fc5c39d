/** A unit of text that can be retrieved; about 100 words after splitting. */
export interface Passage {
	/** Unique in its corpus; without lone surrogates. Whitespace is allowed except in TREC files. */
	readonly id: string;
	readonly text: string;
	/** Title of the document it was split from. */
	readonly title?: string;
	/** To filter by and to read again. A BM25 index keeps them; files and passage stores do not. */
	readonly fields?: PassageFields | undefined;
}

/**
What a passage carries beside its text, by name: at most 256 fields, names of 1 to 255 bytes. Each name costs an index a
little, so names should be few.
*/
export type PassageFields = Readonly<Record<string, FieldValue>>;

/**
One text, number or truth value, or several texts in their order: at most 10,000. Numbers are finite, −0 is kept as 0;
texts take at most 32,000 bytes.
*/
export type FieldValue = string | number | boolean | readonly string[];

export interface Query {
	readonly id: string;
	readonly text: string;
}

/** A question with its accepted answers. */
export interface Question extends Query {
	/** Accepted answers; none for an unanswerable question. */
	readonly answers: readonly string[];
	/** The passage that the question was written for, where the file has it. */
	readonly context?: Passage;
}

/** A retrieved passage. Its rank is its position in the list, from 1. */
export interface Hit {
	/** Passage id. */
	readonly id: string;
	/** Higher is better; comparable within one list only, unless calibrated. */
	readonly score: number;
}

/** Hits of one query by columns, best first: `scores[i]` is that of `ids[i]`. */
export interface HitColumns {
	readonly ids: string[];
	readonly scores: Float32Array;
}

/** Query id → hits, best first. Each passage occurs once, and scores are finite as 32-bit floats. */
export type Run = ReadonlyMap<string, readonly Hit[]>;

/** Query id → passage id → grade, an integer; 0 means judged as not relevant. */
export type Qrels = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Rows of equal length. */
export interface Vectors {
	/** `[rows, dim]`, row-major. */
	readonly data: Float32Array;
	readonly rows: number;
	readonly dim: number;
}

/** How far a long call is. */
export interface Progress {
	/** Units done: passages, queries, vectors or bytes, as the call says. */
	readonly done: number;
	/** Units in all; 0 while unknown. */
	readonly total: number;
}

/** What every long call takes. */
export interface CallOptions {
	/**
	Cancels the call; the promise then rejects with the signal's reason, once the work has stopped. A signal from another realm or
	a polyfill works too, as long as it has `throwIfAborted`.
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
	/** Hits wanted per query. @default 100 */
	readonly k?: number | undefined;
}

export interface SearchManyOptions extends SearchOptions {
	/** Threads for the batch. @default all cores */
	readonly threads?: number | undefined;
}

/** Anything that ranks passages for a query text: local, hybrid or remote. */
export interface Searcher {
	/** The best passages for one query, best first; of equal scores the earlier passage first. */
	search(query: string, options?: SearchOptions): Promise<Hit[]>;
	/** The same lists as `search` gives query by query, in one call. Progress counts queries. */
	searchMany(queries: readonly Query[], options?: SearchManyOptions): Promise<Run>;
}

/** A text, or a passage with its title. */
export type EncoderInput = string | Pick<Passage, 'text' | 'title'>;

export interface EncodeOptions extends CallOptions {
	/**
	Tokens of one run of the model, filling included; texts are sorted by length first. 1 encodes every text alone, which
	gives a text the same vector whatever else is in the list. @default 2048
	*/
	readonly batchTokens?: number | undefined;
}

/** Makes vectors of texts. */
export interface Encoder {
	readonly dim: number;
	/** Tells encoders apart: an index remembers it, and refuses to be searched with another one. */
	readonly identity?: string;
	/** Returns finite vectors `[inputs.length, dim]` in the order of the inputs. Progress counts inputs. */
	encode(inputs: readonly EncoderInput[], options?: EncodeOptions): Promise<Vectors>;
}

/** Whether accepted answers are texts or regular expressions, as those of CuratedTREC. */
export type AnswerKind = 'text' | 'pattern';
