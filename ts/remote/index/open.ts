/** Creates and opens remote indexes. */
import {randomUUID} from 'node:crypto';
import {isDeepStrictEqual} from 'node:util';
import {isArray, isObject} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {CollectionEncoders} from '../../collection/live/encoders.ts';
import {withNewSettings} from '../../collection/live/new-settings.ts';
import {Connection} from '../connection/connection.ts';
import {isExistsError} from '../connection/errors.ts';
import {checkedRemote} from '../connection/options.ts';
import {type OpenSearchCreateOptions, type OpenSearchOpenOptions, checkedEncoders, checkedIndexSettings} from '../options.ts';
import {TermAnalyzer} from './analyzer.ts';
import {checkIndexName} from './name.ts';
import {RemoteIndex, majorOf} from './remote-index.ts';
import {type Schema, checkAnalyzer, indexBody, newSchema, readSchema, spaceOf} from './schema.ts';

/** Creates an index and opens it. */
export async function createIndex(name: string, options: OpenSearchCreateOptions): Promise<RemoteIndex> {
	checkIndexName('create: index', name);
	const remote = checkedRemote('create', options);
	const given = checkedEncoders(options);
	const {vectors, analyzer: analyzerName, split, k1, b, shards, replicas, m, efConstruction, storage} = checkedIndexSettings(options);
	const {encoder, signal} = options;
	const hasDefault = encoder === undefined && given.passages === undefined && vectors.dim === undefined;
	const encoders = hasDefault ? {...given, passages: 'minilm-encoder'} : given;
	return withNewSettings(encoders, vectors, split, async created => {
		if (created.dim === undefined && Object.values(options.vectors ?? {}).some(value => value !== undefined)) {
			throw new RetrievalError('ERR_ARGUMENT', 'vectors: expected the option dim or an encoder with these settings, got neither');
		}
		const analyzer = await TermAnalyzer.open(analyzerName);
		let connection: Connection | undefined;
		try {
			const opened = await Connection.open(remote, signal);
			({connection} = opened);
			const {settings, dim} = created;
			const schema = newSchema({
				analyzer: analyzer.description,
				k1,
				b,
				vectors: dim === undefined ? null : {dim, m, efConstruction, storage},
				settings,
			});
			checkVersionFor(opened.version, schema);
			const creation = randomUUID();
			await putIndex(connection, name, indexBody(schema, {shards, replicas}, creation, majorOf(opened.version)), options);
			// What the cluster stored is read, because JSON changes some values, such as those that are undefined.
			const found = await readSchema(connection, name, signal);
			if (found.creation !== creation) {
				checkExisting(name, found.schema, schema, options);
			}
			return new RemoteIndex({
				connection,
				name,
				index: found.index,
				schema: found.schema,
				version: opened.version,
				analyzer,
				encoders: created.encoders,
			});
		} catch (error) {
			await connection?.close();
			analyzer.close();
			throw error;
		}
	});
}

/** Creates an index, or finds that it exists: if the answer to a first attempt was lost, that attempt may have created it. */
async function putIndex(
	connection: Connection,
	name: string,
	body: Record<string, unknown>,
	{ifExists, signal}: OpenSearchCreateOptions,
): Promise<void> {
	const what = `create ${name}`;
	const path = `/${encodeURIComponent(name)}`;
	const exists = await connection.send<boolean>({what, method: 'HEAD', path, signal});
	if (exists && ifExists !== 'open') {
		throw alreadyExists(name);
	}
	if (exists) {
		return;
	}
	try {
		await connection.send({what, method: 'PUT', path, body, signal, query: {wait_for_active_shards: 1}});
	} catch (error) {
		if (!isExistsError(error)) {
			throw error;
		}
	}
}

/** Fails if an existing index may not be opened, or was created with other settings than those that were requested. */
function checkExisting(name: string, stored: Schema, requested: Schema, {ifExists, vectors}: OpenSearchCreateOptions): void {
	if (ifExists !== 'open') {
		throw alreadyExists(name);
	}
	const wanted = JSON.parse(JSON.stringify(requested)) as Schema;
	// Without the option, the storage is that of the existing index.
	const storage = vectors?.storage ?? stored.vectors?.storage ?? 'f32';
	const all = wanted.vectors === null ? wanted : {...wanted, vectors: {...wanted.vectors, storage}};
	const [first] = differences(stored, all);
	if (first !== undefined) {
		const {path, expected, got} = first;
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`create ${name}: expected an index with ${path} ${JSON.stringify(expected)}, got one that exists with ${JSON.stringify(got)}; choose another name, or the same settings`,
		);
	}
}

/** A part of two JSON values that differs. */
interface Difference {
	readonly path: string;
	readonly expected: unknown;
	readonly got: unknown;
}

/** Returns the parts of two JSON values that differ. */
function differences(stored: unknown, wanted: unknown, path: readonly string[] = []): Difference[] {
	if (isObject(stored) && isObject(wanted) && !isArray(stored) && !isArray(wanted)) {
		const keys = new Set([...Object.keys(wanted), ...Object.keys(stored)]);
		return [...keys].flatMap(key => differences(stored[key], wanted[key], [...path, key]));
	}
	return isDeepStrictEqual(stored, wanted) ? [] : [{path: path.join('.'), expected: wanted, got: stored}];
}

/** Fails if the cluster is too old for the vectors. */
function checkVersionFor(version: string, {vectors, settings}: Schema): void {
	const [major, minor] = version.split('.').map(Number) as [number, number];
	const check = (needed: number, what: string): void => {
		if (major === 2 && minor < needed) {
			throw new RetrievalError('ERR_REMOTE', `create: expected OpenSearch 2.${needed} or later for ${what}, got ${version}`);
		}
	};
	if (vectors?.storage === 'int8Rescored') {
		check(16, 'the storage int8Rescored');
	}
	if (vectors !== null && spaceOf(settings) === 'innerproduct') {
		check(13, `the similarity ${settings.similarity}`);
	}
}

function alreadyExists(name: string): RetrievalError {
	return new RetrievalError(
		'ERR_ARGUMENT',
		`create ${name}: expected the name of a new index, got that of an index or an alias that exists; open it, or choose another name`,
	);
}

/** Opens an index or an alias. */
export async function openIndex(name: string, options: OpenSearchOpenOptions): Promise<RemoteIndex> {
	checkIndexName('open: index', name);
	const remote = checkedRemote('open', options);
	const given = checkedEncoders(options);
	const {signal} = options;
	const {connection, version} = await Connection.open(remote, signal);
	let analyzer: TermAnalyzer | undefined;
	try {
		const {index, schema} = await readSchema(connection, name, signal);
		const {version: _version, ...stored} = schema.analyzer;
		analyzer = await TermAnalyzer.open(stored);
		checkAnalyzer(name, schema.analyzer, analyzer.description);
		const {vectors, settings} = schema;
		const encoders = vectors === null ? undefined : new CollectionEncoders(given, settings, vectors.dim);
		return new RemoteIndex({connection, name, index, schema, version, analyzer, encoders});
	} catch (error) {
		await connection.close();
		analyzer?.close();
		throw error;
	}
}
