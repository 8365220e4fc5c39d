/** Collections: documents, or the passages of a corpus, in one folder, which are searched by words, by vectors or by both. */
import {availableParallelism} from 'node:os';
import {
	checkArray,
	checkCount,
	checkFactoryMade,
	checkId,
	checkIds,
	checkObject,
	checkOneOf,
	checkString,
	isArray,
} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {documentOf} from '../core/filters/document-id.ts';
import type {Filter} from '../core/filters/filter.ts';
import {callOptions, checkOptions, checkRequiredOptions} from '../core/options.ts';
import type {AllowedFields, CountedValue, FieldName, GivenFields} from '../core/typed-fields.ts';
import type {CallOptions, Encoder, FilterableSearcher, Hit, Passage} from '../core/types.ts';
import type {PassageStore} from '../corpus/index.ts';
import type {FlatIndex, HnswIndex} from '../dense/index.ts';
import {encoderOptions as encoderNames} from '../encoders/onnx-encoder.ts';
import {LazyReader} from './lazy-reader.ts';
import type {ExtractiveReader} from '../reader/index.ts';
import {checkParameters} from '../sparse/bm25-index.ts';
import type {Bm25Index} from '../sparse/index.ts';
import {buildCollection} from './build.ts';
import {BuiltCollection} from './built-collection.ts';
import {BuiltSearcher} from './built-searcher.ts';
import {defaultEvidence} from './evidence.ts';
import {checkedCreate} from './live/create.ts';
import type {Documents} from './live/documents.ts';
import {collectionSearchOptions, isBlank, retrievers} from './live/hits.ts';
import {LiveCollection} from './live/live-collection.ts';
import {LiveSearcher} from './live/searcher.ts';
import type {
	CollectionHandle,
	CollectionSearchOptions,
	CollectionStats,
	CountOptions,
	FacetOptions,
	FoundPassage,
	Include,
	Retriever,
	SearchResult,
	StoredPassage,
	ValueCount,
} from './live/types.ts';
import {type Manifest, versionOf} from './manifest.ts';
import {
	type AskOptions,
	type AskResult,
	type AttachOptions,
	type CollectionBuildOptions,
	type CollectionOptions,
	type ListOptions,
	type NeighborOptions,
	type OptimizeOptions,
	type SearcherOptions,
	askOptions,
	attachOptions,
	buildOptions,
	countOptions,
	discardOption,
	facetOptions,
	filterOption,
	listOptions,
	neighborOptions,
	openOptions,
	optimizeOptions,
	searcherOptions,
} from './options.ts';
import {searchBuilt} from './search-built.ts';

/**
Documents, or the passages of a corpus, in one folder. A collection is searched by words, by vectors or by both, and can answer questions.

`Collection.open(folder, {create: true})` makes an updatable collection: documents can be added, replaced and deleted, also while it is
searched. Changes become visible when they are committed, in all indexes at the same time. One process at a time can change a collection:
the one that made the first change and has not closed the collection since. Any number of processes can search it; they see later commits
after `refresh()`.

`Collection.build(source, folder)` builds a collection from a corpus. A built collection never changes. Both kinds of collections have
`search`, `ask`, `searcher`, `encoder`, `reader`, `evidence`, `passagesOf` and `close`. Only a built collection has `manifest`, `passages`,
`bm25`, `flat()` and `hnsw()`; all other methods fail with `ERR_ARGUMENT` for a built collection.

`Collection.open<Product>(folder)` declares the fields of the documents. The compiler then checks the names and values of fields in
documents, in filters, and in the calls of `facets` and `list`, and the fields of hits and passages have these types, except that a `Date`
is returned as a string. Nothing is checked at run time, so the declaration must fit the documents that are already stored. Without a
declaration, any field name is accepted.

@example
```
await using docs = await Collection.open('./index', {create: true});
await docs.upsert([{id: 'lamp-7', title: 'Desk lamp', text: 'A lamp without a cable.', fields: {price: 39, inStock: true}}]);
await docs.commit();
const {hits} = await docs.search('reading light', {filter: {price: {lt: 50}}, include: ['title', 'text']});

interface Product {
	price: number;
	inStock?: boolean;
}
const products = await Collection.open<Product>('./products');
await products.count({filter: {price: {lt: 50}, inStock: true}});
// The compiler refuses {filter: {prize: 5}} and {filter: {price: {lt: '50'}}}.
```
*/
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export class Collection<Fields extends AllowedFields<Fields> = any> implements AsyncDisposable {
	readonly #folder: string;
	readonly #parts: BuiltCollection | LiveCollection;
	readonly #reader: LazyReader;

	private constructor(folder: string, parts: BuiltCollection | LiveCollection, reader: string | undefined) {
		if (!(parts instanceof LiveCollection)) {
			checkFactoryMade('Collection', parts, BuiltCollection, 'Collection.open() or Collection.build()');
		}
		this.#folder = folder;
		this.#parts = parts;
		this.#reader = new LazyReader(reader);
	}

	/**
	Builds a collection in the folder `output` from a file, a folder or passages, as `buildCollection` does, and opens it. A built collection
	never changes.
	*/
	static async build(
		source: string | Iterable<Passage> | AsyncIterable<Passage>,
		output: string,
		options: CollectionBuildOptions = {},
	): Promise<Collection> {
		checkOptions('build', options, buildOptions);
		const {reader, k1, b, ...build} = options;
		// These options are used after the build, but checked before it, because it may take hours.
		checkOpening({reader, k1, b});
		await buildCollection(source, output, build);
		const {encoder, questionEncoder, encoderOptions} = build;
		return Collection.open(
			output,
			encoder === false ? {reader, k1, b} : {reader, k1, b, questionEncoder: questionEncoder ?? encoder, encoderOptions},
		);
	}

	/**
	Opens the collection in a folder or, with `create`, makes one if there is none. Index files are memory-mapped unless `inMemory` is set;
	models are loaded when they are first needed.

	Fails with `ERR_IO` if there is no collection, with `ERR_ARGUMENT` for `create` in a folder with other files, with `ERR_INDEX_CORRUPT` if
	the collection is damaged or its parts belong to different collections, with `ERR_INDEX_VERSION` if this version of passagekit does not
	read its format, and with `ERR_ENCODER_MISMATCH` or `ERR_DIMENSION` if an encoder differs from the one that the collection was created
	with. Fails with `ERR_ANALYZER_MISMATCH` for another analyzer than the collection has, and with `ERR_ARGUMENT` for another `split` or
	similarity. If a build was killed after it moved the old collection aside and before it moved the new one into place, the old one is
	restored.

	The type argument declares the fields of the documents for the compiler. It is not compared with the documents that are stored.
	*/
	// oxlint-disable-next-line no-explicit-any -- fields that are not declared
	static async open<Fields extends AllowedFields<Fields> = any>(
		folder: string,
		options: CollectionOptions = {},
	): Promise<Collection<Fields>> {
		checkString('folder', folder);
		checkOptions('open', options, openOptions);
		checkOpening(options);
		const {create = false, reader} = options;
		const version = await versionOf(folder);
		if (version === 2 || (version === undefined && create)) {
			const live = version === 2 ? await openLive(folder, options) : await createLive(folder, options);
			return new Collection(folder, live, reader);
		}
		return new Collection(folder, await BuiltCollection.open(folder, () => builtOptions(folder, options)), reader);
	}

	/**
	Returns the collection that another thread of this process shared with `share`. Both threads then use the same memory, and either can
	change the collection. Each thread closes its own object; closing the last one closes the collection. Models are loaded in each thread, but
	threads share the weights. The type argument declares the fields of the documents, as that of `open` does.
	*/
	// oxlint-disable-next-line no-explicit-any -- fields that are not declared
	static async attach<Fields extends AllowedFields<Fields> = any>(
		handle: CollectionHandle,
		options: AttachOptions = {},
	): Promise<Collection<Fields>> {
		checkObject('attach', handle, 'a handle {kind, path, token}');
		checkOneOf('attach: kind', handle.kind, ['Collection']);
		checkString('attach: path', handle.path);
		checkString('attach: token', handle.token);
		checkOptions('attach', options, attachOptions);
		checkOpening(options);
		return new Collection(handle.path, await LiveCollection.attach(handle, checkedCreate(options, false)), options.reader);
	}

	/** Returns a handle to pass to `attach` in another thread. */
	share(): CollectionHandle {
		return this.#live('share').share();
	}

	/**
	Adds documents with new ids and resolves to their number. They become visible at the next commit. Fails with `ERR_DUPLICATE_ID` if an id
	exists already in the collection or occurs twice in the call, and with `ERR_ENCODER` if the encoder does not return finite vectors.

	An array is added whole or not at all. Another iterable is read only as fast as its documents are added, in batches. If the iterable or one
	of its documents fails, the documents before it remain added; if the encoder fails, the batches before that one remain added. An error
	that is a `RetrievalError` says how many were added. Progress counts documents.
	*/
	async add(documents: Documents<Fields>, options: CallOptions = {}): Promise<number> {
		checkOptions('add', options, callOptions);
		return this.#live('add').put(documents, false, options);
	}

	/**
	Adds documents as `add` does, and replaces documents that have the same ids. In an array, each id must occur once. A passage whose title and
	text are those of the last commit keeps its vector and is not encoded again.
	*/
	async upsert(documents: Documents<Fields>, options: CallOptions = {}): Promise<number> {
		checkOptions('upsert', options, callOptions);
		return this.#live('upsert').put(documents, true, options);
	}

	/**
	Deletes the documents with the given ids, or the committed documents that match a filter. Unknown ids are ignored. Resolves to the number
	of deleted documents.
	*/
	async delete(which: string | readonly string[] | {readonly filter: Filter<Fields>}): Promise<number> {
		if (typeof which !== 'string' && !isArray(which)) {
			checkRequiredOptions('delete', which, filterOption);
		}
		return this.#live('delete').delete(which);
	}

	/** Replaces the fields of a committed document. Its text and vectors stay, and nothing is encoded. */
	async setFields(document: string, fields: GivenFields<Fields>): Promise<void> {
		return this.#live('setFields').setFields(document, fields);
	}

	/**
	Commits all changes and resolves to the number of commits so far. Afterwards, the changes are on disk, and searches see them. Without
	changes, nothing happens. If the call fails, the collection has the previous commit or this one, and `rollback()` must be called.
	*/
	async commit(): Promise<number> {
		return this.#live('commit').commit();
	}

	/** Discards all changes since the last commit. */
	async rollback(): Promise<void> {
		return this.#live('rollback').rollback();
	}

	/**
	Makes searches as fast as possible: commits all changes, merges all segments of the BM25 index, drops deleted passages, and inserts the
	remaining vectors into the graph. Resolves to the number of commits so far. Searches continue meanwhile; changes wait. Progress counts
	vectors. If the call is aborted, the last commit remains.
	*/
	async optimize(options: OptimizeOptions = {}): Promise<number> {
		checkOptions('optimize', options, optimizeOptions);
		const {threads = availableParallelism()} = options;
		checkCount('threads', threads, 1);
		return this.#live('optimize').optimize(threads, options);
	}

	/** Switches to the last commit that any process made. Resolves to whether searches now see a different commit than before. */
	async refresh(): Promise<boolean> {
		return this.#live('refresh').refresh();
	}

	/**
	Returns the best passages for a query, best first. A blank query has no hits.

	In an updatable collection, a search that is estimated to take less than a quarter of a millisecond runs on the JavaScript thread. It
	starts immediately if this package has used less than about a millisecond of the current iteration of the event loop, or else at the start
	of the next iteration if no other search waits for that iteration. All other searches run on the thread pool:

	- searches whose time cannot be estimated: the first searches by vectors, the first searches that include parts of hits such as `text`, and
	  searches with `groupBy` if documents have several passages;
	- the first search with each filter after a commit, and searches with a filter by `documents` or a filter of more than 1 KiB;
	- searches that would have to wait for a lock, for example while a commit becomes visible;
	- searches that may have to wait for the disk, because the BM25 files that they read, or the vectors written by the last `optimize`, take
	  more than 64 MiB;
	- searches for more than 4,096 bytes of text;
	- searches by words that turn out to take longer than estimated, because very many passages have about the same score.

	An `OnnxEncoder` always encodes questions on another thread.
	*/
	async search<const Part extends Include = never>(
		query: string,
		options: CollectionSearchOptions<Part, Fields> = {},
	): Promise<SearchResult<Part, Fields>> {
		checkString('search: query', query);
		checkOptions('search', options, collectionSearchOptions);
		const parts = this.#parts;
		if (parts instanceof BuiltCollection) {
			return (await parts.calls.run(async () => searchBuilt(parts, query, options))) as unknown as SearchResult<Part, Fields>;
		}
		const {hits, search} = await parts.calls.run(async () => parts.search(query, options));
		// The hits have the parts of `include`, which are those of `Part`.
		return {hits: hits as unknown as SearchResult<Part, Fields>['hits'], retriever: search.retriever};
	}

	/** Retrieves passages for a question and extracts answers from them. A blank question has no answers. */
	async ask(question: string, options: AskOptions<Fields> = {}): Promise<AskResult> {
		checkString('question', question);
		checkOptions('ask', options, askOptions);
		return this.#parts.calls.run(async () => this.#ask(question, options));
	}

	async #ask(question: string, options: AskOptions<Fields>): Promise<AskResult> {
		const {retriever = this.#hasVectors ? 'hybrid' : 'bm25', passages: count = 20, answers: k = 3, signal, filter} = options;
		const {vectorIndex, fusion, depth, scoring, spansPerPassage, maxAnswerTokens, merge} = options;
		checkOneOf('retriever', retriever, retrievers);
		checkCount('passages', count, 1);
		checkCount('answers', k, 1);
		const reading = this.#reader.get();
		// If retrieval fails first, nothing awaits `reading`, and its rejection must not go unhandled.
		reading.catch(() => {});
		const passages = await this.#retrieve(question, {retriever, k: count, vectorIndex, fusion, depth, signal, filter});
		const reader = await reading;
		const evidence = options.evidence ?? this.evidence(retriever);
		const answers = await reader.read(question, passages, {signal, scoring, spansPerPassage, maxAnswerTokens, merge, evidence, k});
		return {answers: answers.map(answer => ({...answer, document: documentOf(answer.passageId)})), passages, retriever};
	}

	/**
	Returns a searcher of the collection, after loading the indexes and models that it needs. Unless `retriever` is 'bm25', fails with
	`ERR_ARGUMENT` if the collection has no vectors or no question encoder. An encoder that was given as an object is not stored: pass it to
	every `Collection.open`.
	*/
	async searcher(retriever: Retriever, options: SearcherOptions = {}): Promise<FilterableSearcher> {
		checkOneOf('retriever', retriever, retrievers);
		checkOptions('searcher', options, searcherOptions);
		const parts = this.#parts;
		if (parts instanceof BuiltCollection) {
			return parts.calls.run(async () => {
				const searcher = await parts.searcher(retriever, options);
				// The BM25 index waits for its own calls.
				return searcher === parts.bm25 ? searcher : new BuiltSearcher(searcher, parts.calls);
			});
		}
		parts.calls.checkOpen();
		if (retriever !== 'bm25') {
			await parts.questionEncoder();
		}
		const {vectorIndex, fusion, depth = 1000} = options;
		return new LiveSearcher(parts, {retriever, fusion, depth, exact: isExact(vectorIndex)});
	}

	/** Returns the passages of a document, in order; empty if there is no such document. */
	async passagesOfDocument(id: string): Promise<Array<StoredPassage<Fields>>> {
		return this.#live('passagesOfDocument').passagesOfDocument(id);
	}

	/** Returns the passages with the given ids, in the order of the ids. Skips ids that the collection does not have. */
	async get(ids: readonly string[]): Promise<Array<StoredPassage<Fields>>> {
		checkIds('get: ids', ids);
		return this.#live('get').passages(ids);
	}

	/** Returns a passage together with the passages before and after it, in the order of their document. */
	async neighbors(hit: string | {readonly id: string}, options: NeighborOptions = {}): Promise<Array<StoredPassage<Fields>>> {
		checkOptions('neighbors', options, neighborOptions);
		if (typeof hit !== 'string') {
			checkObject('hit', hit, 'a hit, or the id of a passage');
			checkString('hit: id', hit.id);
		}
		const {before = 1, after = 1} = options;
		return this.#live('neighbors').neighbors(typeof hit === 'string' ? hit : hit.id, before, after);
	}

	/** Returns how many passages, or documents, have each value of a field, the most frequent first. */
	async facets<Name extends FieldName<Fields>>(
		field: Name,
		options: FacetOptions<Fields> = {},
	): Promise<Array<ValueCount<CountedValue<Fields[Name]>>>> {
		checkOptions('facets', options, facetOptions);
		return this.#live('facets').valueCounts(field, options);
	}

	/** Returns passages sorted by a field. */
	async list(options: ListOptions<Fields>): Promise<Array<StoredPassage<Fields>>> {
		checkRequiredOptions('list', options, listOptions);
		const {sortBy, order = 'ascending', offset = 0, k = 10, filter} = options;
		return this.#live('list').sortedBy(sortBy, order, offset, k, filter);
	}

	/** Returns the number of passages or documents, or of those that match a filter. */
	async count(options: CountOptions<Fields> = {}): Promise<number> {
		checkOptions('count', options, countOptions);
		return this.#live('count').count(options);
	}

	/** Iterates over the passages of the current commit, in the order in which they were added. Later commits do not change what it returns. */
	scan(options: {readonly filter?: Filter<Fields> | undefined} = {}): AsyncGenerator<StoredPassage<Fields>, void, undefined> {
		checkOptions('scan', options, filterOption);
		return this.#live('scan').scan(options.filter);
	}

	[Symbol.asyncIterator](): AsyncGenerator<StoredPassage<Fields>, void, undefined> {
		return this.scan();
	}

	/** Returns the stored vectors `[ids.length, dim]` of passages, scaled to length 1 for the similarity 'cosine'. */
	async vectors(ids: readonly string[]): Promise<Float32Array> {
		checkIds('vectors: ids', ids);
		return this.#live('vectors').vectors(ids);
	}

	/** Returns the counts and settings of the collection. */
	async stats(): Promise<CollectionStats> {
		return this.#live('stats').stats();
	}

	/** The manifest of a built collection: its number of passages, analyzer, encoder and vector indexes. */
	get manifest(): Manifest {
		return this.#built('manifest').manifest;
	}

	/** The passages of a built collection, by id. */
	get passages(): PassageStore {
		return this.#built('passages').passages;
	}

	/** The BM25 index of a built collection. */
	get bm25(): Bm25Index {
		return this.#built('bm25').bm25;
	}

	/** Returns the exact vector index of a built collection. Fails with `ERR_ARGUMENT` if the collection has no vectors. */
	async flat(): Promise<FlatIndex> {
		const built = this.#built('flat');
		return built.calls.run(async () => built.flat());
	}

	/**
	Returns the HNSW index of a built collection. Fails with `ERR_ARGUMENT` if the collection has no vectors, and with `ERR_IO` if it was built
	with `dense: 'flat'`.
	*/
	async hnsw(): Promise<HnswIndex> {
		const built = this.#built('hnsw');
		return built.calls.run(async () => built.hnsw());
	}

	/**
	Returns the question encoder, which is loaded by the first call. Fails with `ERR_ARGUMENT` if the collection has no vectors or no
	question encoder. An encoder that was given as an object is not stored: pass it to every `Collection.open`.
	*/
	async encoder(): Promise<Encoder> {
		const parts = this.#parts;
		return parts.calls.run(async () => (parts instanceof BuiltCollection ? parts.encoder() : parts.questionEncoder()));
	}

	/** Returns the reader, which is loaded by the first call. */
	async reader(): Promise<ExtractiveReader> {
		this.#parts.calls.checkOpen();
		return this.#reader.get();
	}

	/** Returns the weights of evidence fusion that `ask` uses by default with this retriever. */
	evidence(retriever: Retriever): {readonly beta: number; readonly gamma: number} {
		const unit = this.#parts instanceof BuiltCollection ? (this.#parts.manifest.encoder?.unit ?? false) : this.#parts.hasUnitVectors;
		return defaultEvidence(retriever, unit);
	}

	/** Returns the passages of hits, with the scores of the hits. Fails with `ERR_ARGUMENT` if the collection does not have one of them. */
	async passagesOf(hits: readonly Hit[]): Promise<FoundPassage[]> {
		checkArray('hits', hits, '{id, score}');
		hits.forEach((hit, i) => {
			checkObject(`hits[${i}]`, hit, '{id, score}');
			checkId(`hits[${i}]: id`, hit.id);
		});
		const parts = this.#parts;
		if (parts instanceof BuiltCollection) {
			return parts.calls.run(async () => parts.passagesOf(hits));
		}
		parts.calls.checkOpen();
		const passages = new Map((await parts.passages(hits.map(({id}) => id))).map(passage => [passage.id, passage]));
		return hits.map(({id, score}) => {
			const passage = passages.get(id);
			if (passage === undefined) {
				throw new RetrievalError('ERR_ARGUMENT', `passagesOf: expected hits of passages of the collection, got "${id}"`);
			}
			return {...passage, score};
		});
	}

	/**
	Closes the collection and its models. Calls in progress finish first, so do not wait for this call in one of their callbacks, such as
	`onProgress`; later calls fail with `ERR_CLOSED`. Changes are committed first, unless
	`discard` is set; changes that failed halfway are discarded, and the call rejects with `ERR_INTERRUPTED`.
	*/
	async close(options: {readonly discard?: boolean | undefined} = {}): Promise<void> {
		checkOptions('close', options, discardOption);
		try {
			await (this.#parts instanceof BuiltCollection ? this.#parts.close() : this.#parts.close(options.discard !== true));
		} finally {
			await this.#reader.close();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	get #hasVectors(): boolean {
		return this.#parts instanceof BuiltCollection ? this.#parts.manifest.encoder !== null : this.#parts.dim !== undefined;
	}

	/** Returns the passages that `ask` reads. */
	async #retrieve(
		question: string,
		{k, vectorIndex, filter, retriever, fusion, depth, signal}: CollectionSearchOptions & SearcherOptions & {readonly retriever: Retriever},
	): Promise<FoundPassage[]> {
		if (this.#parts instanceof BuiltCollection) {
			if (isBlank(question)) {
				return [];
			}
			const searcher = await this.#parts.searcher(retriever, {vectorIndex, fusion, depth});
			return this.#parts.passagesOf(await searcher.search(question, {k, signal, filter}));
		}
		const include = ['text', 'title'] as const;
		const search = {retriever, k, filter, fusion, depth, signal, include, exact: isExact(vectorIndex)};
		const {hits} = await this.#parts.search(question, search);
		return hits.map(hit => ({...hit, text: hit.text!}));
	}

	/** Returns the parts of an updatable collection. Fails for a built collection. */
	#live(call: string): LiveCollection {
		if (this.#parts instanceof LiveCollection) {
			this.#parts.calls.checkOpen();
			return this.#parts;
		}
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${call}: expected a collection that Collection.open created, got ${this.#folder}, which Collection.build made and which never changes`,
		);
	}

	/** Returns the parts of a built collection. Fails for an updatable collection. */
	#built(call: string): BuiltCollection {
		if (this.#parts instanceof BuiltCollection) {
			return this.#parts;
		}
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${call}: expected a collection that Collection.build made, got ${this.#folder}, which changes; use search, searcher, get, scan and stats`,
		);
	}
}

async function openLive(folder: string, options: CollectionOptions): Promise<LiveCollection> {
	return LiveCollection.open(folder, checkedCreate(options, false));
}

/** Creates an updatable collection. If another process creates one in the folder at the same time, opens it. */
async function createLive(folder: string, options: CollectionOptions): Promise<LiveCollection> {
	try {
		return await LiveCollection.create(folder, checkedCreate(options, true));
	} catch (error) {
		if ((await versionOf(folder)) === 2) {
			return openLive(folder, options);
		}
		throw error;
	}
}

function isExact(vectorIndex: 'flat' | 'hnsw' | undefined): boolean {
	checkOneOf('vectorIndex', vectorIndex ?? 'hnsw', ['flat', 'hnsw']);
	return vectorIndex === 'flat';
}

/** Checks the options of `Collection.open` without opening anything. */
function checkOpening({reader, k1, b, encoderOptions, ...options}: CollectionOptions): void {
	checkedCreate({...options, encoderOptions}, false);
	if (reader !== undefined) {
		checkString('reader', reader);
	}
	checkOptions('encoderOptions', encoderOptions, encoderNames);
	checkParameters({k1, b});
}

/** Returns the options that a built collection has. Fails if any other option is set. */
function builtOptions(folder: string, options: CollectionOptions) {
	const {questionEncoder, encoderOptions, k1, b, inMemory, verify, reader: _reader, create: _create, ...others} = options;
	for (const [name, value] of Object.entries(others)) {
		if (value !== undefined) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`open: ${name}: expected a collection that Collection.open created, got ${folder}, which Collection.build made`,
			);
		}
	}
	if (questionEncoder !== undefined) {
		checkString('questionEncoder', questionEncoder);
	}
	return {questionEncoder, encoderOptions, k1, b, inMemory, verify};
}
