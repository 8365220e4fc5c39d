/** The base class of the vector indexes, which passes calls to the addon. */
import {CallsInProgress} from '../core/calls-in-progress.ts';
import {type Binding, callNative, callSync} from '../core/native/native.ts';
import {checkBoolean, checkCount, checkFloats, checkId, checkString, isInstance} from '../core/checks.ts';
import {KnownIds, joinedListsFrom, toColumns, toHits} from '../core/native/hits.ts';
import {RetrievedRun} from '../core/native/runs.ts';
import {type OptionNames, callNames, callOptions, checkOptions, optionNames, signalOption} from '../core/options.ts';
import {runWaitingSearch, yieldIfOverBudget, yieldToEventLoop} from '../core/event-loop.ts';
import {InlineSearches} from '../core/inline-searches.ts';
import type {CallOptions, Hit, HitColumns, SearchManyOptions, SearchOptions, Vectors} from '../core/types.ts';
import {idBatch, queryBatch, unshared, vectorBatch} from './batches.ts';
import {HitLists} from './columns.ts';
import {type VectorFileOptions, fileOptions, vectorSource} from './vector-file.ts';
import {type IdFilter, VectorFilter, type VectorFilterOptions, nativeFilter, nextIds} from './vector-filter.ts';
import {
	type EfSearchOption,
	type ExportVectorsOptions,
	type IndexMetadata,
	type Similarity,
	type UpdateOptions,
	type VectorIndex,
	checkedEf,
	exportOptions,
	updateOptions,
} from './vector-index.ts';

const searchOptions: OptionNames = optionNames<SearchOptions & VectorFilterOptions & EfSearchOption>({
	...callNames,
	k: true,
	filter: true,
	efSearch: true,
});
const searchManyOptions: OptionNames = optionNames<SearchManyOptions & VectorFilterOptions & EfSearchOption>({
	...callNames,
	k: true,
	threads: true,
	filter: true,
	efSearch: true,
});

/** Number of ids that `ids()` converts per iteration of the event loop. */
const IDS_PER_SLICE = 1000;

/**
The common base class of `FlatIndex` and `HnswIndex`.

Searches continue while the index changes. Changes are applied one after another, in the order of their calls. Each change is atomic: a
search sees all of it or none of it, and a search that starts after its promise has resolved sees it. `searchMany` is a series of searches,
so a change may happen between two of its queries. `save` waits for the changes that were requested before it.

Up to 1,000 ids and half a megabyte of vectors are copied before a call returns its promise. Do not change longer arguments until the promise
settles.
*/
export abstract class NativeVectorIndex implements VectorIndex {
	readonly #native: Binding.NativeVectorIndex;
	readonly #dim: number;
	readonly #inline = new InlineSearches();
	readonly #knownIds = new KnownIds();
	/** The calls that consist of several steps. The addon itself finishes single steps before it closes the index. */
	readonly #calls = new CallsInProgress('index');
	/** Settles when the last requested change has been passed to the addon. The addon applies changes in the order in which it gets them. */
	#lastChange: Promise<void> = Promise.resolve();
	/** Number of changes that have been requested. */
	#changeCount = 0;
	/** Number of requested changes that have not ended. */
	#runningChanges = 0;
	/** Whether another thread may change the index. */
	#isShared = false;

	/** @internal */
	protected constructor(index: Binding.NativeVectorIndex) {
		this.#native = index;
		this.#dim = callSync(() => index.dim);
	}

	/** Number of dimensions of the vectors. */
	get dim(): number {
		return callSync(() => this.#native.dim);
	}

	/** Number of vectors that can be found. */
	get size(): number {
		return callSync(() => this.#native.size);
	}

	/** How vectors are scored. */
	get similarity(): Similarity {
		return callSync(() => this.#native.similarity) as Similarity;
	}

	/** The metadata that the index was created with. */
	get metadata(): IndexMetadata {
		return JSON.parse(callSync(() => this.#native.metadata)) as IndexMetadata;
	}

	/** Memory of the index in bytes, not counting memory-mapped files. */
	get memoryBytes(): number {
		return callSync(() => this.#native.memoryBytes);
	}

	/**
	Adds vectors `[ids.length, dim]`, all or none. Fails with `ERR_DUPLICATE_ID` if an id exists already or is given twice, and with
	`ERR_DIMENSION` if the shapes do not match. Progress counts vectors. An aborted call leaves unused space, which `compact` frees.
	*/
	async add(ids: readonly string[], vectors: Vectors, options: CallOptions = {}): Promise<void> {
		checkOptions('add', options, callOptions);
		await this.#change(
			() => vectorBatch('add', ids, vectors, this.#dim, options.signal),
			batch => callNative(options, control => this.#native.add(batch, control)),
		);
	}

	/**
	Replaces the vectors with these ids atomically: every search finds either all the old vectors or all the new ones. Fails with
	`ERR_ARGUMENT` if an id does not exist, unless `upsert` is set: the vector is then added. Progress counts vectors.
	*/
	async update(ids: readonly string[], vectors: Vectors, options: UpdateOptions = {}): Promise<void> {
		const upsert = checkedUpsert(options);
		await this.#change(
			() => vectorBatch('update', ids, vectors, this.#dim, options.signal),
			batch => callNative(options, control => this.#native.update(batch, upsert, control)),
		);
	}

	/**
	Adds the vectors of a file, all or none, and resolves to their number. The vectors do not pass through JavaScript, and besides the index
	only a few megabytes of the file are held in memory. Progress counts vectors.
	*/
	async addFile(path: string, options: VectorFileOptions = {}): Promise<number> {
		checkOptions('addFile', options, fileOptions);
		return this.#change(
			() => vectorSource('addFile', path, options),
			({options: source, ids}) => callNative(options, control => this.#native.addFile(path, source, ids, control)),
		);
	}

	/**
	Writes the vectors to `path` as a NumPy array `[size, dim]`, as they are stored: with unit length for `cosine`. The ids are written to
	`idsPath`, one per line, or as a JSON array if the path ends in `.json`. Resolves to the number of vectors. Progress counts vectors.

	New files are written completely before they replace existing ones: first the ids are replaced, then the vectors. If a file cannot be
	written, neither is replaced. If the process or the machine stops between the two replacements, new ids remain next to old vectors;
	`addFile` rejects such a pair if the counts differ. Either file may be a FIFO; the vectors are then written before the ids. Fails with
	`ERR_ARGUMENT` if both paths name the same file, and with `ERR_IO` if a file cannot be written.
	*/
	async exportVectors(path: string, options: ExportVectorsOptions = {}): Promise<number> {
		checkString('exportVectors: path', path);
		checkOptions('exportVectors', options, exportOptions);
		this.#calls.checkOpen();
		const {idsPath} = options;
		if (idsPath !== undefined) {
			checkString('idsPath', idsPath);
		}
		return callNative(options, control => this.#native.exportVectors(path, idsPath, control));
	}

	/**
	@internal For an index of phrases: adds phrases, or replaces all phrases of their passages. `rows` returns the row ids of the phrases.
	*/
	async addPhrases(what: 'add' | 'update', rows: () => Promise<string[]>, vectors: Vectors, options: UpdateOptions): Promise<void> {
		const upsert = checkedUpsert(options);
		await this.#change(
			async () => vectorBatch(what, await rows(), vectors, this.#dim, options.signal),
			batch =>
				callNative(options, control => (what === 'add' ? this.#native.add(batch, control) : this.#native.update(batch, upsert, control))),
		);
	}

	/** @internal For an index of phrases: the row ids of the phrases of a passage. */
	async phraseRows(id: string): Promise<string[]> {
		checkId('phrases: id', id);
		this.#calls.checkOpen();
		return callNative({}, () => this.#native.phrases(id));
	}

	/** @internal For an index of phrases: the number of different passages. */
	async passageCount(): Promise<number> {
		return callNative({}, () => this.#native.passageCount());
	}

	/** Deletes vectors; unknown ids are ignored. Resolves to the number of deleted vectors. */
	async delete(ids: readonly string[]): Promise<number> {
		return this.#change(
			() => idBatch('delete: ids', ids),
			batch => callNative({}, () => this.#native.delete(batch)),
		);
	}

	/**
	Frees the space of vectors that were deleted, replaced or left by aborted calls. A graph is rebuilt without them, which also restores
	the speed of searches; searches use the old graph until the new one is complete. An index that was opened from a file is copied to
	memory. Filters stay valid. Progress counts vectors.
	*/
	async compact(options: CallOptions = {}): Promise<void> {
		checkOptions('compact', options, callOptions);
		await this.#change(copyNothing, () => callNative(options, control => this.#native.compact(control)));
	}

	/** Resolves to whether there is a vector with this id. */
	async has(id: string): Promise<boolean> {
		checkId('has: id', id);
		this.#calls.checkOpen();
		return callSync(() => this.#native.hasNow(id)) ?? callNative({}, () => this.#native.has(id));
	}

	/** Resolves to the vector with this id, as it is stored: with unit length for `cosine`. `undefined` if there is none. */
	async get(id: string): Promise<Float32Array | undefined> {
		checkId('get: id', id);
		this.#calls.checkOpen();
		return (await callNative({}, () => this.#native.vector(id))) ?? undefined;
	}

	/** Resolves to the vectors with these ids, in the order of `ids`, as they are stored. Fails with `ERR_ARGUMENT` if an id is unknown. */
	async vectors(ids: readonly string[]): Promise<Vectors> {
		return this.#calls.run(async () => {
			const batch = await idBatch('vectors: ids', ids);
			const data = await callNative({}, () => this.#native.vectors(batch));
			return {data, rows: data.length / this.#dim, dim: this.#dim};
		});
	}

	/** Iterates over the ids that exist when the iteration starts, in the order in which they were added. */
	async *ids(): AsyncGenerator<string, void, undefined> {
		this.#calls.checkOpen();
		const ids = await callNative({}, () => this.#native.ids());
		for (;;) {
			await yieldIfOverBudget();
			const page = nextIds(ids, IDS_PER_SLICE);
			if (page.length === 0) {
				return;
			}
			yield* page;
			// The caller's loop body takes time as well, so the event loop runs after each page.
			await yieldToEventLoop();
		}
	}

	/** Compiles a filter, so that searches of this index can reuse it. */
	async filter(filter: IdFilter, options: Pick<CallOptions, 'signal'> = {}): Promise<VectorFilter> {
		checkOptions('filter', options, signalOption);
		return this.#calls.run(async () =>
			isInstance(filter, VectorFilter) ? filter : VectorFilter.of(await nativeFilter(this.#native, filter, options.signal)),
		);
	}

	/**
	Returns the nearest vectors to `query`, `[dim]`, best first. If two scores are equal, the vector that was added earlier comes first.

	A search that is expected to take less than a quarter of a millisecond, judging by earlier searches, runs on the JavaScript thread. It
	starts immediately if this package has used less than about a millisecond of the current iteration of the event loop, and otherwise at the
	start of the next iteration, unless another search is already waiting for that iteration. All other searches, and those with `onProgress`,
	run on the thread pool.
	*/
	async search(query: Float32Array, options: SearchOptions & VectorFilterOptions & EfSearchOption = {}): Promise<Hit[]> {
		return this.#search(query, options, newIds => this.#knownIds.hits(newIds), toHits);
	}

	/** Returns the hits of `search` by columns. */
	async searchColumns(query: Float32Array, options: SearchOptions & VectorFilterOptions & EfSearchOption = {}): Promise<HitColumns> {
		return this.#search(query, options, newIds => this.#knownIds.columns(newIds), toColumns);
	}

	/**
	Returns one hit list per row of `queries`, `[rows, dim]`, computed on several threads. Progress counts queries.

	For a batch of 64 or more queries without a filter, an `HnswIndex` that is small in relation to `efSearch` does not use its graph: it
	compares every query with the quantized codes of all vectors, which is faster and has a higher recall.
	*/
	async searchMany(queries: Vectors, options: SearchManyOptions & VectorFilterOptions & EfSearchOption = {}): Promise<Hit[][]> {
		const run = await this.searchRun(undefined, queries, options);
		const lists: Hit[][] = [];
		while (lists.length < queries.rows) {
			await yieldIfOverBudget();
			lists.push(...this.listsFrom(run, lists.length));
		}
		return lists;
	}

	/** Returns the hits of `searchMany` by columns: one array of all scores, and ids that become strings when they are read. */
	async searchManyColumns(queries: Vectors, options: SearchManyOptions & VectorFilterOptions & EfSearchOption = {}): Promise<HitLists> {
		const run = await this.searchRun(undefined, queries, options);
		return HitLists.of(run, await callNative({}, () => run.scores()), this.#knownIds);
	}

	/** Writes the index to one file, with all changes that were requested before this call. An existing file is replaced atomically. */
	async save(path: string, options: CallOptions = {}): Promise<void> {
		checkString('save: path', path);
		checkOptions('save', options, callOptions);
		await this.#change(copyNothing, () => callNative(options, () => this.#native.save(path)));
	}

	/**
	Reads the whole file from which the index was opened and compares it with its checksums; `open` does so only for sections of up to
	16 MiB. Fails with `ERR_INDEX_CORRUPT` if a checksum differs.
	*/
	async verify(): Promise<void> {
		this.#calls.checkOpen();
		await callNative({}, () => this.#native.verify());
	}

	/** @internal Identifies the current vectors. `undefined` while a change runs, and if other threads may change the index. */
	get version(): number | undefined {
		return this.#isShared || this.#runningChanges > 0 ? undefined : this.#changeCount;
	}

	/** @internal Records that another thread may change the index. Returns the index. */
	protected shared(): this {
		this.#isShared = true;
		return this;
	}

	/** @internal The token of a handle. */
	protected token(): string {
		this.shared();
		return callSync(() => this.#native.share());
	}

	/** @internal The storage of a flat index. */
	protected nativeStorage(): string | null {
		return callSync(() => this.#native.storage);
	}

	/**
	Refuses later calls with `ERR_CLOSED`, and frees the memory when the calls in progress have finished. `await using` waits for these calls;
	this method does not.
	*/
	close(): void {
		// A search that waits for the next iteration of the event loop counts as a call in progress.
		runWaitingSearch();
		this.#calls.closeThen(() => {
			callSync(() => this.#native.close());
			this.#knownIds.clear();
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
		await this.#calls.close();
	}

	/**
	@internal Searches for many queries in one native call. The hit lists stay in native memory. If `queryIds` is `undefined`, the query ids
	of the run are the positions of the queries. For an index of phrases: with `passages`, the hits have the ids of passages; with
	`eachPhrase`, every phrase is a hit of its own.
	*/
	async searchRun(
		queryIds: readonly string[] | undefined,
		queries: Vectors,
		options: SearchManyOptions & VectorFilterOptions & EfSearchOption,
		passages = false,
		eachPhrase = false,
	): Promise<Binding.NativeRun> {
		checkOptions('searchMany', options, searchManyOptions);
		const {k = 100, threads = 0, filter, signal} = options;
		checkCount('k', k, 0);
		checkCount('threads', threads, 0);
		const ef = checkedEf(options, k);
		return this.#calls.run(async () => {
			const batch = await (queryIds === undefined
				? queryBatch('searchMany', queries, this.#dim, signal)
				: vectorBatch('searchMany', queryIds, queries, this.#dim, signal));
			const compiled = filter === undefined ? undefined : await nativeFilter(this.#native, filter, signal);
			return callNative(options, control => this.#native.searchMany(batch, k, ef, threads, compiled, control, passages, eachPhrase));
		});
	}

	/** @internal Does the same as `searchRun`, and returns a `RetrievedRun`. Its hits have the ids of rows. */
	async searchRetrievedRun(
		queryIds: readonly string[],
		queries: Vectors,
		options: SearchManyOptions & VectorFilterOptions & EfSearchOption,
	): Promise<RetrievedRun> {
		return new RetrievedRun(await this.searchRun(queryIds, queries, options), this.#knownIds);
	}

	/** @internal Returns the next hit lists of a run whose query ids are positions, starting with the one at position `first`. */
	listsFrom(run: Binding.NativeRun, first: number): Hit[][] {
		return this.#knownIds.listsFrom(run, first) ?? joinedListsFrom(run, first, String);
	}

	/** Runs a change after all earlier ones, and counts it. */
	async #change<Batch, T>(copy: () => Promise<Batch>, start: (batch: Batch) => Promise<T>): Promise<T> {
		return this.#calls.run(async () => {
			this.#changeCount += 1;
			this.#runningChanges += 1;
			try {
				return await this.#inOrder(copy, start);
			} finally {
				this.#runningChanges -= 1;
			}
		});
	}

	/** Copies the arguments of a change, waits until all earlier changes have been passed to the addon, and starts the change. */
	async #inOrder<Batch, T>(copy: () => Promise<Batch>, start: (batch: Batch) => Promise<T>): Promise<T> {
		const previous = this.#lastChange;
		let release!: () => void;
		this.#lastChange = new Promise(resolve => {
			release = resolve;
		});
		try {
			const batch = await copy();
			await previous;
			return start(batch);
		} finally {
			release();
		}
	}

	/**
	Searches inline, that is, on the JavaScript thread, or on the thread pool. `fromBuffer` converts the hits of an inline search, and
	`fromThread` those of a search on the thread pool.
	*/
	async #search<T>(
		query: Float32Array,
		options: SearchOptions & VectorFilterOptions & EfSearchOption,
		fromBuffer: (newIds: string | null) => T | undefined,
		fromThread: (hits: Binding.Hits) => T,
	): Promise<T> {
		checkOptions('search', options, searchOptions);
		const {k = 100, filter, signal} = options;
		this.#calls.checkOpen();
		checkCount('k', k, 0);
		checkFloats('search', query, this.#dim);
		const ef = checkedEf(options, k);
		signal?.throwIfAborted();
		let vector = unshared(query);
		const run = async (compiled: Binding.NativeFilter | undefined): Promise<T> => {
			const onThreadPool = async (): Promise<T> =>
				fromThread(await callNative(options, control => this.#native.search(vector, k, ef, compiled, control)));
			if (options.onProgress !== undefined) {
				return onThreadPool();
			}
			const inline = (): T | undefined =>
				fromBuffer(callSync(() => this.#native.searchIfQuick(vector, k, ef, compiled, this.#knownIds.buffer())));
			const keep = (): void => {
				vector = vector.slice();
			};
			return this.#inline.search(inline, onThreadPool, {keep, signal});
		};
		if (filter === undefined || isInstance(filter, VectorFilter)) {
			return run(filter === undefined ? undefined : VectorFilter.handle(filter));
		}
		// The caller may change the query while the filter is compiled.
		vector = vector.slice();
		return this.#calls.run(async () => run(await nativeFilter(this.#native, filter, signal)));
	}
}

/** For changes that have no arguments to copy. */
async function copyNothing(): Promise<void> {}

function checkedUpsert(options: UpdateOptions): boolean {
	checkOptions('update', options, updateOptions);
	const {upsert = false} = options;
	checkBoolean('update: upsert', upsert);
	return upsert;
}
