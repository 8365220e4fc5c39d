/**
The mapping and the settings of a remote index. The mapping's `_meta` has what this package must know to read and write the index: the
analyzer, the BM25 parameters, the vectors and their encoders.
*/
import {isDeepStrictEqual} from 'node:util';
import {checkObject, shown} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Settings} from '../../collection/live/settings.ts';
import type {AnalyzerDescription} from '../../sparse/index.ts';
import type {Connection} from '../connection/connection.ts';

/** The version of the format. It changes when older versions of this package could not read or write an index correctly. */
const FORMAT = 1;

/** The names of the fields of a stored passage. */
export const names = {
	/** The id of the passage, which is also `_id`, to sort by. */
	id: 'id',
	/** The id of the document. */
	document: 'document',
	/** The number of the passage in its document, from 0. */
	number: 'number',
	/** The number of passages of the document. */
	count: 'count',
	/** Orders passages by when they were added. */
	added: 'added',
	/** The terms, separated by spaces. Indexed only. */
	terms: 'terms',
	vector: 'vector',
	/** The values of the document's fields, to filter by: see `search/attributes.ts`. */
	attributes: 'attributes',
	/** These are stored only. */
	title: 'title',
	text: 'text',
	/** The fields of the document as JSON. */
	fields: 'fields',
	/** Identifies the call that wrote the passage. */
	write: 'write',
} as const;

/**
How a remote index stores vectors for graph searches:
- `f32`: single precision;
- `int8Rescored`: single precision, and quantized codes with one byte per number, of which 7 bits are used. A graph search reads only the
  codes, and scores the candidates again with the full vectors. So it needs less than a third of the page cache that `f32` needs (0.9 instead
  of 3.2 kB per passage at 768 dimensions). Needs OpenSearch 2.16 or later.
*/
export type RemoteStorage = 'f32' | 'int8Rescored';

export const remoteStorages: readonly RemoteStorage[] = ['f32', 'int8Rescored'];

/** What is stored about an index. */
export interface Schema {
	readonly format: number;
	readonly analyzer: AnalyzerDescription;
	readonly k1: number;
	readonly b: number;
	/** `null` if the index has no vectors. */
	readonly vectors: {
		readonly dim: number;
		readonly m: number;
		readonly efConstruction: number;
		readonly storage: RemoteStorage;
	} | null;
	readonly settings: Settings;
}

/** The shards of an index. */
export interface Sharding {
	readonly shards: number;
	readonly replicas: number;
}

/** Returns the body of the request that creates an index in a cluster of a major version. `creation` identifies the request. */
export function indexBody(schema: Schema, {shards, replicas}: Sharding, creation: string, major: number): Record<string, unknown> {
	const {vectors, settings, k1, b} = schema;
	const keyword = {type: 'keyword'};
	return {
		settings: {
			number_of_shards: shards,
			number_of_replicas: replicas,
			// Searches return up to this number of hits.
			max_result_window: MAX_HITS,
			...(vectors === null ? {} : {'index.knn': true}),
			similarity: {passagekit: {type: 'BM25', k1, b, discount_overlaps: true}},
			analysis: {
				tokenizer: {passagekit: {type: 'char_group', tokenize_on_chars: [' '], max_token_length: 1 << 20}},
				analyzer: {passagekit: {type: 'custom', tokenizer: 'passagekit'}},
			},
		},
		mappings: {
			dynamic: false,
			_meta: {passagekit: schema, creation},
			// The terms follow from the text, so they need not be stored. But if a part is excluded, version 3 stores each vector a second time, as
			// JSON, which takes more space than the terms.
			...(major === 2 ? {_source: {excludes: [names.terms]}} : {}),
			_routing: {required: true},
			properties: {
				[names.id]: keyword,
				[names.document]: keyword,
				[names.number]: {type: 'integer'},
				[names.added]: {type: 'long'},
				[names.terms]: {type: 'text', analyzer: 'passagekit', similarity: 'passagekit', index_options: 'freqs', norms: true},
				[names.attributes]: {...keyword, doc_values: false},
				...(vectors === null
					? {}
					: {
							[names.vector]: {
								type: 'knn_vector',
								dimension: vectors.dim,
								method: {
									name: 'hnsw',
									// The engine of version 3 is Faiss by default, which needs native libraries.
									engine: 'lucene',
									space_type: spaceOf(settings),
									parameters: {
										m: vectors.m,
										ef_construction: vectors.efConstruction,
										...(vectors.storage === 'f32' ? {} : {encoder: {name: 'sq', parameters: {bits: 7}}}),
									},
								},
							},
						}),
			},
		},
	};
}

/** Maximum number of hits of a search, offset included. */
export const MAX_HITS = 100_000;

/** The k-NN plugin's name of the similarity. Vectors for 'cosine' are scaled to length 1 before they are stored, so it is the inner product. */
export function spaceOf({similarity}: Settings): 'l2' | 'innerproduct' {
	return similarity === 'l2' ? 'l2' : 'innerproduct';
}

/** The concrete index behind a name, and its schema. */
export interface FoundIndex {
	readonly index: string;
	readonly schema: Schema;
	/** Identifies the request that created the index. */
	readonly creation: unknown;
}

/** Reads the schema of an index or an alias. Fails if there is none, or if this package did not create it. */
export async function readSchema(connection: Connection, name: string, signal?: AbortSignal): Promise<FoundIndex> {
	const mappings = await connection.send<
		Record<string, {readonly mappings?: {readonly _meta?: {readonly passagekit?: unknown; readonly creation?: unknown}}}>
	>({
		what: `open ${name}`,
		method: 'GET',
		path: `/${encodeURIComponent(name)}/_mapping`,
		signal,
	});
	const [entry, ...others] = Object.entries(mappings);
	if (entry === undefined || others.length > 0) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${name}: expected the name of one index, or an alias of one, got ${others.length === 0 ? 'none' : `${others.length + 1} indexes`}`,
		);
	}
	const [index, {mappings: mapping}] = entry;
	const schema = mapping?._meta?.passagekit as Schema | undefined;
	if (schema === undefined) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${name}: expected an index that OpenSearchCollection.create or passagekit push created, got another one`,
		);
	}
	checkObject(`${name}: _meta`, schema, 'an object');
	if (schema.format !== FORMAT) {
		throw new RetrievalError(
			'ERR_INDEX_VERSION',
			`${name}: expected format ${FORMAT}, got ${shown(schema.format)}; use the version of passagekit that created the index, or build the index again`,
		);
	}
	return {index, schema, creation: mapping?._meta?.creation};
}

/** Returns a schema with the current format. */
export function newSchema(schema: Omit<Schema, 'format'>): Schema {
	return {format: FORMAT, ...schema};
}

/** Fails if the installed analyzer would make other terms than those of the index. */
export function checkAnalyzer(name: string, stored: AnalyzerDescription, installed: AnalyzerDescription): void {
	if (isDeepStrictEqual(plain(stored), plain(installed))) {
		return;
	}
	const {version: was, ...storedOptions} = stored;
	const {version: is, ...options} = installed;
	if (isDeepStrictEqual(plain(storedOptions), plain(options))) {
		throw new RetrievalError(
			'ERR_INDEX_VERSION',
			`${name}: expected version ${is} of the analyzer ${stored.type}, got version ${was}; build the index again`,
		);
	}
	throw new RetrievalError(
		'ERR_ANALYZER_MISMATCH',
		`${name}: expected the analyzer ${JSON.stringify(options)}, got an index with ${JSON.stringify(storedOptions)}`,
	);
}

/** Returns a value without properties that are `undefined`. */
function plain(value: unknown): unknown {
	return JSON.parse(JSON.stringify(value));
}
