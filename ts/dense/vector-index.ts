import {type Binding, callNative, callSync, native, nextTurn} from '../native.ts';
import {checkCount, checkFloats, checkOneOf, checkString, checkStrings, checkVectors} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import {toHits} from '../run.ts';
import type {CallOptions, Hit, SearchManyOptions, SearchOptions, Vectors} from '../types.ts';
import {type VectorFileOptions, vectorSource} from './vector-file.ts';

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
	readonly encoder?: string;
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

/** What a graph is asked for besides; an exact index takes no notice of it. */
export interface Ef {
	/** Candidates kept while searching; raised to `k`. More finds more and takes longer. @default 128 */
	readonly efSearch?: number | undefined;
}

export interface ExportVectorsOptions extends CallOptions {
	/** A file for the ids, in the order of the vectors. @default none is written */
	readonly idsPath?: string | undefined;
}

/** Bytes copied in one turn of the event loop: under a millisecond. */
const BYTES_A_TURN = 1 << 20;

/** What the two kinds of index share: one object of the addon. */
export abstract class NativeVectorIndex implements VectorIndex {
	readonly #native: Binding.NativeVectorIndex;

	/** @internal */
	protected constructor(index: Binding.NativeVectorIndex) {
		this.#native = index;
	}

	get dim(): number {
		return callSync(() => this.#native.dim);
	}

	get size(): number {
		return callSync(() => this.#native.size);
	}

	get similarity(): Similarity {
		return callSync(() => this.#native.similarity) as Similarity;
	}

	get metadata(): IndexMetadata {
		return JSON.parse(callSync(() => this.#native.metadata)) as IndexMetadata;
	}

	/** Bytes in memory, mapped ones included. */
	get memoryBytes(): number {
		return callSync(() => this.#native.memoryBytes);
	}

	async add(ids: readonly string[], vectors: Vectors, options: CallOptions = {}): Promise<void> {
		checkStrings('add: ids', ids);
		checkVectors('add', vectors, this.dim, ids.length);
		const batch = new native.VectorBatch();
		const rows = Math.max(1, Math.floor(BYTES_A_TURN / (4 * this.dim)));
		for (let from = 0; from < ids.length; from += rows) {
			if (from > 0) {
				await nextTurn();
				options.signal?.throwIfAborted();
			}
			// A buffer may have been detached meanwhile.
			checkFloats('add: data', vectors.data, vectors.rows * this.dim);
			batch.push(ids.slice(from, from + rows), vectors.data.subarray(from * this.dim, (from + rows) * this.dim));
		}
		await callNative(options, async control => this.#native.add(batch, control));
	}

	/**
	Adds the vectors of a file, all or none, and resolves to how many they were. None passes through JavaScript, and no more
	than a few megabytes of the file are held beside the index. Progress counts vectors.
	*/
	async addFile(path: string, options: VectorFileOptions = {}): Promise<number> {
		const {options: source, ids} = await vectorSource('addFile', path, options);
		return callNative(options, control => this.#native.addFile(path, source, ids, control));
	}

	/**
	Writes the vectors as a NumPy array `[size, dim]`, as they are stored: of length 1 for cosine. The ids go to `idsPath`, one
	on each line, or as a JSON array if it ends in `.json`. Resolves to how many vectors there were. Progress counts them.
	*/
	async exportVectors(path: string, options: ExportVectorsOptions = {}): Promise<number> {
		const {idsPath} = options;
		checkString('exportVectors: path', path);
		if (idsPath !== undefined) {
			checkString('idsPath', idsPath);
		}
		return callNative(options, control => this.#native.exportVectors(path, idsPath, control));
	}

	async delete(ids: readonly string[]): Promise<number> {
		checkStrings('delete: ids', ids);
		return callNative({}, () => this.#native.delete([...ids]));
	}

	async search(query: Float32Array, options: SearchOptions & Ef = {}): Promise<Hit[]> {
		const {k = 100} = options;
		checkCount('k', k, 0);
		checkFloats('search', query, this.dim);
		return toHits(await callNative(options, async control => this.#native.search(query, k, checkedEf(options), control)));
	}

	async searchMany(queries: Vectors, options: SearchManyOptions & Ef = {}): Promise<Hit[][]> {
		const {k = 100} = options;
		checkVectors('searchMany', queries, this.dim);
		const ids = Array.from({length: queries.rows}, (_, row) => String(row));
		const run = await this.searchRun(ids, queries, {...options, k});
		const lists: Hit[][] = [];
		let copied = 0;
		for (const id of ids) {
			lists.push(toHits(run.get(id)!));
			copied += k;
			if (copied > 4000) {
				copied = 0;
				await nextTurn();
			}
		}
		return lists;
	}

	async save(path: string, options: CallOptions = {}): Promise<void> {
		await callNative(options, () => this.#native.save(path));
	}

	close(): void {
		callSync(() => this.#native.close());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}

	/** @internal One native call for many queries; the lists stay native. */
	async searchRun(ids: readonly string[], queries: Vectors, options: SearchManyOptions & Ef): Promise<Binding.NativeRun> {
		const {k = 100, threads = 0} = options;
		checkCount('k', k, 0);
		checkCount('threads', threads, 0);
		checkVectors('searchMany', queries, this.dim, ids.length);
		const batch = new native.VectorBatch();
		const rows = Math.max(1, Math.floor(BYTES_A_TURN / (4 * this.dim)));
		for (let from = 0; from < ids.length; from += rows) {
			if (from > 0) {
				await nextTurn();
			}
			checkFloats('searchMany: data', queries.data, queries.rows * this.dim);
			batch.push(ids.slice(from, from + rows), queries.data.subarray(from * this.dim, (from + rows) * this.dim));
		}
		return callNative(options, async control => this.#native.searchMany(batch, k, checkedEf(options), threads, control));
	}
}

function checkedEf({efSearch = 128}: Ef): number {
	checkCount('efSearch', efSearch, 1);
	return efSearch;
}

export function checkedSimilarity(similarity: unknown): Similarity {
	checkOneOf('similarity', similarity, similarities);
	return similarity;
}

export function checkedMetadata(metadata: IndexMetadata): string {
	try {
		return JSON.stringify(metadata);
	} catch (error) {
		throw new RetrievalError('ERR_ARGUMENT', `metadata: expected plain JSON, got ${(error as Error).message}`, {cause: error});
	}
}
