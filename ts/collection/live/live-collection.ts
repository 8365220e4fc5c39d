/**
An updatable collection, as opposed to one that `Collection.build` made. Each method checks its arguments and calls the addon, which has
the documents, the BM25 index and the vectors (`crates/collection`); queries and passages are encoded here.
*/
import {resolve} from 'node:path';
import {checkCount, checkId, checkIds, checkOneOf, checkString, isArray} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {CallsInProgress} from '../../core/calls-in-progress.ts';
import {encodeChecked} from '../../core/encoder-results.ts';
import {fieldsJson} from '../../core/filters/fields.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import type {Filter} from '../../core/filters/filter.ts';
import {normalizedFilter, searchFiltered} from '../../core/filters/normalize.ts';
import {InlineSearches} from '../../core/inline-searches.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import type {CallOptions, Encoder} from '../../core/types.ts';
import {nativeAnalyzer} from '../../sparse/native-analyzer.ts';
import {CommitWatch} from './commit-watch.ts';
import type {CreateSettings} from './create.ts';
import type {DocumentContent} from './documents.ts';
import {CollectionEncoders, checkChoice} from './encoders.ts';
import {type CheckedSearch, type SearchContext, checkedSearch, hitsOf, isBlank, isByDocument, numberOf, passagesOf} from './hits.ts';
import type {
	CollectionHandle,
	CollectionHit,
	CollectionSearchOptions,
	CollectionStats,
	CountOptions,
	FacetOptions,
	StoredPassage,
	ValueCount,
} from './types.ts';
import {DocumentLoader} from './loader.ts';
import {bestSentences} from './sentences.ts';
import {withNewSettings} from './new-settings.ts';
import {type LiveSettings, type Settings, checkSettings, checkedSplitSetting, readSettings} from './settings.ts';
import {WriteQueue} from './write-queue.ts';

/** The addon's handle of an open collection, with its settings, encoders and options. */
interface Opened {
	readonly path: string;
	readonly handle: Binding.NativeCollection;
	readonly settings: Settings;
	readonly dim: number | undefined;
	readonly encoders: CollectionEncoders | undefined;
	readonly options: Pick<CreateSettings, 'k1' | 'b' | 'autoCommit' | 'refreshMs'>;
}

/** Number of passages that `scan` reads at a time. */
const PASSAGES_PER_READ = 256;

/** An open updatable collection. `LiveCollection.create`, `open` and `attach` return one. */
export class LiveCollection {
	readonly #opened: Opened;
	readonly #queue = new WriteQueue();
	readonly #inline = new InlineSearches();
	readonly #commits: CommitWatch;
	/** Searches, and calls that consist of searches. Changes are not among them: the queue has these. */
	readonly calls = new CallsInProgress('collection');
	#closing: Promise<void> | undefined;

	private constructor(opened: Opened) {
		this.#opened = opened;
		this.#commits = new CommitWatch(opened.path, opened.options.refreshMs);
	}

	/** Creates a collection in a new or empty folder. */
	static async create(path: string, create: CreateSettings): Promise<LiveCollection> {
		const {given, vectors, graph, split = checkedSplitSetting(undefined), analyzer = 'english', files} = create;
		return withNewSettings(given, vectors, split, async ({settings, dim, encoders}) => {
			const stored: LiveSettings = {...settings, graph: dim === undefined ? null : graph};
			// Options of vectors that the collection does not have are refused, as when it is opened again.
			checkSettings({split: undefined, vectors}, stored);
			const handle = await callNative({}, async () =>
				native.createCollection(
					path,
					nativeAnalyzer(analyzer),
					dim === undefined ? undefined : {dim, similarity: settings.similarity!, ...graph},
					JSON.stringify(stored),
					files,
				),
			);
			return new LiveCollection({path, handle, settings, dim, encoders, options: create});
		});
	}

	/** Opens the last commit of a collection. */
	static async open(path: string, create: CreateSettings): Promise<LiveCollection> {
		const analyzer = create.analyzer === undefined ? undefined : nativeAnalyzer(create.analyzer);
		return LiveCollection.#of(path, await callNative({}, async () => native.openCollection(path, create.files, analyzer)), create);
	}

	/** Opens a collection that another thread of this process shares. */
	static async attach({path, token}: CollectionHandle, create: CreateSettings): Promise<LiveCollection> {
		return LiveCollection.#of(
			path,
			callSync(() => native.attachCollection(token)),
			create,
		);
	}

	static async #of(path: string, handle: Binding.NativeCollection, create: CreateSettings): Promise<LiveCollection> {
		try {
			const {metadata, dim} = await callNative({}, async () => handle.stats());
			const settings = readSettings(metadata);
			checkSettings(create, settings);
			checkChoice(create.given, settings);
			const expected = create.vectors.dim;
			if (expected !== undefined && expected !== (dim ?? undefined)) {
				const has = dim === undefined || dim === null ? 'none, since the collection has no vectors' : `${dim}, as the collection has`;
				throw new RetrievalError('ERR_DIMENSION', `vectors: dim: expected ${has}, got ${expected}`);
			}
			const encoders = dim === undefined || dim === null ? undefined : new CollectionEncoders(create.given, settings, dim);
			await encoders?.checkNames();
			return new LiveCollection({path, handle, settings, dim: dim ?? undefined, encoders, options: create});
		} catch (error) {
			await handle.close(false);
			throw error;
		}
	}

	/** Dimension of the vectors; `undefined` without vectors. */
	get dim(): number | undefined {
		return this.#opened.dim;
	}

	/** The similarity of the vectors; `null` without vectors. */
	get similarity(): Settings['similarity'] {
		return this.#opened.settings.similarity;
	}

	/** Whether the vectors have length 1. */
	get hasUnitVectors(): boolean {
		return this.#opened.dim !== undefined && this.#opened.settings.unit;
	}

	/**
	Returns the question encoder. Fails with `ERR_ARGUMENT` if the collection has no vectors or no question encoder. An encoder that
	was given as an object is not stored: it must be given each time the collection is opened.
	*/
	async questionEncoder(): Promise<Encoder> {
		return this.#encoders().questions();
	}

	/** Adds documents and returns their number. With `upsert`, also replaces documents that have the same ids. */
	async put(
		source: DocumentContent | Iterable<DocumentContent> | AsyncIterable<DocumentContent>,
		upsert: boolean,
		call: CallOptions,
	): Promise<number> {
		const {handle, settings, dim, encoders} = this.#opened;
		return this.#write(async () => {
			const encoder = encoders?.hasPassageEncoder === true ? async () => encoders.passages() : undefined;
			const nonzero = settings.similarity === 'cosine';
			const loader = new DocumentLoader({handle, split: settings.split, dim, nonzero, encoder, upsert});
			return loader.load(source, call);
		}, call.signal);
	}

	/** Deletes documents by id or by a filter, and returns the number of deleted documents. */
	async delete(which: string | readonly string[] | {readonly filter: Filter}): Promise<number> {
		const {handle} = this.#opened;
		if (typeof which === 'object' && !isArray(which)) {
			const filter = normalizedFilter((which as {readonly filter: Filter}).filter);
			if (filter === undefined) {
				throw new RetrievalError('ERR_ARGUMENT', 'delete: filter: expected a filter, got undefined');
			}
			return this.#write(async () =>
				searchFiltered(filter, async () => callNative({}, async control => handle.deleteMatching(filter.json, control))),
			);
		}
		const ids = typeof which === 'string' ? [which] : which;
		checkIds('delete: ids', ids);
		const copy = [...ids];
		return this.#write(async () => callNative({}, async () => handle.delete(copy)));
	}

	/** Replaces the fields of a document. */
	async setFields(document: string, fields: unknown): Promise<void> {
		checkId('document', document);
		const json = fieldsJson('fields', fields);
		await this.#write(async () => callNative({}, async () => this.#opened.handle.setFields(document, json)));
	}

	async commit(): Promise<number> {
		return this.#queue.run(async () => callNative({}, async () => this.#opened.handle.commit()));
	}

	async rollback(): Promise<void> {
		await this.#queue.run(async () => callNative({}, async () => this.#opened.handle.rollback()));
	}

	async optimize(threads: number, call: CallOptions): Promise<number> {
		return this.#queue.run(async () => callNative(call, async control => this.#opened.handle.optimize(threads, control)), call.signal);
	}

	async refresh(): Promise<boolean> {
		return this.#queue.run(async () => callNative({}, async () => this.#opened.handle.refresh()));
	}

	/** Checks the options of a search and runs it. Returns the hits and the checked search. Call this in `calls.run`. */
	async search(text: string, options: CollectionSearchOptions): Promise<{readonly hits: CollectionHit[]; readonly search: CheckedSearch}> {
		const search = checkedSearch(text, options, this.#context());
		const {signal} = options;
		// This comes before the search, so that a collection without a passage encoder rejects the call even if there are no hits.
		const encoder = search.include.has('sentence') ? await this.#encoders().sentences() : undefined;
		if (isBlank(text) && search.vector === undefined) {
			signal?.throwIfAborted();
			return {hits: [], search};
		}
		// While this object changes the collection, no other process can commit. The search must not wait for the change, which may itself wait
		// for the search, for example in its source of documents.
		if (this.#commits.isDue() && !this.#queue.isBusy) {
			await this.#commits.refreshIfChanged(async () => this.refresh());
		}
		const vector = search.retriever === 'bm25' ? undefined : (search.vector ?? (await this.#encodeQuestion(text, signal)));
		const found = await this.#find(search, vector, signal);
		if (encoder === undefined) {
			return {hits: hitsOf(found, search.include, undefined), search};
		}
		const passages = found.texts.map((text, i) => ({title: found.titles[i] ?? '', text}));
		const similarity = this.#opened.settings.similarity!;
		const sentences = await bestSentences(passages, {encoder, similarity, query: vector!, signal});
		return {hits: hitsOf(found, search.include, sentences), search};
	}

	/** Returns the passages with the given ids, in the order of the ids. Skips unknown ids. */
	async passages<Fields>(ids: readonly string[]): Promise<Array<StoredPassage<Fields>>> {
		return passagesOf(await callNative({}, async () => this.#opened.handle.passages([...ids])));
	}

	/** Returns the passages of a document, in order; empty if there is no such document. */
	async passagesOfDocument<Fields>(id: string): Promise<Array<StoredPassage<Fields>>> {
		checkString('id', id);
		return passagesOf(await callNative({}, async () => this.#opened.handle.document(id)));
	}

	/** Returns a passage together with the passages before and after it in its document. */
	async neighbors<Fields>(id: string, before: number, after: number): Promise<Array<StoredPassage<Fields>>> {
		const number = numberOf(id);
		if (number === undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `neighbors: expected a hit, or the id of a passage such as "d#0", got "${id}"`);
		}
		checkCount('before', before, 0);
		checkCount('after', after, 0);
		const document = documentOf(id);
		const first = Math.max(0, number - before);
		// At most 10,001 ids, however large `before` and `after` are. Ids beyond the end of the document are skipped.
		const last = Math.min(number + after, first + 10_000);
		return this.passages(Array.from({length: last - first + 1}, (_, i) => `${document}#${first + i}`));
	}

	/** Counts the passages, or documents, with each value of a field. */
	async valueCounts<Value>(field: string, options: FacetOptions): Promise<Array<ValueCount<Value>>> {
		const {filter, limit = 100, groupBy} = options;
		checkString('field', field);
		checkCount('limit', limit, 1);
		const byDocument = isByDocument(groupBy);
		const {values, counts} = await searchFiltered(normalizedFilter(filter), async json =>
			callNative({}, async control => this.#opened.handle.valueCounts(field, limit, byDocument, json, control)),
		);
		return values.map((value, i) => ({value: JSON.parse(value) as Value, count: counts[i]!}));
	}

	/** Returns passages sorted by a field. */
	async sortedBy<Fields>(
		field: string,
		order: string,
		offset: number,
		k: number,
		filter: Filter | undefined,
	): Promise<Array<StoredPassage<Fields>>> {
		checkString('sortBy', field);
		checkOneOf('order', order, ['ascending', 'descending']);
		checkCount('offset', offset, 0);
		checkCount('k', k, 0);
		const found = await searchFiltered(normalizedFilter(filter), async json =>
			callNative({}, async control => this.#opened.handle.sortedBy(field, order === 'descending', offset, k, json, control)),
		);
		return passagesOf(found);
	}

	/** Counts passages or documents. */
	async count({filter, groupBy}: CountOptions): Promise<number> {
		const byDocument = isByDocument(groupBy);
		return searchFiltered(normalizedFilter(filter), async json =>
			callNative({}, async control => this.#opened.handle.count(byDocument, json, control)),
		);
	}

	/** Iterates over the passages of the current commit, or over those that match a filter. */
	async *scan<Fields>(filter: Filter | undefined): AsyncGenerator<StoredPassage<Fields>, void, undefined> {
		const cursor = await searchFiltered(normalizedFilter(filter), async json =>
			callNative({}, async control => this.#opened.handle.cursor(json, control)),
		);
		for (;;) {
			const passages = passagesOf<Fields>(await callNative({}, async () => cursor.read(PASSAGES_PER_READ)));
			if (passages.length === 0) {
				return;
			}
			yield* passages;
		}
	}

	/** Returns the stored vectors of passages `[ids.length, dim]`. */
	async vectors(ids: readonly string[]): Promise<Float32Array> {
		return callNative({}, async () => this.#opened.handle.vectors([...ids]));
	}

	async stats(): Promise<CollectionStats> {
		const stats = await callNative({}, async () => this.#opened.handle.stats());
		const {generation, documents, passages, segments, pending, memoryBytes, hasChanges} = stats;
		const {split, encoder, questionEncoder} = this.#opened.settings;
		return {
			generation,
			documents,
			passages,
			segments,
			dim: this.dim,
			pendingVectors: pending,
			memoryBytes,
			hasChanges,
			split,
			encoder: encoder ?? undefined,
			questionEncoder: questionEncoder ?? undefined,
		};
	}

	/**
	Closes the collection once the calls in progress have ended. With `commit`, commits all changes first. A second call only waits for the
	first, which is the one that reports a failure.
	*/
	async close(commit: boolean): Promise<void> {
		if (this.#closing !== undefined) {
			await this.#closing.catch(() => {});
			return;
		}
		this.#closing = this.#close(commit);
		await this.#closing;
	}

	async #close(commit: boolean): Promise<void> {
		await this.calls.close();
		await this.#queue.run(async () => {
			try {
				await callNative({}, async () => this.#opened.handle.close(commit));
			} finally {
				await this.#opened.encoders?.close();
			}
		});
	}

	/** Returns a handle with which another thread of this process can attach to the collection. */
	share(): CollectionHandle {
		const {path, handle} = this.#opened;
		return {kind: 'Collection', path: resolve(path), token: callSync(() => handle.token())};
	}

	/** Searches on the JavaScript thread if that is quick, or else on the thread pool. */
	async #find(
		{request, filter}: CheckedSearch,
		query: Float32Array | undefined,
		signal: AbortSignal | undefined,
	): Promise<Binding.NativeFound> {
		const {handle} = this.#opened;
		let vector = query;
		const inline = (): Binding.NativeFound | undefined => callSync(() => handle.searchIfQuick(request, vector)) ?? undefined;
		const onThreadPool = async (): Promise<Binding.NativeFound> =>
			callNative({signal}, async control => handle.search(request, vector, control));
		// An encoder that the caller passed may reuse the array of this question's vector for the next question.
		const keep = (): void => {
			vector = vector?.slice();
		};
		return searchFiltered(filter, async () => {
			signal?.throwIfAborted();
			return this.#inline.search(inline, onThreadPool, {keep, signal});
		});
	}

	/** Runs a change after all changes that were started before it, and commits it if the collection was opened with `autoCommit`. */
	async #write<T>(change: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		return this.#queue.run(async () => {
			const result = await change();
			if (this.#opened.options.autoCommit) {
				await callNative({}, async () => this.#opened.handle.commit());
			}
			return result;
		}, signal);
	}

	#context(): SearchContext {
		const {dim, settings, options} = this.#opened;
		return {dim, unit: settings.unit, k1: options.k1, b: options.b};
	}

	#encoders(): CollectionEncoders {
		const {encoders, path} = this.#opened;
		if (encoders === undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `${path}: expected a collection with vectors, got one without; use the bm25 retriever`);
		}
		return encoders;
	}

	async #encodeQuestion(text: string, signal: AbortSignal | undefined): Promise<Float32Array> {
		const encoder = await this.#encoders().questions();
		const {data} = await encodeChecked(encoder, [text], {signal, batchTokens: 1});
		return data;
	}
}
