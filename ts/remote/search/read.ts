/** Reads the passages of a remote index, without ranking them. */
import {checkCount, checkOneOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import type {Filter} from '../../core/filters/filter.ts';
import {numberOf} from '../../collection/live/hits.ts';
import type {CountOptions, StoredPassage} from '../../collection/live/types.ts';
import type {RemoteIndex} from '../index/remote-index.ts';
import {names} from '../index/schema.ts';
import {passageOf} from '../write/passages.ts';
import {storedPassages} from '../write/stored.ts';
import {typesExist} from './field-types.ts';
import {type Query, remoteFilter} from './filters.ts';
import {type SearchTarget, answersOf} from './multi-search.ts';

/** Number of passages that are read at a time. */
const PASSAGES_PER_READ = 500;
/** How long the cluster keeps a fixed view of the index between two reads. */
const KEEP_ALIVE = '5m';
/** Number of documents per page of counts. */
const DOCUMENTS_PER_PAGE = 10_000;

const contents = [names.title, names.text, names.fields];

/** Returns the passages with the given ids, in the order of the ids. Skips unknown ids. */
export async function passagesById<Fields>(index: RemoteIndex, ids: readonly string[]): Promise<Array<StoredPassage<Fields>>> {
	return index.onCurrent(async concrete => passagesIn<Fields>(index, concrete, ids));
}

async function passagesIn<Fields>(index: RemoteIndex, concrete: string, ids: readonly string[]): Promise<Array<StoredPassage<Fields>>> {
	const stored = await storedPassages(index.parts.connection, concrete, [...new Set(ids)], {parts: contents, latest: false});
	return ids.flatMap(id => {
		const source = stored.get(id);
		return source === undefined ? [] : [passageOf<Fields>(id, {...source})];
	});
}

/** Returns the passages of a document, in order. */
export async function passagesByDocument<Fields>(index: RemoteIndex, document: string): Promise<Array<StoredPassage<Fields>>> {
	return index.onCurrent(async concrete => {
		const parts = [names.count];
		const firsts = await storedPassages(index.parts.connection, concrete, [`${document}#0`, document], {parts, latest: false});
		const count = firsts.get(`${document}#0`)?.count ?? 0;
		const numbered = Array.from({length: count}, (_, n) => `${document}#${n}`);
		return passagesIn<Fields>(index, concrete, [...(firsts.has(document) ? [document] : []), ...numbered]);
	});
}

/** Returns a passage together with the passages before and after it in its document. */
export async function neighborsOf<Fields>(
	index: RemoteIndex,
	id: string,
	before: number,
	after: number,
): Promise<Array<StoredPassage<Fields>>> {
	const number = numberOf(id);
	if (number === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `neighbors: expected a hit, or the id of a passage such as "d#0", got "${id}"`);
	}
	checkCount('before', before, 0);
	checkCount('after', after, 0);
	const first = Math.max(0, number - before);
	// At most 10,001 ids, however large `before` and `after` are. Ids beyond the end of the document are skipped.
	const last = Math.min(number + after, first + 10_000);
	return passagesById(
		index,
		Array.from({length: last - first + 1}, (_, i) => `${documentOf(id)}#${first + i}`),
	);
}

/** Returns the stored vectors of passages `[ids.length, dim]`. */
export async function vectorsOf(index: RemoteIndex, ids: readonly string[]): Promise<Float32Array> {
	const {connection, name} = index.parts;
	const {dim} = index;
	if (dim === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `vectors: expected an index with vectors, got ${name}, which has none`);
	}
	const parts = [names.vector];
	const stored = await index.onCurrent(async concrete => storedPassages(connection, concrete, [...new Set(ids)], {parts, latest: false}));
	const vectors = new Float32Array(ids.length * dim);
	for (const [i, id] of ids.entries()) {
		const vector = stored.get(id)?.vector;
		if (vector === undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `vectors: expected ids of passages of the index, got "${id}"`);
		}
		if (vector.length !== dim) {
			throw new RetrievalError(
				'ERR_DIMENSION',
				`vectors: expected vectors of ${dim} numbers, as the description of ${name} says, got ${vector.length} for "${id}"; build the index again`,
			);
		}
		vectors.set(vector, i * dim);
	}
	return vectors;
}

/** Counts passages, or the documents that have a matching passage. */
export async function countMatching(index: RemoteIndex, {filter, groupBy}: CountOptions): Promise<number> {
	if (groupBy !== undefined) {
		checkOneOf('groupBy', groupBy, ['document']);
		return (await documentsOf(index, filter)).length;
	}
	const query = await checkedQuery(index, filter);
	const {connection} = index.parts;
	return index.onCurrent(async name => {
		const [answer] = await answersOf({connection, name}, [{body: {query, size: 0, track_total_hits: true}, dfs: false}]);
		return answer!.hits!.total!.value;
	});
}

/** Returns the ids of the documents with a matching passage. */
export async function documentsOf(index: RemoteIndex, filter: Filter | undefined): Promise<string[]> {
	const query = await checkedQuery(index, filter);
	const {connection} = index.parts;
	return index.onCurrent(async name => documentsIn({connection, name}, query));
}

async function documentsIn({connection, name}: SearchTarget, query: Query): Promise<string[]> {
	const documents: string[] = [];
	for (let after: unknown; ; ) {
		const sources = [{document: {terms: {field: names.document}}}];
		const pages = {composite: {size: DOCUMENTS_PER_PAGE, sources, ...(after === undefined ? {} : {after})}};
		const [answer] = await answersOf({connection, name}, [{body: {query, size: 0, track_total_hits: false, aggs: {pages}}, dfs: false}]);
		const {buckets, after_key: next} = (
			answer!.aggregations as {
				readonly pages: {readonly buckets: ReadonlyArray<{readonly key: {readonly document: string}}>; readonly after_key?: unknown};
			}
		).pages;
		for (const {key} of buckets) {
			documents.push(key.document);
		}
		if (next === undefined || buckets.length < DOCUMENTS_PER_PAGE) {
			return documents;
		}
		after = next;
	}
}

/** Iterates over passages in the order in which they were added, in a view of the index that later changes do not change. */
export async function* scanPassages<Fields>(
	index: RemoteIndex,
	filter: Filter | undefined,
): AsyncGenerator<StoredPassage<Fields>, void, undefined> {
	const query = await checkedQuery(index, filter);
	const {connection, name} = index.parts;
	const what = `scan ${name}`;
	const view = '/_search/point_in_time';
	// All later requests read this view, so they are of the index that has the name now.
	const {pit_id: opened} = await index.onCurrent(async concrete =>
		connection.send<{readonly pit_id: string}>({
			what,
			method: 'POST',
			path: `/${encodeURIComponent(concrete)}${view}`,
			query: {keep_alive: KEEP_ALIVE, allow_partial_pit_creation: false},
		}),
	);
	let id = opened;
	try {
		for (let after: readonly unknown[] | undefined; ; ) {
			const answer = await connection.send<ScanAnswer>({
				what,
				method: 'POST',
				path: '/_search',
				query: {allow_partial_search_results: false},
				body: {
					query,
					size: PASSAGES_PER_READ,
					sort: [{[names.added]: 'asc'}, {[names.id]: 'asc'}],
					_source: contents,
					track_total_hits: false,
					pit: {id, keep_alive: KEEP_ALIVE},
					...(after === undefined ? {} : {search_after: after}),
				},
			});
			const {_shards: shards, timed_out: timedOut, hits} = answer;
			if (timedOut || shards.successful < shards.total) {
				throw new RetrievalError(
					'ERR_REMOTE_INCOMPLETE',
					`${what}: expected answers of ${shards.total} shards, got ${shards.successful}; check the health of the cluster`,
				);
			}
			id = answer.pit_id ?? id;
			for (const {_id, _source} of hits.hits) {
				yield passageOf<Fields>(_id, _source);
			}
			if (hits.hits.length < PASSAGES_PER_READ) {
				return;
			}
			after = hits.hits.at(-1)!.sort;
		}
	} finally {
		// Closing the view is a courtesy: it ends on its own after `KEEP_ALIVE`. An error here must not hide one of the scan.
		await connection.send({what, method: 'DELETE', path: view, body: {pit_id: [id]}, maxRetries: 0}).catch(() => {});
	}
}

interface ScanAnswer {
	readonly pit_id?: string;
	readonly timed_out: boolean;
	readonly _shards: {readonly total: number; readonly successful: number};
	readonly hits: {
		readonly hits: ReadonlyArray<{
			readonly _id: string;
			readonly sort: readonly unknown[];
			readonly _source: Readonly<Record<string, unknown>>;
		}>;
	};
}

/** Returns the query of a filter, after checking that the index has the fields that it compares. */
async function checkedQuery(index: RemoteIndex, filter: Filter | undefined): Promise<Query> {
	const converted = remoteFilter(filter);
	if (converted === undefined) {
		return {match_all: {}};
	}
	await typesExist(index, converted, undefined);
	return converted.query;
}
