/** Retrieves the best passages of a remote index for queries: by words, by vectors, or by both, fused with this package's own methods. */
import {checkCount} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import type {Hit} from '../../core/types.ts';
import {type CheckedSearch, checkedSearch} from '../../collection/live/hits.ts';
import type {CollectionSearchOptions} from '../../collection/live/types.ts';
import {type FusionMethod, fuse} from '../../fusion/index.ts';
import type {RemoteIndex} from '../index/remote-index.ts';
import {MAX_HITS, names} from '../index/schema.ts';
import {typesExist} from './field-types.ts';
import {type RemoteFilter, remoteFilter} from './filters.ts';
import {type RemoteHit, searchAll} from './multi-search.ts';
import {type RemoteSearch, vectorSearch, wordSearch} from './requests.ts';

/** Maximum number of candidates of a graph search: the k-NN plugin accepts no larger `k`. */
const MAX_CANDIDATES = 10_000;

/** A query: its text, and its vector if it is searched by vectors. */
export interface RemoteQuery {
	readonly text: string;
	readonly vector: Float32Array | undefined;
}

/** How queries are searched. */
export interface RetrievalPlan {
	readonly search: CheckedSearch;
	readonly filter: RemoteFilter | undefined;
	/** The stored parts that hits have. */
	readonly source: readonly string[];
	/** Whether document frequencies are those of the whole index, or those of each shard. */
	readonly globalStatistics: boolean;
	readonly signal: AbortSignal | undefined;
}

/** A hit with the stored parts that the search asked for. */
export interface StoredHit extends Hit {
	readonly source: Readonly<Record<string, unknown>>;
}

/** Checks the options of a search. */
export function planOf(index: RemoteIndex, text: string, options: CollectionSearchOptions, globalStatistics: boolean): RetrievalPlan {
	const {schema} = index.parts;
	const context = {dim: index.dim, unit: schema.settings.unit, k1: schema.k1, b: schema.b};
	// A cluster sends all hits of both lists, so the default depth is no larger than necessary.
	const {k: count = 10, offset: first = 0} = options;
	const hits = typeof count === 'number' && typeof first === 'number' ? first + count : 0;
	const search = checkedSearch(text, {...options, depth: options.depth ?? Math.max(100, hits)}, context);
	if (search.include.has('highlights')) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			'include: highlights: expected text, title, fields or sentence, since a remote index does not find the words in texts, got highlights',
		);
	}
	const {k, offset, depth} = search.request;
	checkCount('offset + k', offset + k, 0, MAX_HITS);
	checkCount('depth', depth, 1, MAX_HITS);
	const {include} = search;
	const withText = include.has('text') || include.has('sentence');
	const source = [
		...(withText ? [names.text] : []),
		...(include.has('title') || include.has('sentence') ? [names.title] : []),
		...(include.has('fields') ? [names.fields] : []),
	];
	return {search, filter: remoteFilter(options.filter), source, globalStatistics, signal: options.signal};
}

/** Returns one page of hits for each query. */
export async function retrieve(index: RemoteIndex, queries: readonly RemoteQuery[], plan: RetrievalPlan): Promise<StoredHit[][]> {
	const {k, offset, groupByDocument} = plan.search.request;
	const count = offset + k;
	if (plan.filter !== undefined) {
		await typesExist(index, plan.filter, plan.signal);
	}
	if (k === 0) {
		return queries.map(() => []);
	}
	if (!groupByDocument) {
		const lists = await best(index, queries, plan, count);
		return lists.map(list => list.slice(offset));
	}
	return Promise.all(queries.map(async query => (await bestPerDocument(index, query, plan, count)).slice(offset)));
}

/** Retrieves more and more passages until they are from enough documents, as an embedded collection does. */
async function bestPerDocument(index: RemoteIndex, query: RemoteQuery, plan: RetrievalPlan, count: number): Promise<StoredHit[]> {
	for (let length = 2 * count + 8; ; length *= 2) {
		const limited = Math.min(length, MAX_HITS);
		const [hits] = (await best(index, [query], plan, limited)) as [StoredHit[]];
		const firsts = new Map<string, StoredHit>();
		for (const hit of hits) {
			const document = documentOf(hit.id);
			if (!firsts.has(document)) {
				firsts.set(document, hit);
			}
		}
		if (firsts.size >= count || hits.length < limited) {
			return [...firsts.values()].slice(0, count);
		}
		if (limited === MAX_HITS) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`groupBy: expected documents among the best ${MAX_HITS} passages, got only ${firsts.size} of ${count}; ask for fewer`,
			);
		}
	}
}

/** Returns the `length` best passages for each query. All searches are in one request. */
async function best(index: RemoteIndex, queries: readonly RemoteQuery[], plan: RetrievalPlan, length: number): Promise<StoredHit[][]> {
	const {retriever, request} = plan.search;
	const size = retriever === 'hybrid' ? Math.min(MAX_HITS, Math.max(length, request.depth)) : length;
	const searches: RemoteSearch[] = [];
	/** For each query, the places of its searches in `searches`. A query without terms has no search by words. */
	const places = queries.map(query => {
		const words = retriever === 'dense' ? undefined : wordsOf(index, query.text, plan, size);
		const vectors = retriever === 'bm25' ? undefined : vectorsOf(index, query.vector!, plan, size);
		return {words: words && searches.push(words) - 1, vectors: vectors && searches.push(vectors) - 1};
	});
	const {connection, name} = index.parts;
	const found = await index.consistently(async () => {
		const answer = searches.length === 0 ? [] : await searchAll({connection, name, signal: plan.signal}, searches);
		// An empty list has no hit that names its index.
		return {answer, indexes: new Set(answer.flatMap(list => (list.length === 0 ? [undefined] : list.map(hit => hit.index))))};
	}, plan.signal);
	const listAt = (place: number | undefined): RemoteHit[] => (place === undefined ? [] : found[place]!);
	if (retriever !== 'hybrid') {
		return places.map(({words, vectors}) => listAt(retriever === 'bm25' ? words : vectors));
	}
	const runOf = (kind: 'words' | 'vectors') => new Map(places.map((place, i) => [String(i), listAt(place[kind])]));
	const fused = await fuse({dense: runOf('vectors'), sparse: runOf('words')}, request.fusion as FusionMethod, {
		k: length,
		signal: plan.signal,
	});
	return places.map(({words, vectors}, i) => {
		const sources = new Map([...listAt(words), ...listAt(vectors)].map(({id, source}) => [id, source]));
		return (fused.get(String(i)) ?? []).map(({id, score}) => ({id, score, source: sources.get(id)!}));
	});
}

function wordsOf(index: RemoteIndex, text: string, plan: RetrievalPlan, size: number): RemoteSearch | undefined {
	const {analyzer, schema} = index.parts;
	const terms = analyzer.terms(text);
	const limits = {size, filter: plan.filter?.query, source: plan.source};
	return terms.length === 0 ? undefined : wordSearch(terms, limits, schema, index.major, plan.globalStatistics);
}

function vectorsOf(index: RemoteIndex, vector: Float32Array, plan: RetrievalPlan, size: number): RemoteSearch {
	const {schema} = index.parts;
	const {exact, ef} = plan.search.request;
	const limits = {size, filter: plan.filter?.query, source: plan.source};
	const query = schema.settings.similarity === 'cosine' ? unit(vector) : vector;
	if (exact) {
		return vectorSearch(query, {exact: true}, limits, schema);
	}
	const candidates = Math.max(size, ef);
	if (candidates > MAX_CANDIDATES) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`search: expected at most ${MAX_CANDIDATES} candidates of a graph (k, depth and efSearch), got ${candidates}; search all vectors with exact: true or vectorIndex: 'flat'`,
		);
	}
	return vectorSearch(query, {exact: false, candidates}, limits, schema);
}

/** Scales a vector to length 1. A vector of length 0 stays as it is. */
export function unit(vector: Float32Array): Float32Array {
	let sum = 0;
	for (const value of vector) {
		sum += value * value;
	}
	const length = Math.sqrt(sum);
	return length === 0 ? vector : vector.map(value => value / length);
}
