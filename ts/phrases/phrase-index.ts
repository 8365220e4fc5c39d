/** `PhraseIndex`: an index with several vectors per passage, one for each phrase. */
import {open as openFile} from 'node:fs/promises';
import {checkArray, checkBoolean, checkFloats, checkObject, checkOneOf, checkString, isInstance, isPlain} from '../core/checks.ts';
import {
	FlatIndex,
	type FlatIndexOptions,
	HnswIndex,
	type HnswIndexOptions,
	type IdFilter,
	type IndexHandle,
	type IndexMetadata,
	type OpenIndexOptions,
	type Similarity,
	type UpdateOptions,
	type VectorFilter,
	type VectorFilterOptions,
} from '../dense/index.ts';
import {updateOptions} from '../dense/vector-index.ts';
import {type ErrorCode, RetrievalError} from '../core/errors.ts';
import type {Binding} from '../core/native/native.ts';
import {type OptionNames, callNames, callOptions, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {yieldIfOverBudget} from '../core/event-loop.ts';
import type {CallOptions, Passage, SearchManyOptions, SearchOptions, Vectors} from '../core/types.ts';
import {type AddPassagesOptions, type AddedPassages, addPassages} from './add-passages.ts';
import {type PhraseHit, type PhrasePlace, passageOf, phraseHits, placeOf, rowOf} from './phrase-id.ts';

/** How the vectors of phrases are stored. */
export interface PhraseNormalization {
	/**
	Whether the vectors of phrases are scaled to unit length when they are added. Query vectors are not scaled (Yang et al., 2023, §3.1).
	@default true for `similarity: 'dot'`, else false
	*/
	readonly normalize?: boolean | undefined;
}

/** The options of an index of phrases, which stores vectors in an exact index (`flat`, the default) or in a graph (`hnsw`). */
export type PhraseIndexOptions = PhraseNormalization &
	(({readonly vectorIndex?: 'flat' | undefined} & FlatIndexOptions) | ({readonly vectorIndex: 'hnsw'} & HnswIndexOptions));

/** The options of a search for one query. A filter selects passages by their ids. */
export interface PhraseSearchOptions extends SearchOptions, VectorFilterOptions {
	/**
	Number of candidates that a search of a graph expands, as in `HnswIndex`. The search expands more of them if they belong to fewer than
	`k` passages.
	@default 128, or `k` if that is larger
	*/
	readonly efSearch?: number | undefined;
}

/** The options of a search for many queries. A filter selects passages by their ids. */
export interface PhraseSearchManyOptions extends SearchManyOptions, VectorFilterOptions {
	/**
	Number of candidates that a search of a graph expands, as in `HnswIndex`. The search expands more of them if they belong to fewer than
	`k` passages.
	@default 128, or `k` if that is larger
	*/
	readonly efSearch?: number | undefined;
}

/** The metadata key that marks an index of phrases. The addon uses the same key. */
const PHRASES = 'passagekit.phrases';
const flatOptions: OptionNames = optionNames<PhraseNormalization & FlatIndexOptions & {vectorIndex: unknown}>({
	dim: true,
	similarity: true,
	storage: true,
	metadata: true,
	normalize: true,
	vectorIndex: true,
});
const hnswOptions: OptionNames = optionNames<PhraseNormalization & HnswIndexOptions & {vectorIndex: unknown}>({
	dim: true,
	similarity: true,
	metadata: true,
	normalize: true,
	vectorIndex: true,
	m: true,
	efConstruction: true,
	seed: true,
	innerProduct: true,
	layout: true,
	threads: true,
});
const searchNames = {...callNames, k: true, filter: true, efSearch: true} as const;
const searchOptions: OptionNames = optionNames<PhraseSearchOptions>(searchNames);
const searchManyOptions: OptionNames = optionNames<PhraseSearchManyOptions>({...searchNames, threads: true});

/** Number of phrases whose row ids are built per iteration of the event loop. */
const PHRASES_PER_SLICE = 1000;

/**
Stores several vectors per passage, one per phrase. A search returns each passage at most once, with the score and the offsets of its best
phrase (Yang et al., 2023, §3.1; Lee et al., 2021). It returns `k` different passages if there are that many: the best ones in a flat index,
and approximately the best ones in a graph.

@example
```
const index = new PhraseIndex({dim: 2});
await index.add(
	[{id: 'p', start: 0, end: 8}, {id: 'p', start: 9, end: 20}, {id: 'q', start: 0, end: 5}],
	{data: Float32Array.of(1, 0, 0, 1, 3, 4), rows: 3, dim: 2},
);
await index.search(Float32Array.of(0, 1));
//=> [{id: 'p', score: 1, start: 9, end: 20}, {id: 'q', score: 0.8, start: 0, end: 5}]
```
*/
export class PhraseIndex implements AsyncDisposable {
	/** The vector index: one row per phrase, with the row id that `rowOf` makes from the passage id and the offsets. */
	readonly #rows: FlatIndex | HnswIndex;

	/** Creates an empty index in memory. */
	constructor(options: PhraseIndexOptions) {
		// `open` and `attach` pass an existing index instead of options.
		this.#rows = isInstance(options, FlatIndex) || isInstance(options, HnswIndex) ? options : create(options);
	}

	/** Opens a saved index. Fails with the errors of `FlatIndex.open`, and with `ERR_FORMAT` if the file is not an index of phrases. */
	static async open(path: string, options: OpenIndexOptions = {}): Promise<PhraseIndex> {
		checkString('open: path', path);
		checkObject('open', options, 'options {inMemory}');
		const rows = await ((await isGraph(path)) ? HnswIndex.open(path, options) : FlatIndex.open(path, options));
		return phraseIndexOf(rows, 'ERR_FORMAT', path, 'open');
	}

	/** Returns the index that another thread shared with `share`. Both threads then use the same index. */
	static attach(handle: IndexHandle): PhraseIndex {
		checkObject('attach', handle, 'a handle {kind, token}');
		const graph = handle.kind === 'HnswIndex';
		const rows = graph ? HnswIndex.attach(handle as IndexHandle<'HnswIndex'>) : FlatIndex.attach(handle as IndexHandle<'FlatIndex'>);
		return phraseIndexOf(rows, 'ERR_ARGUMENT', 'attach', 'attach');
	}

	/** Returns a handle to pass to `attach` in another thread. Each thread closes its own object; closing the last one frees the memory. */
	share(): IndexHandle {
		return this.#rows.share();
	}

	/** Length of the vectors. */
	get dim(): number {
		return this.#rows.dim;
	}

	/** Number of phrases that can be found. */
	get size(): number {
		return this.#rows.size;
	}

	/** How vectors are compared. */
	get similarity(): Similarity {
		return this.#rows.similarity;
	}

	/** Whether vectors of phrases are scaled to unit length when they are added. */
	get normalized(): boolean {
		return (this.#rows.metadata[PHRASES] as {unitLength: boolean}).unitLength;
	}

	/** The metadata that the index was created with. */
	get metadata(): IndexMetadata {
		const {[PHRASES]: _, ...metadata} = this.#rows.metadata;
		return metadata;
	}

	/** Memory of the index in bytes, not counting memory-mapped files. */
	get memoryBytes(): number {
		return this.#rows.memoryBytes;
	}

	/** @internal Identifies the current vectors, as in `FlatIndex`. */
	get version(): number | undefined {
		return this.#rows.version;
	}

	/** Resolves to the number of passages that the phrases belong to. */
	async passageCount(): Promise<number> {
		return this.#rows.passageCount();
	}

	/**
	Adds phrases and their vectors `[phrases.length, dim]`, all or none. The phrases of a passage must be consecutive. Fails with
	`ERR_DUPLICATE_ID` if a passage exists already. Progress counts phrases.
	*/
	async add(phrases: readonly PhrasePlace[], vectors: Vectors, options: CallOptions = {}): Promise<void> {
		checkOptions('add', options, callOptions);
		await this.#rows.addPhrases('add', async () => rowIdsOf('add: phrases', phrases, options.signal), vectors, options);
	}

	/**
	Splits passages into phrases, encodes the phrases and adds them, in batches of a few hundred passages. If the call fails or is aborted,
	earlier batches stay in the index. Progress counts passages; `total` is 0 unless `passages` is an array.

	@example
	```
	const [encoder, segmenter] = [await OnnxEncoder.load('minilm-encoder'), await PhraseSegmenter.open({sentences: 3})];
	const index = new PhraseIndex({dim: encoder.dim, metadata: {encoder: encoder.identity}});
	await index.addPassages(readPassages('corpus.jsonl'), {encoder, segmenter});
	const searcher = new PhraseSearcher({encoder, index});
	```
	*/
	async addPassages(passages: Iterable<Passage> | AsyncIterable<Passage>, options: AddPassagesOptions): Promise<AddedPassages> {
		return addPassages(this, passages, options);
	}

	/**
	Replaces all phrases of the given passages atomically. Fails with `ERR_ARGUMENT` if a passage does not exist, unless `upsert` is set: the
	passage is then added. Progress counts phrases.
	*/
	async update(phrases: readonly PhrasePlace[], vectors: Vectors, options: UpdateOptions = {}): Promise<void> {
		checkOptions('update', options, updateOptions);
		await this.#rows.addPhrases('update', async () => rowIdsOf('update: phrases', phrases, options.signal), vectors, options);
	}

	/** Deletes passages with all their phrases; unknown ids are ignored. Resolves to the number of deleted passages. */
	async delete(ids: readonly string[]): Promise<number> {
		return this.#rows.delete(ids);
	}

	/** Frees the space of deleted phrases: see `FlatIndex.compact` and `HnswIndex.compact`. */
	async compact(options: CallOptions = {}): Promise<void> {
		await this.#rows.compact(options);
	}

	/** Resolves to whether there is a passage with this id. */
	async has(id: string): Promise<boolean> {
		return this.#rows.has(id);
	}

	/** Resolves to the phrases of a passage, in the order in which they were added; an empty array if there is no such passage. */
	async phrases(id: string): Promise<PhrasePlace[]> {
		return (await this.#rows.phraseRows(id)).map(placeOf);
	}

	/** Iterates over the ids of the passages, in the order in which they were added. */
	async *ids(): AsyncGenerator<string, void, undefined> {
		let last: string | undefined;
		for await (const row of this.#rows.ids()) {
			const passage = passageOf(row);
			if (passage !== last) {
				last = passage;
				yield passage;
			}
		}
	}

	/** Compiles a filter by passage ids, so that searches of this index can reuse it. The `size` of the result counts phrases. */
	async filter(filter: IdFilter, options: Pick<CallOptions, 'signal'> = {}): Promise<VectorFilter> {
		return this.#rows.filter(toRowFilter(filter), options);
	}

	/** Returns the passages with the best phrases for the vector `query`, `[dim]`, best first, each with the place of its best phrase. */
	async search(query: Float32Array, options: PhraseSearchOptions = {}): Promise<PhraseHit[]> {
		checkOptions('search', options, searchOptions);
		return phraseHits(await this.#rows.search(query, withRowFilter(options)));
	}

	/** Returns one list of passages per row of `queries`, `[rows, dim]`, computed on several threads. Progress counts queries. */
	async searchMany(queries: Vectors, options: PhraseSearchManyOptions = {}): Promise<PhraseHit[][]> {
		checkOptions('searchMany', options, searchManyOptions);
		const lists: PhraseHit[][] = [];
		for (const hits of await this.#rows.searchMany(queries, withRowFilter(options))) {
			await yieldIfOverBudget();
			lists.push(phraseHits(hits));
		}
		return lists;
	}

	/**
	Returns the `k` best phrases, best first. Several of them may belong to one passage. The confidence of a model is computed from the
	scores of these phrases; Yang et al. (2023, §3.2) call these scores A_k. The paper uses inner products that are not divided by the norm of
	the phrase vector. To get these, create the index with `normalize: false`, unless the encoder's vectors have unit length anyway.

	@example
	```
	await index.searchPhrases(question, {k: 3});
	//=> [{id: 'p', score: 1, start: 9, end: 20}, {id: 'q', score: 0.8, start: 0, end: 5}, {id: 'p', score: 0, start: 0, end: 8}]
	```
	*/
	async searchPhrases(query: Float32Array, options: PhraseSearchOptions = {}): Promise<PhraseHit[]> {
		checkOptions('searchPhrases', options, searchOptions);
		checkFloats('searchPhrases: query', query, this.dim);
		const [hits] = await this.searchPhrasesMany({data: query, rows: 1, dim: this.dim}, options);
		return hits!;
	}

	/** Returns the best phrases for each row of `queries`, `[rows, dim]`, computed on several threads. Progress counts queries. */
	async searchPhrasesMany(queries: Vectors, options: PhraseSearchManyOptions = {}): Promise<PhraseHit[][]> {
		checkOptions('searchPhrasesMany', options, searchManyOptions);
		// Every phrase is a hit of its own.
		const run = await this.#rows.searchRun(undefined, queries, withRowFilter(options), false, true);
		const lists: PhraseHit[][] = [];
		while (lists.length < queries.rows) {
			await yieldIfOverBudget();
			lists.push(...this.#rows.listsFrom(run, lists.length).map(phraseHits));
		}
		return lists;
	}

	/** @internal Returns the passages found for many queries, as a run in native memory. */
	async searchRun(queryIds: readonly string[], queries: Vectors, options: PhraseSearchManyOptions): Promise<Binding.NativeRun> {
		// Hits have passage ids instead of row ids.
		return this.#rows.searchRun(queryIds, queries, withRowFilter(options), true);
	}

	/** Writes the index to one file. An existing file is replaced atomically. */
	async save(path: string, options: CallOptions = {}): Promise<void> {
		await this.#rows.save(path, options);
	}

	/**
	Reads the whole file from which the index was opened and compares it with its checksums. Fails with `ERR_INDEX_CORRUPT` if a checksum
	differs.
	*/
	async verify(): Promise<void> {
		await this.#rows.verify();
	}

	/**
	Refuses later calls with `ERR_CLOSED`, and frees the memory when the calls in progress have finished. `await using` waits for these calls;
	this method does not.
	*/
	close(): void {
		this.#rows.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#rows[Symbol.asyncDispose]();
	}
}

/**
Wraps a vector index as an index of phrases. If the vector index was not created for phrases, closes it and fails with `code`. `what` is the
start of the message, and `how` is the method to use instead.
*/
function phraseIndexOf(rows: FlatIndex | HnswIndex, code: ErrorCode, what: string, how: string): PhraseIndex {
	if (rows.metadata[PHRASES] === undefined) {
		const kind = rows instanceof FlatIndex ? 'FlatIndex' : 'HnswIndex';
		rows.close();
		throw new RetrievalError(code, `${what}: expected an index of phrases, got an index of other vectors; use ${kind}.${how} instead`);
	}
	return new PhraseIndex(rows as unknown as PhraseIndexOptions);
}

function create(options: PhraseIndexOptions): FlatIndex | HnswIndex {
	checkObject('PhraseIndex', options, 'options {dim, vectorIndex, …}');
	const {vectorIndex = 'flat', normalize = (options.similarity ?? 'dot') === 'dot', metadata = {}, ...rest} = options;
	checkOneOf('vectorIndex', vectorIndex, ['flat', 'hnsw']);
	checkRequiredOptions('PhraseIndex', options, vectorIndex === 'flat' ? flatOptions : hnswOptions);
	checkBoolean('normalize', normalize);
	checkObject('metadata', metadata, 'an object of plain JSON');
	if (PHRASES in metadata) {
		throw new RetrievalError('ERR_ARGUMENT', `metadata: expected no key "${PHRASES}", which is reserved`);
	}
	const rowOptions = {...rest, metadata: {...metadata, [PHRASES]: {unitLength: normalize}}};
	return vectorIndex === 'flat' ? new FlatIndex(rowOptions) : new HnswIndex(rowOptions);
}

/** Whether a file is an HNSW index, according to its first bytes. Any other file is opened as a flat index, which rejects invalid files. */
async function isGraph(path: string): Promise<boolean> {
	const start = Buffer.alloc(6);
	try {
		await using file = await openFile(path);
		await file.read(start, 0, start.length, 0);
	} catch {
		return false;
	}
	return start.toString('latin1') === 'PKHNSW';
}

/** Returns the row ids of phrases. They are built in slices, between which the event loop can run. */
async function rowIdsOf(what: string, phrases: readonly PhrasePlace[], signal: AbortSignal | undefined): Promise<string[]> {
	checkArray(what, phrases, 'phrases {id, start, end}');
	const rows: string[] = [];
	while (rows.length < phrases.length) {
		if (rows.length > 0) {
			await yieldIfOverBudget();
			signal?.throwIfAborted();
		}
		const to = Math.min(rows.length + PHRASES_PER_SLICE, phrases.length);
		for (let at = rows.length; at < to; at++) {
			rows.push(rowOf(`${what}[${at}]`, phrases[at] as PhrasePlace));
		}
	}
	return rows;
}

/** Converts the filter in the options, if any, to a filter of rows. */
function withRowFilter<T extends VectorFilterOptions>(options: T): T {
	return options.filter === undefined ? options : {...options, filter: toRowFilter(options.filter)};
}

/**
Converts a filter of passages to a filter of rows. Its `where` functions extract the passage id from each row id and pass it on to the
functions of the given filter. Other parts need no conversion, because the addon compares `ids` with the passage ids. Invalid filters are
rejected later, when they are compiled.
*/
function toRowFilter(filter: IdFilter): IdFilter {
	if (!isPlain(filter)) {
		return filter;
	}
	if ('where' in filter && typeof filter.where === 'function') {
		const {where, ...others} = filter;
		return {...others, where: row => where(passageOf(row))};
	}
	if ('not' in filter) {
		return {...filter, not: toRowFilter(filter.not)};
	}
	if ('and' in filter && Array.isArray(filter.and)) {
		return {...filter, and: filter.and.map(part => toRowFilter(part as IdFilter))};
	}
	if ('or' in filter && Array.isArray(filter.or)) {
		return {...filter, or: filter.or.map(part => toRowFilter(part as IdFilter))};
	}
	return filter;
}
