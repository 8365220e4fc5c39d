/** The interface of vector indexes, with the types and options that its implementations share. */
import {checkCount, checkObject, checkOneOf, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type CheckedOpenOptions, type OpenOptions, checkedOpenOptions, openOptionNames} from '../core/open-options.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Hit, SearchManyOptions, SearchOptions, Vectors} from '../core/types.ts';

/**
How vectors are scored; higher is better.

- `dot`: inner product of the vectors.
- `cosine`: inner product of the vectors scaled to unit length.
- `l2`: the negated squared Euclidean distance.
*/
export type Similarity = 'dot' | 'cosine' | 'l2';

export const similarities: readonly Similarity[] = ['dot', 'cosine', 'l2'];

/** Metadata that is stored with an index: plain JSON. */
export interface IndexMetadata {
	/** `Encoder.identity` of the encoder that made the vectors. Searching with another encoder fails with `ERR_ENCODER_MISMATCH`. */
	readonly encoder?: string | undefined;
	/** `Encoder.identity` of the question encoder, if it differs from that of passages, as in DPR. Searches must then use this one. */
	readonly questionEncoder?: string | undefined;
	readonly [key: string]: unknown;
}

/** Stores vectors by id and finds the nearest ones. `FlatIndex` and `HnswIndex` implement it. */
export interface VectorIndex extends AsyncDisposable {
	/** Number of dimensions of the vectors. */
	readonly dim: number;
	/** Number of vectors that can be found. */
	readonly size: number;
	/** How vectors are scored. */
	readonly similarity: Similarity;
	/** Plain JSON that is stored with the index. */
	readonly metadata: IndexMetadata;
	/** Adds vectors, one per id, all or none. Do not change `vectors` until the promise settles. */
	add(ids: readonly string[], vectors: Vectors, options?: CallOptions): Promise<void>;
	/** Deletes vectors; unknown ids are ignored. Resolves to the number of deleted vectors. */
	delete(ids: readonly string[]): Promise<number>;
	/** Returns the nearest vectors to one query, `[dim]`, best first. `query` is copied before `search` returns its promise. */
	search(query: Float32Array, options?: SearchOptions): Promise<Hit[]>;
	/** Returns one hit list per row of `queries`, `[rows, dim]`. Progress counts queries. */
	searchMany(queries: Vectors, options?: SearchManyOptions): Promise<Hit[][]>;
	/** Writes the index to one file. An existing file is replaced atomically. */
	save(path: string, options?: CallOptions): Promise<void>;
	/** Frees the memory. Calls in progress finish first. */
	close(): void;
}

/** How the file of an index is opened. */
export interface OpenIndexOptions extends OpenOptions {}

const openOptions: OptionNames = optionNames<OpenIndexOptions>(openOptionNames);

export function checkedOpen(path: string, options: OpenIndexOptions): CheckedOpenOptions {
	checkString('open: path', path);
	checkOptions('open', options, openOptions);
	return checkedOpenOptions(options);
}

/** The option of approximate searches; an exact index ignores it. */
export interface EfSearchOption {
	/**
	Number of candidates that a search of the graph expands: it ends when the `efSearch` best candidates that it has found have been expanded.
	A larger number raises recall and takes longer. The number may be smaller than `k`, but recall is then lower: with `k` = 100 and 5,000 to
	50,000 vectors, searches found .52 of the best vectors with `efSearch` = 1, .55 to .74 with 10, and .84 to .96 with 50. If comparing the
	query with all vectors is faster, as for a few thousand vectors, the graph is not used; `searchMany` then decides for the whole batch.
	@default 128, or `k` if that is larger
	*/
	readonly efSearch?: number | undefined;
}

/** The options of updates. */
export interface UpdateOptions extends CallOptions {
	/** Adds ids that do not exist yet, instead of rejecting them. @default false */
	readonly upsert?: boolean | undefined;
}

/** The options of `exportVectors`. */
export interface ExportVectorsOptions extends CallOptions {
	/** Path of a file for the ids, in the order of the vectors. @default no file is written */
	readonly idsPath?: string | undefined;
}

export const updateOptions: OptionNames = optionNames<UpdateOptions>({...callNames, upsert: true});
export const exportOptions: OptionNames = optionNames<ExportVectorsOptions>({...callNames, idsPath: true});

/** Default of `efSearch`, unless `k` is larger. */
const EF_SEARCH = 128;

export function checkedEf({efSearch}: EfSearchOption, k: number): number {
	if (efSearch === undefined) {
		return Math.max(EF_SEARCH, k);
	}
	checkCount('efSearch', efSearch, 1);
	return efSearch;
}

export function checkedSimilarity(similarity: unknown): Similarity {
	checkOneOf('similarity', similarity, similarities);
	return similarity;
}

export function checkedMetadata(metadata: IndexMetadata): string {
	checkObject('metadata', metadata, 'an object of plain JSON');
	try {
		return JSON.stringify(metadata);
	} catch (error) {
		throw new RetrievalError('ERR_ARGUMENT', `metadata: expected plain JSON, got ${(error as Error).message}`, {cause: error});
	}
}
