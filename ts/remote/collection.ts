/** Collections in an OpenSearch cluster. */
import {
	checkArray,
	checkBoolean,
	checkIterable,
	checkFactoryMade,
	checkId,
	checkIds,
	checkObject,
	checkOneOf,
	checkCount,
	checkString,
	isArray,
} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {fieldsJson} from '../core/filters/fields.ts';
import {documentOf} from '../core/filters/document-id.ts';
import type {Filter} from '../core/filters/filter.ts';
import {callOptions, checkOptions, checkRequiredOptions, signalOption} from '../core/options.ts';
import type {AllowedFields, GivenFields} from '../core/typed-fields.ts';
import type {CallOptions, Encoder, FilterableSearcher, Hit} from '../core/types.ts';
import {defaultEvidence} from '../collection/evidence.ts';
import {bestSentences} from '../collection/live/sentences.ts';
import type {Documents} from '../collection/live/documents.ts';
import {collectionSearchOptions, isBlank, retrievers} from '../collection/live/hits.ts';
import type {
	CollectionHit,
	CollectionSearchOptions,
	CountOptions,
	FoundPassage,
	Include,
	Retriever,
	SearchResult,
	StoredPassage,
} from '../collection/live/types.ts';
import {
	type AskOptions,
	type AskResult,
	type NeighborOptions,
	askOptions,
	countOptions,
	filterOption,
	neighborOptions,
} from '../collection/options.ts';
import {readPassages} from '../corpus/index.ts';
import type {FileOptions} from '../core/passage-source.ts';
import {LazyReader} from '../collection/lazy-reader.ts';
import type {ExtractiveReader} from '../reader/index.ts';
import {moveAlias} from './index/alias.ts';
import {createIndex, openIndex} from './index/open.ts';
import {RemoteIndex} from './index/remote-index.ts';
import {onAllShards, optimizeIndex} from './index/maintenance.ts';
import {indexStats} from './index/stats.ts';
import {
	type OpenSearchCreateOptions,
	type OpenSearchOpenOptions,
	type OpenSearchSearcherOptions,
	type OpenSearchStats,
	type UseAliasOptions,
	aliasOptions,
	createOptions,
	openOptions,
	pushOptions,
	searcherOptions,
} from './options.ts';
import {countMatching, neighborsOf, passagesByDocument, passagesById, scanPassages, vectorsOf} from './search/read.ts';
import {planOf, retrieve} from './search/retrieval.ts';
import {OpenSearchSearcher, encodedQuestion} from './searcher.ts';
import {BulkWriter} from './write/bulk.ts';
import {deleteDocuments, deleteMatching} from './write/deletions.ts';
import {putDocuments, setDocumentFields} from './write/documents.ts';
import {passageOf} from './write/passages.ts';
import {type PassageWithVector, type PushOptions, type PushResult, pushPassages} from './write/push.ts';

/**
A collection in an index of an OpenSearch cluster (version 2 or 3), with the methods of `Collection`. For the default k1, BM25 hits and scores
equal those of an embedded collection with the same passages, because the terms come from this package's analyzers; hits with equal scores
come in the order in which their passages were added.

A change is durable when its call has returned, and searches see it after `refresh()`, or after about a second. There is no `rollback`.
Changes of several documents are not one step: a call that fails may have changed some of them. A call never reports success for a passage
that the cluster did not store, and a search never returns the hits of only some shards.

A deleted or replaced passage counts in the statistics of BM25 until OpenSearch merges its segment; `optimize()` merges all.

@example
```
const docs = await OpenSearchCollection.create('docs', {url: 'http://localhost:9200', shards: 3});
await docs.add([{id: 'lamp-7', title: 'Desk lamp', text: 'A lamp without a cable.', fields: {price: 39}}]);
await docs.refresh();
const {hits} = await docs.search('reading light', {filter: {price: {lt: 50}}, include: ['title', 'text']});
await docs.close();
```
*/
// oxlint-disable-next-line no-explicit-any -- fields that are not declared
export class OpenSearchCollection<Fields extends AllowedFields<Fields> = any> implements AsyncDisposable {
	readonly #index: RemoteIndex;
	readonly #bulk: BulkWriter;
	readonly #globalStatistics: boolean;
	readonly #reader: LazyReader;

	private constructor(index: RemoteIndex, options: OpenSearchOpenOptions | OpenSearchCreateOptions) {
		checkFactoryMade('OpenSearchCollection', index, RemoteIndex, 'OpenSearchCollection.create() or OpenSearchCollection.open()');
		const {statistics = 'global', reader, maxRetries, timeoutMs} = options;
		this.#index = index;
		this.#bulk = new BulkWriter(index.parts.connection, {maxRetries, timeoutMs});
		this.#globalStatistics = statistics === 'global';
		this.#reader = new LazyReader(reader);
	}

	/**
	Creates an index and opens it. Fails with `ERR_ARGUMENT` if there is an index or an alias with this name, with `ERR_REMOTE` if the
	cluster cannot be reached or has another version, with `ERR_REMOTE_ACCESS` if it refuses the credentials or its certificate is not
	trusted, and with `ERR_PEER_MISSING` if `@opensearch-project/opensearch` is not installed.
	*/
	// oxlint-disable-next-line no-explicit-any -- fields that are not declared
	static async create<Fields extends AllowedFields<Fields> = any>(
		index: string,
		options: OpenSearchCreateOptions,
	): Promise<OpenSearchCollection<Fields>> {
		checkString('index', index);
		checkRequiredOptions('create', options, createOptions);
		return new OpenSearchCollection<Fields>(await createIndex(index, options), options);
	}

	/**
	Opens an index that `create` or `passagekit push` made, or an alias of one. Fails with the errors of `create`, with `ERR_REMOTE` if there
	is no such index, with `ERR_ARGUMENT` if another program made it, with `ERR_INDEX_VERSION` if this version of passagekit does not read its
	format or makes other terms, and with `ERR_ENCODER_MISMATCH` or `ERR_DIMENSION` if an encoder differs from the one that the index was
	created with.
	*/
	// oxlint-disable-next-line no-explicit-any -- fields that are not declared
	static async open<Fields extends AllowedFields<Fields> = any>(
		index: string,
		options: OpenSearchOpenOptions,
	): Promise<OpenSearchCollection<Fields>> {
		checkString('index', index);
		checkRequiredOptions('open', options, openOptions);
		return new OpenSearchCollection<Fields>(await openIndex(index, options), options);
	}

	/**
	Adds documents with new ids and resolves to their number. Fails with `ERR_DUPLICATE_ID` if an id exists already, and with a
	`RemoteWriteError` if the cluster refuses passages. Progress counts documents.
	*/
	async add(documents: Documents<Fields>, options: CallOptions = {}): Promise<number> {
		checkOptions('add', options, callOptions);
		return putDocuments(this.#target, documents, false, options);
	}

	/**
	Adds documents as `add` does, and replaces documents that have the same ids. A passage whose title and text stay the same keeps its vector
	and is not encoded again. Only one call at a time may change a document.
	*/
	async upsert(documents: Documents<Fields>, options: CallOptions = {}): Promise<number> {
		checkOptions('upsert', options, callOptions);
		return putDocuments(this.#target, documents, true, options);
	}

	/**
	Deletes the documents with the given ids, or those that match a filter and that searches see. Unknown ids are ignored. Resolves to the
	number of deleted documents.
	*/
	async delete(which: string | readonly string[] | {readonly filter: Filter<Fields>}): Promise<number> {
		if (typeof which !== 'string' && !isArray(which)) {
			checkRequiredOptions('delete', which, filterOption);
			const {filter} = which as {readonly filter: Filter};
			if (filter === undefined) {
				throw new RetrievalError('ERR_ARGUMENT', 'delete: filter: expected a filter, got undefined');
			}
			return deleteMatching(this.#target, filter);
		}
		const ids = typeof which === 'string' ? [which] : which;
		checkIds('delete: ids', ids);
		return deleteDocuments(this.#target, ids);
	}

	/** Replaces the fields of a document. Its text and vectors stay, and nothing is encoded. */
	async setFields(document: string, fields: GivenFields<Fields>): Promise<void> {
		checkId('document', document);
		await setDocumentFields(this.#target, document, fieldsJson('fields', fields));
	}

	/**
	Writes the passages of a corpus file or folder, or other passages, with their ids and in their order; passages with the same ids are
	replaced, and keep their vectors if their titles and texts stay the same. Consecutive passages `d#0`, `d#1`, … become one document, and
	passages that the index has of it beyond these are deleted. If the call is repeated after a stop, with the same passages, it continues: the
	index already has a part of them, which are neither encoded nor written again. Progress counts passages.
	*/
	async push(
		source: string | Iterable<PassageWithVector> | AsyncIterable<PassageWithVector>,
		options: PushOptions & FileOptions = {},
	): Promise<PushResult> {
		checkOptions('push', options, pushOptions);
		const {workers = 2, total = 0, signal, onProgress, ...files} = options;
		checkCount('workers', workers, 1, 64);
		checkCount('total', total, 0);
		if (typeof source !== 'string') {
			checkIterable('source', source, 'passages, or a path');
		}
		const passages = typeof source === 'string' ? readPassages(source, {...files, signal}) : source;
		return pushPassages(this.#target, passages, {workers, total, signal, onProgress});
	}

	/** Makes all changes visible to searches. */
	async refresh(options: Pick<CallOptions, 'signal'> = {}): Promise<void> {
		checkOptions('refresh', options, signalOption);
		await onAllShards(this.#index, 'refresh', '_refresh', {signal: options.signal});
	}

	/**
	Merges each shard into one segment, which drops deleted passages, makes all changes visible, and resolves to the number of deleted passages
	that remain. A copy of a shard may need the most recent deletions to recover, so the call waits up to a minute until they can be dropped.
	It takes minutes for large indexes, and is meant for indexes that no longer change.
	*/
	async optimize(options: Pick<CallOptions, 'signal'> = {}): Promise<number> {
		checkOptions('optimize', options, signalOption);
		return optimizeIndex(this.#index, options.signal);
	}

	/**
	Returns the best passages for a query, best first. A blank query has no hits. `include` may have all parts except `highlights`. By default,
	`depth` is 100, or `offset + k` if that is larger.
	*/
	async search<const Part extends Include = never>(
		query: string,
		options: CollectionSearchOptions<Part, Fields> = {},
	): Promise<SearchResult<Part, Fields>> {
		checkString('search: query', query);
		checkOptions('search', options, collectionSearchOptions);
		const plan = planOf(this.#index, query, options, this.#globalStatistics);
		const {include, retriever, vector: given} = plan.search;
		const {signal} = options;
		const encoder = include.has('sentence') ? await this.#index.encoders().sentences() : undefined;
		if (isBlank(query) && given === undefined) {
			return {hits: [], retriever};
		}
		const vector = retriever === 'bm25' ? undefined : (given ?? (await encodedQuestion(this.#index, query, signal)));
		const [found] = await retrieve(this.#index, [{text: query, vector}], plan);
		const passages = found!.map(({id, score, source}) => ({...passageOf(id, source), score}));
		const texts = passages.map(({title = '', text}) => ({title, text}));
		const {similarity} = this.#index.parts.schema.settings;
		const sentences = encoder && (await bestSentences(texts, {encoder, similarity: similarity!, query: vector!, signal}));
		const hits = passages.map(
			({id, document, score, title, text, fields}, i): CollectionHit => ({
				id,
				document,
				score,
				...(include.has('text') ? {text} : {}),
				...(include.has('title') && title !== undefined ? {title} : {}),
				...(include.has('fields') ? {fields} : {}),
				...(sentences === undefined ? {} : {sentence: sentences[i]!}),
			}),
		);
		return {hits, retriever} as unknown as SearchResult<Part, Fields>;
	}

	/** Retrieves passages for a question and extracts answers from them. A blank question has no answers. */
	async ask(question: string, options: AskOptions<Fields> = {}): Promise<AskResult> {
		checkString('question', question);
		checkOptions('ask', options, askOptions);
		const {retriever = this.#index.dim === undefined ? 'bm25' : 'hybrid', passages: count = 20, answers: k = 3, signal} = options;
		const {filter, vectorIndex, fusion, depth, scoring, spansPerPassage, maxAnswerTokens, merge} = options;
		checkOneOf('retriever', retriever, retrievers);
		checkCount('passages', count, 1);
		checkCount('answers', k, 1);
		const reading = this.reader();
		// If retrieval fails first, nothing awaits `reading`, and its rejection must not go unhandled.
		reading.catch(() => {});
		const {hits} = await this.search(question, {
			retriever,
			k: count,
			filter,
			fusion,
			depth,
			signal,
			include: ['text', 'title'],
			exact: isExact(vectorIndex),
		});
		const passages: FoundPassage[] = hits.map(hit => ({...hit}));
		const reader = await reading;
		const evidence = options.evidence ?? this.evidence(retriever);
		const answers = await reader.read(question, passages, {signal, scoring, spansPerPassage, maxAnswerTokens, merge, evidence, k});
		return {answers: answers.map(answer => ({...answer, document: documentOf(answer.passageId)})), passages, retriever};
	}

	/** Returns a searcher. Unless `retriever` is 'bm25', fails with `ERR_ARGUMENT` if the index has no vectors or no question encoder. */
	async searcher(retriever: Retriever, options: OpenSearchSearcherOptions = {}): Promise<FilterableSearcher> {
		checkOneOf('retriever', retriever, retrievers);
		checkOptions('searcher', options, searcherOptions);
		if (retriever !== 'bm25') {
			await this.#index.encoders().questions();
		}
		const {vectorIndex, fusion, depth = 1000, efSearch} = options;
		return new OpenSearchSearcher(this.#index, {retriever, fusion, depth, efSearch, exact: isExact(vectorIndex)}, this.#globalStatistics);
	}

	/** Returns the passages with the given ids that searches see, in the order of the ids. Skips ids that the index does not have. */
	async get(ids: readonly string[]): Promise<Array<StoredPassage<Fields>>> {
		checkIds('get: ids', ids);
		return passagesById(this.#index, ids);
	}

	/** Returns the passages of a document, in order; empty if there is no such document. */
	async passagesOfDocument(id: string): Promise<Array<StoredPassage<Fields>>> {
		checkString('id', id);
		return passagesByDocument(this.#index, id);
	}

	/** Returns a passage together with the passages before and after it, in the order of their document. */
	async neighbors(hit: string | {readonly id: string}, options: NeighborOptions = {}): Promise<Array<StoredPassage<Fields>>> {
		checkOptions('neighbors', options, neighborOptions);
		if (typeof hit !== 'string') {
			checkObject('hit', hit, 'a hit, or the id of a passage');
			checkString('hit: id', hit.id);
		}
		const {before = 1, after = 1} = options;
		return neighborsOf(this.#index, typeof hit === 'string' ? hit : hit.id, before, after);
	}

	/** Returns the passages of hits, with the scores of the hits. Fails with `ERR_ARGUMENT` if the index does not have one of them. */
	async passagesOf(hits: readonly Hit[]): Promise<FoundPassage[]> {
		checkArray('hits', hits, '{id, score}');
		hits.forEach((hit, i) => {
			checkObject(`hits[${i}]`, hit, '{id, score}');
			checkId(`hits[${i}]: id`, hit.id);
		});
		const found: StoredPassage[] = await passagesById(this.#index, [...new Set(hits.map(({id}) => id))]);
		const passages = new Map(found.map(passage => [passage.id, passage]));
		return hits.map(({id, score}) => {
			const passage = passages.get(id);
			if (passage === undefined) {
				throw new RetrievalError('ERR_ARGUMENT', `passagesOf: expected hits of passages of the index, got "${id}"`);
			}
			return {...passage, score};
		});
	}

	/** Returns the number of passages or documents that searches see, or of those that match a filter. */
	async count(options: CountOptions<Fields> = {}): Promise<number> {
		checkOptions('count', options, countOptions);
		return countMatching(this.#index, options);
	}

	/** Iterates over the passages that searches see now, in the order in which they were added. Later changes do not change what it returns. */
	scan(options: {readonly filter?: Filter<Fields> | undefined} = {}): AsyncGenerator<StoredPassage<Fields>, void, undefined> {
		checkOptions('scan', options, filterOption);
		return scanPassages(this.#index, options.filter);
	}

	[Symbol.asyncIterator](): AsyncGenerator<StoredPassage<Fields>, void, undefined> {
		return this.scan();
	}

	/** Returns the stored vectors `[ids.length, dim]` of passages, scaled to length 1 for the similarity 'cosine'. */
	async vectors(ids: readonly string[]): Promise<Float32Array> {
		checkIds('vectors: ids', ids);
		return vectorsOf(this.#index, ids);
	}

	/** Returns the counts and settings of the index. */
	async stats(): Promise<OpenSearchStats> {
		return indexStats(this.#index);
	}

	/**
	Makes an alias the name of this index, in one step, and resolves to the indexes that had the alias before. Collections that were opened by
	the alias then search this index. To replace an index without downtime, create an index with a new name, fill it, and then move the alias.
	*/
	async useAlias(alias: string, options: UseAliasOptions = {}): Promise<string[]> {
		checkString('alias', alias);
		checkOptions('useAlias', options, aliasOptions);
		const {deleteOld = false, signal} = options;
		checkBoolean('deleteOld', deleteOld);
		return moveAlias(this.#index, alias, deleteOld, signal);
	}

	/** Returns the terms into which the analyzer of this index turns a text, in the order of the text. */
	terms(text: string): string[] {
		checkString('terms: text', text);
		return this.#index.parts.analyzer.terms(text);
	}

	/** Returns the question encoder. Fails with `ERR_ARGUMENT` if the index has no vectors or no question encoder. */
	async encoder(): Promise<Encoder> {
		return this.#index.encoders().questions();
	}

	/** Returns the reader, which is loaded by the first call. */
	async reader(): Promise<ExtractiveReader> {
		return this.#reader.get();
	}

	/** Returns the weights of evidence fusion that `ask` uses by default with this retriever. */
	evidence(retriever: Retriever): {readonly beta: number; readonly gamma: number} {
		return defaultEvidence(retriever, this.#index.dim !== undefined && this.#index.parts.schema.settings.unit);
	}

	/** Closes the connections and the models. Later calls fail with `ERR_CLOSED`. The index stays. */
	async close(): Promise<void> {
		try {
			await this.#index.close();
		} finally {
			await this.#reader.close();
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	get #target() {
		return {index: this.#index, bulk: this.#bulk};
	}
}

function isExact(vectorIndex: 'flat' | 'hnsw' | undefined): boolean {
	checkOneOf('vectorIndex', vectorIndex ?? 'hnsw', ['flat', 'hnsw']);
	return vectorIndex === 'flat';
}
