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
import {listsFrom} from '../core/native/hits.ts';
import type {Binding} from '../core/native/native.ts';
import {type OptionNames, callNames, callOptions, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {waitForTime} from '../core/event-loop.ts';
import type {CallOptions, Passage, SearchManyOptions, SearchOptions, Vectors} from '../core/types.ts';
import {type AddPassagesOptions, type AddedPassages, addPassages} from './add-passages.ts';
import {type PhraseHit, type PhrasePlace, passageOf, phraseHits, placeOf, rowOf} from './phrase-id.ts';

interface Unit {
	/**
	Vectors of phrases are scaled to length 1 when they are added, those of questions are not (Yang et al., 2023, §3.1).
	@default true for `similarity: 'dot'`
	*/
	readonly normalize?: boolean | undefined;
}

/** What is inside: an exact index, or a graph. */
export type PhraseIndexOptions = Unit &
	(({readonly vectorIndex?: 'flat' | undefined} & FlatIndexOptions) | ({readonly vectorIndex: 'hnsw'} & HnswIndexOptions));

export interface PhraseSearchOptions extends SearchOptions, VectorFilterOptions {
	/** Phrases that a search of a graph goes to; more where too few passages are among them. @default 128, or `k` if that is more */
	readonly efSearch?: number | undefined;
}

export interface PhraseSearchManyOptions extends SearchManyOptions, VectorFilterOptions {
	readonly efSearch?: number | undefined;
}

/** By which metadata tells an index of phrases; the addon knows it too. */
const PHRASES = 'passagekit.phrases';
const flatOptions: OptionNames = optionNames<Unit & FlatIndexOptions & {vectorIndex: unknown}>({
	dim: true,
	similarity: true,
	storage: true,
	metadata: true,
	normalize: true,
	vectorIndex: true,
});
const hnswOptions: OptionNames = optionNames<Unit & HnswIndexOptions & {vectorIndex: unknown}>({
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

/** Phrases named at once. */
const PHRASES_A_SLICE = 1000;

/**
Vectors of phrases, several a passage. A passage is found by the best of its phrases, and is one hit (Yang et al., 2023,
§3.1; Lee et al., 2021). Searches return as many different passages as there are, up to `k`: exactly the best over a flat
index; over a graph those that it finds, never fewer than `k` where there are so many.

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
	readonly #rows: FlatIndex | HnswIndex;

	constructor(options: PhraseIndexOptions) {
		// `open` passes an index that exists already.
		this.#rows = isInstance(options, FlatIndex) || isInstance(options, HnswIndex) ? options : create(options);
	}

	/** Memory-maps a saved index of either kind. */
	static async open(path: string, options: OpenIndexOptions = {}): Promise<PhraseIndex> {
		checkString('open: path', path);
		checkObject('open', options, 'options {inMemory}');
		const rows = await ((await isGraph(path)) ? HnswIndex.open(path, options) : FlatIndex.open(path, options));
		return ofPhrases(rows, 'ERR_FORMAT', path, 'open');
	}

	/** The index of another thread, which both then have in common. */
	static attach(handle: IndexHandle): PhraseIndex {
		checkObject('attach', handle, 'a handle {kind, token}');
		const graph = handle.kind === 'HnswIndex';
		const rows = graph ? HnswIndex.attach(handle as IndexHandle<'HnswIndex'>) : FlatIndex.attach(handle as IndexHandle<'FlatIndex'>);
		return ofPhrases(rows, 'ERR_ARGUMENT', 'attach', 'attach');
	}

	/** A handle to attach to this index by in another thread. Each closes its own object; the last frees the memory. */
	share(): IndexHandle {
		return this.#rows.share();
	}

	get dim(): number {
		return this.#rows.dim;
	}

	/** Phrases that can be found. */
	get size(): number {
		return this.#rows.size;
	}

	get similarity(): Similarity {
		return this.#rows.similarity;
	}

	/** Whether vectors of phrases are scaled to length 1 when they are added. */
	get normalized(): boolean {
		return (this.#rows.metadata[PHRASES] as {unitLength: boolean}).unitLength;
	}

	get metadata(): IndexMetadata {
		const {[PHRASES]: _, ...metadata} = this.#rows.metadata;
		return metadata;
	}

	/** Bytes in memory; what is mapped from a file does not count. */
	get memoryBytes(): number {
		return this.#rows.memoryBytes;
	}

	/** How many different passages the phrases belong to. */
	async passageCount(): Promise<number> {
		return this.#rows.passageCount();
	}

	/**
	Adds phrases with one vector each, all or none. The phrases of a passage come together, one after another; a passage that
	is there is refused. Progress counts phrases.
	*/
	async add(phrases: readonly PhrasePlace[], vectors: Vectors, options: CallOptions = {}): Promise<void> {
		checkOptions('add', options, callOptions);
		await this.#rows.addPhrases('add', async () => rowsOf('add: phrases', phrases, options.signal), vectors, options);
	}

	/**
	Cuts passages into phrases, encodes these and adds them, some hundred passages at a time: one that is refused or aborted
	leaves those before. Progress counts passages; `total` is 0 unless they come as an array.

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
	Puts these phrases in the place of all that their passages had, in one moment. Passages that are not there are refused, or
	with `upsert` added. Progress counts phrases.
	*/
	async update(phrases: readonly PhrasePlace[], vectors: Vectors, options: UpdateOptions = {}): Promise<void> {
		checkOptions('update', options, updateOptions);
		await this.#rows.addPhrases('update', async () => rowsOf('update: phrases', phrases, options.signal), vectors, options);
	}

	/** Deletes passages, with all their phrases; unknown ids are passed over. Resolves to how many were there. */
	async delete(ids: readonly string[]): Promise<number> {
		return this.#rows.delete(ids);
	}

	/** Gives back the space of what was deleted: see `FlatIndex.compact` and `HnswIndex.compact`. */
	async compact(options: CallOptions = {}): Promise<void> {
		await this.#rows.compact(options);
	}

	/** Whether there is a passage with this id. */
	async has(id: string): Promise<boolean> {
		return this.#rows.has(id);
	}

	/** The phrases of a passage, in the order in which they were added; none if it is not there. */
	async phrases(id: string): Promise<PhrasePlace[]> {
		return (await this.#rows.phraseRows(id)).map(placeOf);
	}

	/** The ids of the passages, in the order in which they were added. */
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

	/** Makes a filter of passages for searches of this index. Its size counts phrases. */
	async filter(filter: IdFilter, options: Pick<CallOptions, 'signal'> = {}): Promise<VectorFilter> {
		return this.#rows.filter(ofPassages(filter), options);
	}

	/** The passages with the best phrases, best first, each with that phrase. */
	async search(query: Float32Array, options: PhraseSearchOptions = {}): Promise<PhraseHit[]> {
		checkOptions('search', options, searchOptions);
		return phraseHits(await this.#rows.search(query, filtered(options)));
	}

	/** `search` for many queries, in one call on several threads. Progress counts queries. */
	async searchMany(queries: Vectors, options: PhraseSearchManyOptions = {}): Promise<PhraseHit[][]> {
		checkOptions('searchMany', options, searchManyOptions);
		const lists: PhraseHit[][] = [];
		for (const hits of await this.#rows.searchMany(queries, filtered(options))) {
			await waitForTime();
			lists.push(phraseHits(hits));
		}
		return lists;
	}

	/**
	The `k` best phrases, best first, of which several may belong to one passage: their scores are the A_k of Yang et al. (2023,
	§3.2). Scores are inner products with the vectors of the index: undivided ones need `normalize: false`, unless the encoder's
	vectors have length 1. A filter is one of passages. Exact for a flat index, approximate for a graph.

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

	/** `searchPhrases` for many queries, in one call on several threads. Progress counts queries. */
	async searchPhrasesMany(queries: Vectors, options: PhraseSearchManyOptions = {}): Promise<PhraseHit[][]> {
		checkOptions('searchPhrasesMany', options, searchManyOptions);
		const run = await this.#rows.searchRun(undefined, queries, filtered(options), false, true);
		const lists: PhraseHit[][] = [];
		while (lists.length < queries.rows) {
			await waitForTime();
			lists.push(...listsFrom(run, lists.length, String).map(phraseHits));
		}
		return lists;
	}

	/** @internal The passages found for many queries, in native memory. */
	async searchRun(names: readonly string[], queries: Vectors, options: PhraseSearchManyOptions): Promise<Binding.NativeRun> {
		return this.#rows.searchRun(names, queries, filtered(options), true);
	}

	/** Writes the index to one file, which replaces `path` whole or not at all. */
	async save(path: string, options: CallOptions = {}): Promise<void> {
		await this.#rows.save(path, options);
	}

	/** Reads the whole file that the index was opened from, and compares it with its checksums. */
	async verify(): Promise<void> {
		await this.#rows.verify();
	}

	/** Frees the memory; calls in progress finish. */
	close(): void {
		this.#rows.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.close();
	}
}

function ofPhrases(rows: FlatIndex | HnswIndex, code: ErrorCode, what: string, how: string): PhraseIndex {
	if (rows.metadata[PHRASES] === undefined) {
		const kind = rows instanceof FlatIndex ? 'FlatIndex' : 'HnswIndex';
		rows.close();
		throw new RetrievalError(code, `${what}: expected an index of phrases, got one of other vectors; take it with ${kind}.${how}`);
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
		throw new RetrievalError('ERR_ARGUMENT', `metadata: expected another key than "${PHRASES}", which is ours`);
	}
	const whole = {...rest, metadata: {...metadata, [PHRASES]: {unitLength: normalize}}};
	return vectorIndex === 'flat' ? new FlatIndex(whole) : new HnswIndex(whole);
}

/** Whether a file begins as a graph's does. What is neither, the opening of a flat index refuses. */
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

/** The ids of rows, a slice at a time. */
async function rowsOf(what: string, phrases: readonly PhrasePlace[], signal: AbortSignal | undefined): Promise<string[]> {
	checkArray(what, phrases, 'phrases {id, start, end}');
	const rows: string[] = [];
	while (rows.length < phrases.length) {
		if (rows.length > 0) {
			await waitForTime();
			signal?.throwIfAborted();
		}
		const to = Math.min(rows.length + PHRASES_A_SLICE, phrases.length);
		for (let at = rows.length; at < to; at++) {
			rows.push(rowOf(`${what}[${at}]`, phrases[at] as PhrasePlace));
		}
	}
	return rows;
}

function filtered<T extends VectorFilterOptions>(options: T): T {
	return options.filter === undefined ? options : {...options, filter: ofPassages(options.filter)};
}

/** Functions of a filter are asked about passages, not about the ids of rows. What is no filter is refused where it is made. */
function ofPassages(filter: IdFilter): IdFilter {
	if (!isPlain(filter)) {
		return filter;
	}
	if ('where' in filter && typeof filter.where === 'function') {
		const {where, ...others} = filter;
		return {...others, where: row => where(passageOf(row))};
	}
	if ('not' in filter) {
		return {...filter, not: ofPassages(filter.not)};
	}
	if ('and' in filter && Array.isArray(filter.and)) {
		return {...filter, and: filter.and.map(part => ofPassages(part as IdFilter))};
	}
	if ('or' in filter && Array.isArray(filter.or)) {
		return {...filter, or: filter.or.map(part => ofPassages(part as IdFilter))};
	}
	return filter;
}
