import {type Binding, callNative, callSync} from '../core/native/native.ts';
import {checkBoolean, checkCount, checkFloats, checkId, checkString, isInstance} from '../core/checks.ts';
import {type Joined, columnsIn, hitsIn, listsFrom, room, toColumns, toHits} from '../core/native/hits.ts';
import {type OptionNames, callNames, callOptions, checkOptions, optionNames, signalOption} from '../core/options.ts';
import {runWaitingSearch, waitForTime, yieldToEventLoop} from '../core/event-loop.ts';
import {InlineSearches} from '../core/inline-searches.ts';
import type {CallOptions, Hit, HitColumns, SearchManyOptions, SearchOptions, Vectors} from '../core/types.ts';
import {idBatch, queryBatch, unshared, vectorBatch} from './batches.ts';
import {HitLists} from './columns.ts';
import {type VectorFileOptions, fileOptions, vectorSource} from './vector-file.ts';
import {type IdFilter, VectorFilter, type VectorFilterOptions, nativeFilter, nextIds} from './vector-filter.ts';
import {
	type Ef,
	type ExportVectorsOptions,
	type IndexMetadata,
	type Similarity,
	type UpdateOptions,
	type VectorIndex,
	checkedEf,
	exportOptions,
	updateOptions,
} from './vector-index.ts';

const searchOptions: OptionNames = optionNames<SearchOptions & VectorFilterOptions & Ef>({
	...callNames,
	k: true,
	filter: true,
	efSearch: true,
});
const searchManyOptions: OptionNames = optionNames<SearchManyOptions & VectorFilterOptions & Ef>({
	...callNames,
	k: true,
	threads: true,
	filter: true,
	efSearch: true,
});

/** Ids of `ids()` named at once. */
const IDS_A_SLICE = 1000;

/**
What the two kinds of index share: one object of the addon.

Searches go on while the index is changed. Changes are made one after another, in the order in which an object asked for
them. A search sees a change whole or not at all, and sees it once its promise has resolved: of vectors being added none
is a hit before the last is in its place. `searchMany` is many searches: a change may come between two of its queries.
`save` waits for the changes asked for before and writes what the index is then.
*/
export abstract class NativeVectorIndex implements VectorIndex {
	readonly #native: Binding.NativeVectorIndex;
	readonly #dim: number;
	readonly #quick = new InlineSearches();
	/** Settled when the change asked for last has been handed on. */
	#handedOn: Promise<void> = Promise.resolve();

	/** @internal */
	protected constructor(index: Binding.NativeVectorIndex) {
		this.#native = index;
		this.#dim = callSync(() => index.dim);
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

	/** Bytes in memory; what is mapped from a file does not count. */
	get memoryBytes(): number {
		return callSync(() => this.#native.memoryBytes);
	}

	/**
	Adds vectors, all or none: an id that is there, or twice among those given, refuses all. Progress counts vectors. One
	that is aborted half-way leaves space that `compact` gives back.
	*/
	async add(ids: readonly string[], vectors: Vectors, options: CallOptions = {}): Promise<void> {
		checkOptions('add', options, callOptions);
		await this.#change(
			() => vectorBatch('add', ids, vectors, this.#dim, options.signal),
			batch => callNative(options, control => this.#native.add(batch, control)),
		);
	}

	/**
	Puts other vectors in the place of those with these ids, all or none, in one moment: no search finds the old and the new
	ones together, or misses both. Ids that are not there are refused, or with `upsert` added. Progress counts vectors.
	*/
	async update(ids: readonly string[], vectors: Vectors, options: UpdateOptions = {}): Promise<void> {
		const upsert = checkedUpsert(options);
		await this.#change(
			() => vectorBatch('update', ids, vectors, this.#dim, options.signal),
			batch => callNative(options, control => this.#native.update(batch, upsert, control)),
		);
	}

	/**
	Adds the vectors of a file, all or none as `add` does, and resolves to how many they were. None passes through JavaScript,
	and no more than a few megabytes of the file are held beside the index. Progress counts vectors.
	*/
	async addFile(path: string, options: VectorFileOptions = {}): Promise<number> {
		checkOptions('addFile', options, fileOptions);
		return this.#change(
			() => vectorSource('addFile', path, options),
			({options: source, ids}) => callNative(options, control => this.#native.addFile(path, source, ids, control)),
		);
	}

	/**
	Writes the vectors as a NumPy array `[size, dim]`, as they are stored: of length 1 for cosine. The ids go to `idsPath`, one
	on each line, or as a JSON array if it ends in `.json`. Resolves to how many vectors there were. Progress counts them.

	Both files are written completely; then first the ids and then the vectors replace the old files. On an error neither is
	replaced. Only if the process or machine stops between these two renames are new ids left next to old vectors: `addFile`
	rejects them if their counts differ. Either may be a FIFO; the vectors are written first, and what a FIFO has received cannot
	be undone. Fails with `ERR_ARGUMENT` if both are the same file, and with `ERR_IO` if a file cannot be written.
	*/
	async exportVectors(path: string, options: ExportVectorsOptions = {}): Promise<number> {
		checkString('exportVectors: path', path);
		checkOptions('exportVectors', options, exportOptions);
		const {idsPath} = options;
		if (idsPath !== undefined) {
			checkString('idsPath', idsPath);
		}
		return callNative(options, control => this.#native.exportVectors(path, idsPath, control));
	}

	/** @internal Of an index of phrases: `rows` names them. They take the place of what their passages had. */
	async addPhrases(what: 'add' | 'update', rows: () => Promise<string[]>, vectors: Vectors, options: UpdateOptions): Promise<void> {
		const upsert = checkedUpsert(options);
		await this.#change(
			async () => vectorBatch(what, await rows(), vectors, this.#dim, options.signal),
			batch =>
				callNative(options, control => (what === 'add' ? this.#native.add(batch, control) : this.#native.update(batch, upsert, control))),
		);
	}

	/** @internal Of an index of phrases: what the rows of a passage are called. */
	async phraseRows(id: string): Promise<string[]> {
		checkId('phrases: id', id);
		return callNative({}, () => this.#native.phrases(id));
	}

	/** @internal Of an index of phrases. */
	async passageCount(): Promise<number> {
		return callNative({}, () => this.#native.passageCount());
	}

	async delete(ids: readonly string[]): Promise<number> {
		return this.#change(
			() => idBatch('delete: ids', ids),
			batch => callNative({}, () => this.#native.delete(batch)),
		);
	}

	/**
	Gives back the space of vectors that were deleted, replaced or aborted, and of a graph the time that walks lose in them:
	it is built anew beside the old one, in which searches go on. An opened index is copied to memory. Progress counts
	vectors. Filters hold on.
	*/
	async compact(options: CallOptions = {}): Promise<void> {
		checkOptions('compact', options, callOptions);
		await this.#change(nothing, () => callNative(options, control => this.#native.compact(control)));
	}

	/** Whether there is a vector with this id. */
	async has(id: string): Promise<boolean> {
		checkId('has: id', id);
		return callSync(() => this.#native.hasNow(id)) ?? callNative({}, () => this.#native.has(id));
	}

	/** The vector with this id, as it is stored: of length 1 for cosine. */
	async get(id: string): Promise<Float32Array | undefined> {
		checkId('get: id', id);
		return (await callNative({}, () => this.#native.vector(id))) ?? undefined;
	}

	/** The vectors with these ids, in their order, as they are stored. An unknown id is refused. */
	async vectors(ids: readonly string[]): Promise<Vectors> {
		const batch = await idBatch('vectors: ids', ids);
		const data = await callNative({}, () => this.#native.vectors(batch));
		return {data, rows: data.length / this.#dim, dim: this.#dim};
	}

	/** The ids as they are when the first is asked for, in the order in which they were added. */
	async *ids(): AsyncGenerator<string, void, undefined> {
		const ids = await callNative({}, () => this.#native.ids());
		for (;;) {
			await waitForTime();
			const page = nextIds(ids, IDS_A_SLICE);
			if (page.length === 0) {
				return;
			}
			yield* page;
			// What the caller does with them takes time too.
			await yieldToEventLoop();
		}
	}

	/** Makes a filter for searches of this index. */
	async filter(filter: IdFilter, options: Pick<CallOptions, 'signal'> = {}): Promise<VectorFilter> {
		checkOptions('filter', options, signalOption);
		return isInstance(filter, VectorFilter) ? filter : VectorFilter.of(await nativeFilter(this.#native, filter, options.signal));
	}

	/**
	The nearest vectors, best first; of equal scores the one added earlier first. A search that is estimated at less than a
	quarter of a millisecond, by those before it, is done here and now as far as the turn of the event loop has time left, or
	first thing in the next turn if no other waits for that; others are done on another thread.
	*/
	async search(query: Float32Array, options: SearchOptions & VectorFilterOptions & Ef = {}): Promise<Hit[]> {
		return this.#search(query, options, hitsIn, toHits);
	}

	/** The hits of `search` by columns. */
	async searchColumns(query: Float32Array, options: SearchOptions & VectorFilterOptions & Ef = {}): Promise<HitColumns> {
		return this.#search(query, options, columnsIn, toColumns);
	}

	/**
	`search` for many queries, in one call on several threads. Of a graph that is not large for `efSearch`, many queries (64 and
	more) are compared with all codes, which is faster than so many walks and finds more.
	*/
	async searchMany(queries: Vectors, options: SearchManyOptions & VectorFilterOptions & Ef = {}): Promise<Hit[][]> {
		const run = await this.searchRun(undefined, queries, options);
		const lists: Hit[][] = [];
		while (lists.length < queries.rows) {
			await waitForTime();
			lists.push(...listsFrom(run, lists.length, String));
		}
		return lists;
	}

	/** The hits of `searchMany` by columns: one array of scores, and ids once they are asked for. */
	async searchManyColumns(queries: Vectors, options: SearchManyOptions & VectorFilterOptions & Ef = {}): Promise<HitLists> {
		const run = await this.searchRun(undefined, queries, options);
		return HitLists.of(run, await callNative({}, () => run.scores()));
	}

	async save(path: string, options: CallOptions = {}): Promise<void> {
		checkString('save: path', path);
		checkOptions('save', options, callOptions);
		await this.#change(nothing, () => callNative(options, () => this.#native.save(path)));
	}

	/**
	Reads the whole file that the index was opened from and compares it with its checksums, which opening does for sections
	of up to 16 MiB. Rejects with `ERR_INDEX_CORRUPT`.
	*/
	async verify(): Promise<void> {
		await callNative({}, () => this.#native.verify());
	}

	/** @internal What `share` puts in a handle. */
	protected token(): string {
		return callSync(() => this.#native.share());
	}

	/** @internal Of a flat index. */
	protected nativeStorage(): string | null {
		return callSync(() => this.#native.storage);
	}

	close(): void {
		// A search that waits for its turn is in progress.
		runWaitingSearch();
		callSync(() => this.#native.close());
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}

	/**
	@internal One native call for many queries, which have names or are called by their positions; the lists stay native. For an
	index of phrases: with `passages` hits have the ids of their passages, with `eachPhrase` the best phrases are the hits.
	*/
	async searchRun(
		names: readonly string[] | undefined,
		queries: Vectors,
		options: SearchManyOptions & VectorFilterOptions & Ef,
		passages = false,
		eachPhrase = false,
	): Promise<Binding.NativeRun> {
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, threads = 0, filter, signal} = options;
		checkCount('k', k, 0);
		checkCount('threads', threads, 0);
		const ef = checkedEf(options, k);
		const batch = await (names === undefined
			? queryBatch('searchMany', queries, this.#dim, signal)
			: vectorBatch('searchMany', names, queries, this.#dim, signal));
		const rows = filter === undefined ? undefined : await nativeFilter(this.#native, filter, signal);
		return callNative(options, control => this.#native.searchMany(batch, k, ef, threads, rows, control, passages, eachPhrase));
	}

	/** Hands changes on in the order of their calls, however long it takes to copy what they are given. */
	async #change<Batch, T>(copy: () => Promise<Batch>, start: (batch: Batch) => Promise<T>): Promise<T> {
		const before = this.#handedOn;
		let handOn!: () => void;
		this.#handedOn = new Promise(resolve => {
			handOn = resolve;
		});
		try {
			const batch = await copy();
			await before;
			return start(batch);
		} finally {
			handOn();
		}
	}

	/** The hits that are in the `room`, or those that a thread gives. */
	async #search<T>(
		query: Float32Array,
		options: SearchOptions & VectorFilterOptions & Ef,
		inRoom: (ids: Joined) => T,
		given: (hits: Binding.Hits) => T,
	): Promise<T> {
		checkOptions('search', options, searchOptions);
		const {k = 100, filter, signal} = options;
		checkCount('k', k, 0);
		checkFloats('search', query, this.#dim);
		const ef = checkedEf(options, k);
		signal?.throwIfAborted();
		let vector = unshared(query);
		let rows: Binding.NativeFilter | undefined;
		if (isInstance(filter, VectorFilter)) {
			rows = VectorFilter.handle(filter);
		} else if (filter !== undefined) {
			// The caller may write to the query while the filter is made.
			vector = vector.slice();
			rows = await nativeFilter(this.#native, filter, signal);
		}
		const inThread = async (): Promise<T> => given(await callNative(options, control => this.#native.search(vector, k, ef, rows, control)));
		if (options.onProgress !== undefined) {
			return inThread();
		}
		const here = (): T | undefined => {
			const ids = callSync(() => this.#native.searchIfQuick(vector, k, ef, rows, room));
			return ids === null ? undefined : inRoom(ids);
		};
		const keep = (): void => {
			vector = vector.slice();
		};
		return this.#quick.search(here, inThread, {keep, signal});
	}
}

async function nothing(): Promise<void> {}

function checkedUpsert(options: UpdateOptions): boolean {
	checkOptions('update', options, updateOptions);
	const {upsert = false} = options;
	checkBoolean('update: upsert', upsert);
	return upsert;
}
