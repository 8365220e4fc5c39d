/** The searches of OpenSearch for the words and for the vector of a query, and the conversion of its scores to those of embedded indexes. */
import {type Schema, names, spaceOf} from '../index/schema.ts';
import type {Query} from './filters.ts';

/** The parts of a search that are the same for words and vectors. */
export interface Limits {
	/** Maximum number of hits. */
	readonly size: number;
	readonly filter: Query | undefined;
	/** The stored parts that hits have. */
	readonly source: readonly string[];
}

/** A search, and the conversion of its scores. */
export interface RemoteSearch {
	readonly body: Readonly<Record<string, unknown>>;
	/** Whether document frequencies are added up over all shards before the search. */
	readonly globalStatistics: boolean;
	readonly score: (remote: number) => number;
}

/** How vectors are searched: all of them, or the graph of each shard, which expands `candidates`. */
export type VectorScan = {readonly exact: true} | {readonly exact: false; readonly candidates: number};

/**
A BM25 search. The weight of a term is the number of its occurrences in the query. OpenSearch 2 multiplies each weight by k1 + 1, as Lucene
did before version 8; OpenSearch 3 and embedded indexes do not. So for version 2 the weights are divided by k1 + 1: the product is then the
weight, without a rounding error for the default k1, so that scores have the same bits as those of an embedded index. Dividing the scores
instead would round them, and change the order of hits whose scores are almost equal.
*/
export function wordSearch(
	terms: readonly string[],
	limits: Limits,
	schema: Schema,
	major: number,
	globalStatistics: boolean,
): RemoteSearch {
	const weights = new Map<string, number>();
	for (const term of terms) {
		weights.set(term, (weights.get(term) ?? 0) + 1);
	}
	const factor = major === 2 ? Math.fround(1 + Math.fround(schema.k1)) : 1;
	const should = [...weights].map(([value, weight]) => ({term: {[names.terms]: {value, boost: Math.fround(weight / factor)}}}));
	const words = {bool: {should, minimum_should_match: 1}};
	const {filter} = limits;
	return {
		body: bodyOf(filter === undefined ? words : {bool: {must: [words], filter: [filter]}}, limits),
		globalStatistics,
		score: remote => Math.fround(remote),
	};
}

/** A search by a vector. */
export function vectorSearch(vector: Float32Array, scan: VectorScan, limits: Limits, schema: Schema): RemoteSearch {
	const {filter} = limits;
	const numbers = jsonNumbers(vector);
	const space = spaceOf(schema.settings);
	const candidates = scan.exact
		? {bool: {filter: [{exists: {field: names.vector}}, ...(filter === undefined ? [] : [filter])]}}
		: {knn: {[names.vector]: {vector: numbers, k: scan.candidates, ...(filter === undefined ? {} : {filter})}}};
	// The script scores with the full vectors. So does a graph search without quantized codes.
	const script = {source: 'knn_score', lang: 'knn', params: {field: names.vector, query_value: numbers, space_type: space}};
	const hasScores = !scan.exact && schema.vectors?.storage !== 'int8Rescored';
	const query = hasScores ? candidates : {script_score: {query: candidates, script}};
	return {body: bodyOf(query, limits), globalStatistics: false, score: space === 'l2' ? squaredDistanceScore : innerProductScore};
}

/** Hits with equal scores come in the order in which the passages were added, as in an embedded index, and else by id. */
function bodyOf(query: Query, {size, source}: Limits): Readonly<Record<string, unknown>> {
	return {
		query,
		size,
		sort: [{_score: 'desc'}, {[names.added]: 'asc'}, {[names.id]: 'asc'}],
		track_total_hits: false,
		_source: source.length === 0 ? false : source,
	};
}

/** The plugin returns 1 + ip for an inner product ip of at least 0, and 1 / (1 − ip) for a negative one, because its scores must be positive. */
function innerProductScore(remote: number): number {
	return Math.fround(remote >= 1 ? remote - 1 : 1 - 1 / remote);
}

/** The plugin returns 1 / (1 + d²) for the distance d. */
function squaredDistanceScore(remote: number): number {
	return Math.fround(1 - 1 / remote);
}

/** Returns the numbers of a vector with the 9 significant digits that identify a 32-bit float. JSON would have up to 17. */
export function jsonNumbers(vector: Float32Array): number[] {
	return Array.from(vector, value => Number(value.toPrecision(9)));
}
