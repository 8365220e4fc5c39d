import {checkCount, checkObject, checkOneOf, checkString} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {type CheckedOpenOptions, type OpenOptions, checkedOpenOptions, openOptionNames} from '../core/open-options.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, Hit, SearchManyOptions, SearchOptions, Vectors} from '../core/types.ts';

/**
What a score is; higher is better.

- `dot`: inner product of the vectors as they are.
- `cosine`: inner product of the vectors scaled to unit length.
- `l2`: the negated squared distance.
*/
export type Similarity = 'dot' | 'cosine' | 'l2';

export const similarities: readonly Similarity[] = ['dot', 'cosine', 'l2'];

/** What an index remembers of its making, for whoever opens it. Plain JSON. */
export interface IndexMetadata {
	/** `Encoder.identity` of the encoder that made the vectors. A search with another one is refused. */
	readonly encoder?: string | undefined;
	/** `Encoder.identity` of the encoder of questions, where it is another, as DPR's is. A search with any other is refused. */
	readonly questionEncoder?: string | undefined;
	readonly [key: string]: unknown;
}

/** Vectors by id. `FlatIndex` and `HnswIndex` are two. */
export interface VectorIndex extends AsyncDisposable {
	readonly dim: number;
	/** Vectors that can be found. */
	readonly size: number;
	readonly similarity: Similarity;
	readonly metadata: IndexMetadata;
	/** Adds `ids.length === vectors.rows` vectors, all or none. Leave `vectors` as they are until it settles. */
	add(ids: readonly string[], vectors: Vectors, options?: CallOptions): Promise<void>;
	/** Takes vectors out; unknown ids are passed over. Resolves to how many were there. */
	delete(ids: readonly string[]): Promise<number>;
	/** The nearest vectors to one query, `[dim]`. The query is copied before this returns. */
	search(query: Float32Array, options?: SearchOptions): Promise<Hit[]>;
	/** One list per row, over all cores. Progress counts queries. */
	searchMany(queries: Vectors, options?: SearchManyOptions): Promise<Hit[][]>;
	/** Writes the index to one file, which replaces `path` whole or not at all. */
	save(path: string, options?: CallOptions): Promise<void>;
	/** Frees the memory; calls in progress finish. */
	close(): void;
}

export interface OpenIndexOptions extends OpenOptions {}

const openOptions: OptionNames = optionNames<OpenIndexOptions>(openOptionNames);

export function checkedOpen(path: string, options: OpenIndexOptions): CheckedOpenOptions {
	checkString('open: path', path);
	checkOptions('open', options, openOptions);
	return checkedOpenOptions(options);
}

/** What a graph is asked for besides; an exact index takes no notice of it. */
export interface Ef {
	/**
	 * Rows that a search goes to, the nearest that it finds. More finds more and takes longer. Fewer than `k` are enough for
	 * about nine of ten hits, for a row leads to many. Where comparing all rows takes less time, as of some thousands, all
	 * are compared. @default 128, or `k` if that is more
	 */
	readonly efSearch?: number | undefined;
}

export interface UpdateOptions extends CallOptions {
	/** Adds ids that are not there; else they are refused. @default false */
	readonly upsert?: boolean | undefined;
}

export interface ExportVectorsOptions extends CallOptions {
	/** A file for the ids, in the order of the vectors. @default none is written */
	readonly idsPath?: string | undefined;
}

export const updateOptions: OptionNames = optionNames<UpdateOptions>({...callNames, upsert: true});
export const exportOptions: OptionNames = optionNames<ExportVectorsOptions>({...callNames, idsPath: true});

/** Rows that a search goes to, unless it says otherwise. */
const EF_SEARCH = 128;

export function checkedEf({efSearch}: Ef, k: number): number {
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
