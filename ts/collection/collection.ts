/** Collections: documents or a corpus in one folder, searched by words, by vectors and by both, and asked questions. */
import {availableParallelism} from 'node:os';
import {checkArray, checkCount, checkFactoryMade, checkId, checkObject, checkOneOf, checkString, isArray} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import type {Filter} from '../core/filters/filter.ts';
import {callOptions, checkOptions, checkRequiredOptions} from '../core/options.ts';
import type {AllowedFields, CountedValue, FieldName, GivenFields} from '../core/typed-fields.ts';
import type {CallOptions, Encoder, FilterableSearcher, Hit, Passage} from '../core/types.ts';
import type {PassageStore} from '../corpus/index.ts';
import type {FlatIndex, HnswIndex} from '../dense/index.ts';
import {encoderOptions as encoderNames} from '../encoders/onnx-encoder.ts';
import {ExtractiveReader} from '../reader/index.ts';
import {checkParameters} from '../sparse/bm25-index.ts';
import type {Bm25Index} from '../sparse/index.ts';
import {buildCollection} from './build.ts';
import {BuiltCollection} from './built-collection.ts';
import {defaultEvidence} from './evidence.ts';
import {checkedCreate} from './live/create.ts';
import type {Documents} from './live/documents.ts';
import {collectionSearchOptions, retrievers} from './live/hits.ts';
import {LiveCollection} from './live/live-collection.ts';
import {LiveSearcher} from './live/searcher.ts';
import type {
	CollectionHandle,
	CollectionSearchOptions,
	CollectionStats,
	CountOptions,
	FacetOptions,
	Include,
	Retriever,
	SearchResult,
	StoredPassage,
	ValueCount,
} from './live/types.ts';
import {type Manifest, versionOf} from './manifest.ts';
import {
	type AskOptions,
	type Asked,
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
Documents in one folder, which are searched by words, by vectors and by both, and asked questions.

`Collection.open(folder, {create: true})` makes a collection to which documents are added, in which they are replaced and deleted, and which
is searched meanwhile. A change becomes visible, in all parts at once, when it is committed. One process at a time can change a collection:
the one that made the first change and has not closed it since. Any number of processes can search it; they see later commits after
`refresh()`.

`Collection.build(source, folder)` builds a collection of a corpus in files, which never changes: `add`, `commit` and all methods that need
documents fail with `ERR_ARGUMENT`. Only such a collection has `manifest`, `passages`, `bm25`, `flat()` and `hnsw()`.

`Collection.open<Product>(folder)` declares the fields of the documents. The compiler then checks the names and values of fields in
documents, in filters, and in the calls of `facets` and `list`, and the fields of hits and passages have these types. Nothing is checked
when the program runs: declare what the documents have that are stored already. Without a declaration, fields of all names are accepted.

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
	readonly #readerModel: string;
	#reader: Promise<ExtractiveReader> | undefined;

	private constructor(folder: string, parts: BuiltCollection | LiveCollection, reader: string | undefined) {
		if (!(parts instanceof LiveCollection)) {
			checkFactoryMade('Collection', parts, BuiltCollection, 'Collection.open() or Collection.build()');
		}
		this.#folder = folder;
		this.#parts = parts;
		this.#readerModel = reader ?? 'minilm-reader';
	}

	/**
	Builds a collection that never changes in the folder `output` from a file, a folder or passages, as `buildCollection` does, and opens it.
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
	read its format, and with `ERR_ENCODER_MISMATCH` or `ERR_DIMENSION` for another encoder than the one that it was created with. If a build
	was killed after it moved the old collection aside and before it moved the new one into place, the old one is restored.

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
			const settings = checkedCreate(options, version === undefined);
			const live = version === 2 ? await LiveCollection.open(folder, settings) : await LiveCollection.create(folder, settings);
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
	Adds documents with new ids and resolves to their number. They become visible at the next commit. Fails with `ERR_DUPLICATE_ID` if the
	collection or the call has an id already.

	An array is added whole or not at all. Another iterable is read only as fast as its documents are added; if it or one of its documents
	fails, those before it remain added, and the error says how many. Progress counts documents.
	*/
	async add(documents: Documents<Fields>, options: CallOptions = {}): Promise<number> {
		checkOptions('add', options, callOptions);
		return this.#live('add').put(documents, false, options);
	}

	/**
	Adds documents, and replaces those that have the same ids. Otherwise the same as `add`. A passage whose title and text stay the same keeps
	its vector and is not encoded again.
	*/
	async upsert(documents: Documents<Fields>, options: CallOptions = {}): Promise<number> {
		checkOptions('upsert', options, callOptions);
		return this.#live('upsert').put(documents, true, options);
	}

	/**
	Deletes documents by their ids, or the committed documents that match a filter. Unknown ids are ignored. Resolves to the number of deleted
	documents.
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
	Commits all changes and resolves to the number of commits so far. Afterwards, the changes are on the disk, and searches see them. Without
	changes, nothing happens. If it fails, the collection has the previous commit or this one, and `rollback()` must be called.
	*/
	async commit(): Promise<number> {
		return this.#live('commit').commit();
	}

	/** Discards all changes since the last commit. */
	async rollback(): Promise<void> {
		return this.#live('rollback').rollback();
	}

	/**
	Commits all changes, merges all segments of the BM25 index, drops deleted passages and completes the graph of the vectors, so that
	searches are fastest. Searches go on meanwhile; changes wait. Progress counts vectors. If it is aborted, the last commit remains.
	*/
	async optimize(options: OptimizeOptions = {}): Promise<number> {
		checkOptions('optimize', options, optimizeOptions);
		const {threads = availableParallelism()} = options;
		checkCount('threads', threads, 1);
		return this.#live('optimize').optimize(threads, options);
	}

	/** Switches to the last commit of another process. Resolves to whether there was one. */
	async refresh(): Promise<boolean> {
		return this.#live('refresh').refresh();
	}

	/**
	Returns the best passages for a query, best first.

	In a collection that was opened with `open`, a search that is estimated to take less than a quarter of a millisecond runs on the
	JavaScript thread: at once if this package has used less than about a millisecond of the current iteration of the event loop, or else at
	the start of the next iteration. All other searches run on the thread pool:

	- searches whose time is not known yet: the first ones by vectors, and the first ones that include contents;
	- the first search with each filter after a commit, and searches with a filter by `documents` or a filter of more than 1 KiB;
	- searches that may have to wait: while a commit becomes visible, or for a disk, if the files that they read of the BM25 index or the
	  vectors of the last `optimize` have more than 64 MiB;
	- searches for more than 4,096 bytes of text;
	- searches by words that turn out to take longer than estimated, because very many passages have about the same score.

	Questions are always encoded on another thread.
	*/
	async search<const Part extends Include = never>(
		query: string,
		options: CollectionSearchOptions<Part, Fields> = {},
	): Promise<SearchResult<Part, Fields>> {
		checkString('search: query', query);
		checkOptions('search', options, collectionSearchOptions);
		if (this.#parts instanceof BuiltCollection) {
			return (await searchBuilt(this.#parts, query, options)) as unknown as SearchResult<Part, Fields>;
		}
		const {hits, search} = await this.#parts.search(query, options);
		// The hits have the parts of `include`, which are those of `Part`.
		return {hits: hits as unknown as SearchResult<Part, Fields>['hits'], retriever: search.retriever};
	}

	/** Retrieves passages for a question and extracts answers from them. */
	async ask(question: string, options: AskOptions<Fields> = {}): Promise<Asked> {
		checkString('question', question);
		checkOptions('ask', options, askOptions);
		const {retriever = this.#hasVectors ? 'hybrid' : 'bm25', passages: count = 20, answers: k = 3, signal, filter} = options;
		const {vectorIndex, fusion, depth, scoring, spansPerPassage, maxAnswerTokens, merge} = options;
		checkOneOf('retriever', retriever, retrievers);
		checkCount('passages', count, 1);
		checkCount('answers', k, 1);
		const reading = this.reader();
		// If the retrieval fails first, nobody waits for the reader.
		reading.catch(() => {});
		const passages = await this.#retrieve(question, {retriever, k: count, vectorIndex, fusion, depth, signal, filter});
		const reader = await reading;
		const evidence = options.evidence ?? this.evidence(retriever);
		const answers = await reader.read(question, passages, {signal, scoring, spansPerPassage, maxAnswerTokens, merge, evidence, k});
		return {answers, passages, retriever};
	}

	/**
	Returns a searcher of the collection, after loading the indexes and models that it needs. Fails with `ERR_ARGUMENT` if the collection has
	no vectors and `retriever` is not 'bm25'.
	*/
	async searcher(retriever: Retriever, options: SearcherOptions = {}): Promise<FilterableSearcher> {
		checkOneOf('retriever', retriever, retrievers);
		checkOptions('searcher', options, searcherOptions);
		if (this.#parts instanceof BuiltCollection) {
			return this.#parts.searcher(retriever, options);
		}
		if (retriever !== 'bm25') {
			await this.#parts.questionEncoder();
		}
		const {vectorIndex, fusion, depth = 1000} = options;
		return new LiveSearcher(this.#parts, {retriever, fusion, depth, exact: isExact(vectorIndex)});
	}

	/** Returns the passages of a document, in order; empty if there is no such document. */
	async document(id: string): Promise<Array<StoredPassage<Fields>>> {
		return this.#live('document').document(id);
	}

	/** Returns those of these passages that the collection has, in the order of the ids. */
	async get(ids: readonly string[]): Promise<Array<StoredPassage<Fields>>> {
		return this.#live('get').passages(ids);
	}

	/** Returns a passage together with those before and after it in its document, in the order of the document. */
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
		return this.#live('vectors').vectors(ids);
	}

	/** Returns what the collection consists of. */
	async stats(): Promise<CollectionStats> {
		return this.#live('stats').stats();
	}

	/** What a collection that was built from files consists of. */
	get manifest(): Manifest {
		return this.#built('manifest').manifest;
	}

	/** The passages of a collection that was built from files, by id. */
	get passages(): PassageStore {
		return this.#built('passages').passages;
	}

	/** The BM25 index of a collection that was built from files. */
	get bm25(): Bm25Index {
		return this.#built('bm25').bm25;
	}

	/** Returns the exact vector index of a collection that was built from files. Fails with `ERR_ARGUMENT` if it has no vectors. */
	async flat(): Promise<FlatIndex> {
		return this.#built('flat').flat();
	}

	/** Returns the graph index of a collection that was built from files. Fails with `ERR_ARGUMENT` if it has no vectors. */
	async hnsw(): Promise<HnswIndex> {
		return this.#built('hnsw').hnsw();
	}

	/** Returns the encoder of questions, which is loaded by the first call. Fails with `ERR_ARGUMENT` if the collection has no vectors. */
	async encoder(): Promise<Encoder> {
		return this.#parts instanceof BuiltCollection ? this.#parts.encoder() : this.#parts.questionEncoder();
	}

	/** Returns the reader, which is loaded by the first call. */
	async reader(): Promise<ExtractiveReader> {
		this.#reader ??= ExtractiveReader.load(this.#readerModel);
		this.#reader.catch(() => {
			// After a failure, the next call tries again.
			this.#reader = undefined;
		});
		return this.#reader;
	}

	/** Returns the weights of evidence fusion that `ask` uses by default with this retriever. */
	evidence(retriever: Retriever): {readonly beta: number; readonly gamma: number} {
		const unit = this.#parts instanceof BuiltCollection ? (this.#parts.manifest.encoder?.unit ?? false) : this.#parts.hasUnitVectors;
		return defaultEvidence(retriever, unit);
	}

	/** Returns the passages of hits, with the scores of the hits. Fails with `ERR_ARGUMENT` if the collection lacks one of them. */
	async retrieved(hits: readonly Hit[]): Promise<Array<Passage & Hit>> {
		checkArray('hits', hits, '{id, score}');
		hits.forEach((hit, i) => {
			checkObject(`hits[${i}]`, hit, '{id, score}');
			checkId(`hits[${i}]: id`, hit.id);
		});
		if (this.#parts instanceof BuiltCollection) {
			return this.#parts.retrieved(hits);
		}
		const passages = new Map((await this.#parts.passages(hits.map(({id}) => id))).map(passage => [passage.id, passage]));
		return hits.map(({id, score}) => {
			const passage = passages.get(id);
			if (passage === undefined) {
				throw new RetrievalError('ERR_ARGUMENT', `retrieved: expected hits of passages of the collection, got "${id}"`);
			}
			return {...passage, score};
		});
	}

	/**
	Closes the collection and its models. Searches in progress finish; later calls fail with `ERR_CLOSED`. Changes are committed first, unless
	`discard` is set; changes that failed half-way are discarded, and the call rejects with `ERR_INTERRUPTED`.
	*/
	async close(options: {readonly discard?: boolean | undefined} = {}): Promise<void> {
		checkOptions('close', options, discardOption);
		const reader = this.#reader;
		this.#reader = undefined;
		try {
			await (this.#parts instanceof BuiltCollection ? this.#parts.close() : this.#parts.close(options.discard !== true));
		} finally {
			await reader?.then(
				opened => opened.close(),
				() => {},
			);
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
	): Promise<Array<Passage & Hit>> {
		if (this.#parts instanceof BuiltCollection) {
			const searcher = await this.#parts.searcher(retriever, {vectorIndex, fusion, depth});
			return this.#parts.retrieved(await searcher.search(question, {k, signal, filter}));
		}
		const include = ['text', 'title'] as const;
		const search = {retriever, k, filter, fusion, depth, signal, include, exact: isExact(vectorIndex)};
		const {hits} = await this.#parts.search(question, search);
		return hits.map(hit => ({...hit, text: hit.text!}));
	}

	/** Fails for a collection that was built from files. */
	#live(call: string): LiveCollection {
		if (this.#parts instanceof LiveCollection) {
			return this.#parts;
		}
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${call}: expected a collection that Collection.open created, got ${this.#folder}, which Collection.build made and which never changes`,
		);
	}

	/** Fails for a collection that changes. */
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

function isExact(vectorIndex: 'flat' | 'hnsw' | undefined): boolean {
	checkOneOf('vectorIndex', vectorIndex ?? 'hnsw', ['flat', 'hnsw']);
	return vectorIndex === 'flat';
}

function checkOpening({reader, k1, b, encoderOptions, ...options}: CollectionOptions): void {
	checkedCreate({...options, encoderOptions}, false);
	if (reader !== undefined) {
		checkString('reader', reader);
	}
	checkOptions('encoderOptions', encoderOptions, encoderNames);
	checkParameters({k1, b});
}

/** Returns the options for a collection that was built from files. Fails for those that it does not have. */
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
