/** Creates and opens remote indexes. */
import {RetrievalError} from '../../core/errors.ts';
import {CollectionEncoders} from '../../collection/live/encoders.ts';
import {withNewSettings} from '../../collection/live/new-settings.ts';
import {Connection} from '../connection/connection.ts';
import {checkedRemote} from '../connection/options.ts';
import {type OpenSearchCreateOptions, type OpenSearchOpenOptions, checkedEncoders, checkedIndexSettings} from '../options.ts';
import {TermAnalyzer} from './analyzer.ts';
import {RemoteIndex} from './remote-index.ts';
import {checkAnalyzer, indexBody, newSchema, readSchema} from './schema.ts';

/** Creates an index and opens it. */
export async function createIndex(name: string, options: OpenSearchCreateOptions): Promise<RemoteIndex> {
	const remote = checkedRemote('create', options);
	const given = checkedEncoders(options);
	const {vectors, analyzer: analyzerName, split, k1, b, shards, replicas, m, efConstruction} = checkedIndexSettings(options);
	const {encoder, signal} = options;
	const hasDefault = encoder === undefined && given.passages === undefined && vectors.dim === undefined;
	const encoders = hasDefault ? {...given, passages: 'minilm-encoder'} : given;
	return withNewSettings(encoders, vectors, split, async created => {
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
				vectors: dim === undefined ? null : {dim, m, efConstruction},
				settings,
			});
			await putIndex(connection, name, indexBody(schema, {shards, replicas}), signal);
			// What the cluster stored is read, because JSON changes some values, such as those that are undefined.
			const found = await readSchema(connection, name, signal);
			return new RemoteIndex({connection, name, ...found, version: opened.version, analyzer, encoders: created.encoders});
		} catch (error) {
			await connection?.close();
			analyzer.close();
			throw error;
		}
	});
}

/** Sends the request that creates an index. If its answer is lost, a repetition finds the index that the first attempt created. */
async function putIndex(
	connection: Connection,
	name: string,
	body: Record<string, unknown>,
	signal: AbortSignal | undefined,
): Promise<void> {
	const path = `/${encodeURIComponent(name)}`;
	const exists = await connection.send<boolean>({what: `create ${name}`, method: 'HEAD', path, signal});
	if (exists) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`create ${name}: expected the name of a new index, got that of an index or an alias that exists; open it, or choose another name`,
		);
	}
	await connection.send({what: `create ${name}`, method: 'PUT', path, body, signal, query: {wait_for_active_shards: 1}});
}

/** Opens an index or an alias. */
export async function openIndex(name: string, options: OpenSearchOpenOptions): Promise<RemoteIndex> {
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
